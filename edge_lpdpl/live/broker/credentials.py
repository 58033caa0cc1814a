"""What this machine shows to a broker, and what it checks the broker with: a password, certificates, a private CA."""

import contextlib
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from edge_lpdpl.errors import PublishError
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import TLS_FILES, MqttConfig

_LONGEST_PASSWORD = 4096  # bytes
_LARGEST_FILE = 256 << 10  # bytes of certificates


def read_password(name: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The password in a file; a name without a folder is looked up in $CREDENTIALS_DIRECTORY. None for no file.

    Raises:
        PublishError: it cannot be read.
    """
    path = _place(name, environment)
    if path is None:
        return None
    try:
        return read_regular(path, _LONGEST_PASSWORD, PublishError).decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise PublishError(f"{printable(name)}: the password is not UTF-8; write it again") from None


def tls_context(settings: MqttConfig, environment: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """How the broker is checked, with the certificate that this machine shows to it. The files are as the password's.

    Raises:
        PublishError: a file cannot be read, or does not hold what it should; names the file.
    """
    ca, certificate, key = (_place(getattr(settings, name), environment) for name in TLS_FILES)
    for path in filter(None, (ca, certificate, key)):
        read_regular(path, _LARGEST_FILE, PublishError)  # no pipe, and nothing without an end
    with _blaming(ca, "holds no certificate of a CA in PEM"):
        context = ssl.create_default_context(cafile=ca)
    if certificate is not None:
        with _blaming(certificate, "is no certificate in PEM that belongs to its key, which may have no passphrase"):
            context.load_cert_chain(certificate, key, password=lambda: "")  # nobody is there to type one
    return context


def credential_faults(settings: MqttConfig) -> Iterator[tuple[str, str]]:
    """Settings of files that cannot be used, each with what is wrong. Of a name without a folder only the service knows
    the place, and of what this user may not read, only its user."""
    files = {key: Path(name) for key in TLS_FILES if settings.tls and (name := getattr(settings, key))}
    if settings.username and "/" in settings.password_file:
        yield from (("password_file", fault) for fault in _fault_of(lambda: read_password(settings.password_file)))
    here = {key: path for key, path in files.items() if "/" in getattr(settings, key)}
    faults = [
        (key, fault)
        for key, path in here.items()
        for fault in _fault_of(partial(read_regular, path, _LARGEST_FILE, PublishError))
    ]
    yield from faults
    if files and len(here) == len(files) and not faults:
        for fault in _fault_of(lambda: tls_context(settings)):
            named = [key for key, path in files.items() if fault.startswith(f"{printable(str(path))}: ")]
            yield (*named, "ca_file")[0], fault


def _fault_of(read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except PublishError as error:
        if not isinstance(error.__cause__, PermissionError):
            yield str(error)


@contextlib.contextmanager
def _blaming(path: Path | None, fault: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise PublishError(f"{printable(str(path))}: {fault}; see [mqtt] of the configuration") from error


def _place(name: str, environment: Mapping[str, str]) -> Path | None:
    if not name:
        return None
    bare = Path(name).name == name
    return Path(environment.get("CREDENTIALS_DIRECTORY", "") if bare else "", name)
