"""Which models are trusted: any, those that came with the program, or those that somebody trusted has signed.

The digest in a model file says that it is whole, and anybody can make one. A signature says whose the model is.
"""

import os
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.atomic import write_result
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.library.signing import LONGEST_SIGNATURE, LONGEST_SIGNERS, key_of, names_of, sign, signer_of
from edge_lpdpl.model.files import parse_model, read_model_bytes
from edge_lpdpl.model.model import Model

TRUST = ("any", "shipped", "signed")
ALLOWED_SIGNERS = Path("/etc/edge-lpdpl/allowed_signers")
"""Root's: names and public keys of those whose models are trusted."""
_MOST_NAMES = 3  # in one line


class Candidate(NamedTuple):
    """A model file as it was read once: what is checked is what is used."""

    path: Path
    data: bytes
    signature: bytes | None
    """Content of the file beside it; None where there is none."""

    def model(self) -> Model:
        """The model.

        Raises:
            ModelError: it is not valid.
        """
        return parse_model(self.path, self.data)

    def is_shipped(self) -> bool:
        """Whether it is the same as a model that came with the program."""
        return any(self.data == shipped_model(name).read_bytes() for name in shipped_models())

    def signed_by(self, signers: Path) -> str:
        """Name of the signer.

        Raises:
            ModelError: nobody in `signers` has signed it; says whose signature is missing.
        """
        known = read_regular(signers, LONGEST_SIGNERS, ModelError, safe=True)
        try:
            if self.signature is None:
                raise ModelError("it has no signature")
            return signer_of(self.data, self.signature, known)
        except ModelError as error:
            names = names_of(known)
            whose = ", ".join(names[:_MOST_NAMES]) + " or others" * (len(names) > _MOST_NAMES) or "nobody"
            place = printable(str(signature_path(self.path)))
            raise ModelError(
                f"{printable(str(self.path))}: {error}; needs the signature of {whose} ({signers}) in {place}"
            ) from error


def read_candidate(path: Path) -> Candidate:
    """Read a model file and its signature; neither is believed yet.

    Raises:
        ModelError: one of them cannot be read, or is too large.
    """
    data, beside = read_model_bytes(path), signature_path(path)
    signed = os.path.lexists(beside)
    return Candidate(path, data, read_regular(beside, LONGEST_SIGNATURE, ModelError) if signed else None)


def check_trust(candidate: Candidate, trust: str, signers: Path | None = None) -> str | None:
    """Refuse a model that is not trusted. Shipped models always are: who can change them can change the program.

    Args:
        trust: one of `TRUST`.
        signers: default: `ALLOWED_SIGNERS`.

    Returns:
        who signed it, where that was asked.

    Raises:
        ModelError: it is not trusted; one line that says whose signature is missing.
    """
    if trust == "any" or candidate.is_shipped():
        return None
    if trust == "shipped":
        fault = 'is no shipped model, and model.trust is "shipped"; use a shipped one, or sign it and trust "signed"'
        raise ModelError(f"{printable(str(candidate.path))}: {fault}")
    return candidate.signed_by(ALLOWED_SIGNERS if signers is None else signers)


def sign_model(path: Path, key: str | os.PathLike[str]) -> dict[str, str]:
    """Sign a valid model file; the signature is written beside it.

    Returns:
        the output of `edge-lpdpl model sign --json`.

    Raises:
        ModelError: the model is not valid, or the key cannot be used.
        EdgeError: the signature cannot be written.
    """
    data = read_model_bytes(path)
    model = parse_model(path, data)
    signature = sign(data, key)
    made = {"file": str(path), "name": model.name, "digest": model.digest, "key": key_of(data, signature)}
    write_result(signature_path(path), signature)
    return made | {"signature": str(signature_path(path))}


def signature_path(path: Path) -> Path:
    """Where the signature of a file is, as ssh-keygen names it.

    >>> signature_path(Path("mine.safetensors")).name
    'mine.safetensors.sig'
    """
    return path.with_name(f"{path.name}.sig")
