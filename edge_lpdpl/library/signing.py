"""Signatures of model files, made and checked by ssh-keygen: a signature says whose a file is.

The file to check is given to ssh-keygen as bytes, never by its name: what is checked is what is loaded afterwards.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.text import printable

NAMESPACE = "edge-lpdpl-model"
"""A signature for something else, such as a commit, is not one for a model."""
LONGEST_SIGNATURE, LONGEST_SIGNERS = 16 << 10, 64 << 10
"""Bytes of the files; a signature of the longest RSA key has 5 KB."""
_MOST_NAMES = 8  # of one key
_CHECK_SECONDS, _SIGN_SECONDS = 20, 120  # a person may have to type a passphrase or to touch a token


def sign(data: bytes, key: str | os.PathLike[str]) -> bytes:
    """A signature of `data`, as `ssh-keygen -Y sign` makes it.

    Args:
        key: file of a private key, or of a public key whose private one an agent has.

    Raises:
        ModelError: there is no such key, or no ssh-keygen.
    """
    done = _ssh_keygen(["sign", "-q", "-n", NAMESPACE, "-f", os.fspath(key)], data, _SIGN_SECONDS, dict(os.environ))
    if done.returncode or not done.stdout:
        raise ModelError(f"{printable(os.fspath(key))}: cannot sign ({_last_line(done.stderr)}); name a key of yours")
    return done.stdout


def signer_of(data: bytes, signature: bytes, signers: bytes) -> str:
    """The name in `signers` of the one who signed `data`.

    Args:
        signature: as `sign` makes it.
        signers: lines of names and keys, as ALLOWED SIGNERS in ssh-keygen(1).

    Raises:
        ModelError: nobody in `signers` did, or there is no ssh-keygen; says what is wrong, but not with which file.
    """
    with _in_memory(signature) as made, _in_memory(signers) as known:
        files = (made, known)
        where = ["-s", f"/proc/self/fd/{made}", "-f", f"/proc/self/fd/{known}"]
        found = _ssh_keygen(["find-principals", *where], b"", _CHECK_SECONDS, files=files)
        names = found.stdout.decode(errors="replace").splitlines()[:_MOST_NAMES]
        if found.returncode or not names:
            raise ModelError("it is not signed with one of the keys that are trusted")
        for name in names:
            check = ["verify", "-n", NAMESPACE, "-I", name, *where]
            if _ssh_keygen(check, data, _CHECK_SECONDS, files=files).returncode == 0:
                return name
    raise ModelError(f"its content is not what {printable(names[0])} signed as a model")


def key_of(data: bytes, signature: bytes) -> str:
    """The key that signed `data`, for people: its kind and its fingerprint.

    Raises:
        ModelError: the signature is not one of this data.
    """
    with _in_memory(signature) as made:
        check = ["check-novalidate", "-n", NAMESPACE, "-s", f"/proc/self/fd/{made}"]
        done = _ssh_keygen(check, data, _CHECK_SECONDS, files=(made,))
    said, _, key = done.stdout.decode(errors="replace").strip().partition(" with ")
    if done.returncode or not key:
        raise ModelError(f"the signature does not fit ({_last_line(done.stderr) or said})")
    return printable(key)


def names_of(signers: bytes) -> list[str]:
    """Names in lines of allowed signers.

    >>> names_of(b"# home\\nada@example ssh-ed25519 AAAA\\n")
    ['ada@example']
    """
    lines = (line.split() for line in signers.decode(errors="replace").splitlines())
    return [printable(words[0]) for words in lines if words and not words[0].startswith("#")]


def _ssh_keygen(
    arguments: Sequence[str],
    data: bytes,
    seconds: float,
    environment: dict[str, str] | None = None,
    files: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Run `ssh-keygen -Y` with `data` as its input; without a shell, and with an empty environment where none is given.

    Raises:
        ModelError: it is missing, cannot be started or does not end in time.
    """
    program = shutil.which("ssh-keygen", path=os.defpath)
    if program is None:
        raise ModelError("signatures need ssh-keygen, which is missing: apt install openssh-client")
    command, clean = [program, "-Y", *arguments], environment or {"LC_ALL": "C"}
    try:
        return subprocess.run(
            command, input=data, capture_output=True, timeout=seconds, env=clean, pass_fds=files, check=False
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"ssh-keygen did not end within {seconds:g} s") from None
    except OSError as error:
        raise ModelError(f"ssh-keygen cannot be started ({error.strerror})") from error


@contextlib.contextmanager
def _in_memory(data: bytes) -> Iterator[int]:
    """A descriptor of a file with this content that nobody else can change."""
    handle = os.memfd_create("edge-lpdpl")
    try:
        os.write(handle, data)
        yield handle
    finally:
        os.close(handle)


def _last_line(text: bytes) -> str:
    """The last line that a program has printed, bounded."""
    lines = text.decode(errors="replace").strip().splitlines()
    return printable(lines[-1].strip()[:200]) if lines else "it gives no reason"
