"""Find a model by its name, show it, verify it on this machine."""

import os
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.text import printable
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.library.trust import Candidate, check_trust, read_candidate
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import describe
from edge_lpdpl.numeral.recogniser import Recogniser

DEFAULT_MODEL = "chinese15"


def find_model(name_or_file: str) -> Path:
    """The file of a shipped model by its name, or the given path.

    Raises:
        ModelError: the name is neither that of a shipped model nor a path. Whether a path exists is not checked.

    >>> find_model("models/mine.safetensors").name
    'mine.safetensors'
    >>> find_model("roman12")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: roman12: is neither a model file nor a shipped model (arabic10, ...
    """
    if name_or_file in shipped_models():
        return shipped_model(name_or_file)
    path = Path(name_or_file)
    if name_or_file and (os.sep in name_or_file or path.suffix or path.exists()):
        return path
    shipped = ", ".join(shipped_models()) or "there are none"
    raise ModelError(f"{printable(name_or_file) or repr('')}: is neither a model file nor a shipped model ({shipped})")


def show_model(path: Path) -> dict[str, Any]:
    """The output of `edge-lpdpl model show --json`: the metadata of a model file.

    Raises:
        ModelError: the file is not valid.
    """
    return {**describe(read_model(path)), "file": str(path), "file_bytes": path.stat().st_size}


def verify_model(
    path: Path, backend: str = "auto", trust: str = "any", signers: Path | None = None
) -> tuple[Candidate, dict[str, Any]]:
    """Check a model file and run its self-test on this machine.

    Args:
        trust: which models are accepted, see `edge_lpdpl.library.trust.check_trust`.
        signers: file of those who are trusted; default: the one of this machine.

    Returns:
        the file as it was read, and the output of `edge-lpdpl model verify --json`.

    Raises:
        ModelError: the file is not valid or not trusted, or this machine does not get the scores that the trainer got.
        BackendError: the backend is not available.
    """
    candidate = read_candidate(path)
    signer = check_trust(candidate, trust, signers)
    recogniser = Recogniser(candidate.model(), backend)
    recogniser.self_test()
    model = recogniser.model
    found = {
        "file": str(path),
        "ok": True,
        "name": model.name,
        "digest": model.digest,
        "backend": recogniser.backend,
        "selftest_samples": len(model.selftest_scores),
        "shipped": candidate.is_shipped(),
        "signed_by": signer,
    }
    return candidate, found
