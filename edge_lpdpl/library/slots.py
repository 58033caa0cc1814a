"""Installed models: two slots, and two pointers that say which slot is used and which one is known to be good.

    slots/a/model.safetensors   slots/b/model.safetensors   slots/current -> a or b   slots/good -> a or b

The signature of a model is beside it, as `model.safetensors.sig`. A model is written into the slot that nothing needs
and is tested there before `current` is switched, so a power cut at any moment leaves the old model or the new one. The
service says with one word in its own folder that it has read a frame with a model; `good` follows only then. The folder
is root's, and the service writes nothing into it.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ModelError, ServiceError
from edge_lpdpl.files.atomic import link_atomically, make_folder, sync_folder, write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.library.models import verify_model
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.library.trust import Candidate, read_candidate, signature_path
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model, describe

STATE_FOLDER = Path("/var/lib/edge-lpdpl")
RUNTIME_FOLDER = Path("/run/edge-lpdpl")

SLOTS = ("a", "b")
CURRENT, GOOD = "current", "good"
_FILE = "model.safetensors"
_WORD = "reads-with"
_LONGEST_WORD = 100  # bytes; a digest has 71
_STEP = 0.2  # seconds between two looks at the word

Facts = dict[str, Any]
"""What a command prints as JSON."""


def installed_models(folder: Path = STATE_FOLDER) -> list[Path]:
    """Files of installed models, the best one first: the current one, the good one, one from before there were slots.

    A pointer to a damaged slot or to nothing counts: reading its file says what is wrong.

    >>> installed_models(Path("/nowhere"))
    []
    """
    places = [folder / "slots" / CURRENT, folder / "slots" / GOOD, folder / _FILE]
    if _pointed(folder, CURRENT) == _pointed(folder, GOOD) is not None:
        del places[1]
    return [place if place.suffix else place / _FILE for place in places if os.path.lexists(place)]


def list_models(folder: Path = STATE_FOLDER) -> list[Facts]:
    """The output of `edge-lpdpl model list --json`: shipped models, and those in the slots.

    >>> [one["name"] for one in list_models(Path("/nowhere"))]
    ['arabic10', 'cheque15', 'chinese15', 'latin10']
    """
    listed = [(shipped_model(name), "shipped") for name in shipped_models()]
    for slot in SLOTS:
        path = folder / "slots" / slot / _FILE
        if os.path.lexists(path):
            roles = [role for role in (CURRENT, GOOD) if _pointed(folder, role) == slot]
            listed.append((path, " and ".join(["installed", *roles])))
    return [_listed(path, where) for path, where in listed]


def _listed(path: Path, where: str) -> Facts:
    facts: Facts = {"name": None, "reads": None, "profile": None, "digest": None}
    try:
        model = describe(read_model(path))
    except ModelError as error:
        return {**facts, "where": where, "file": str(path), "problem": str(error)}
    facts = {
        "name": model["name"],
        "reads": "".join(label for label, _ in model["labels"]),
        "profile": model["profile"],
    }
    return {**facts, "digest": model["digest"], "where": where, "file": str(path), "problem": None}


def install_model(
    path: Path, folder: Path = STATE_FOLDER, backend: str = "auto", stage: bool = False, trust: str = "any"
) -> Facts:
    """Verify a model, write it into the slot that nothing needs, test it there, and switch to it.

    Args:
        folder: of the slots.
        stage: do not switch; the same call without it does.
        trust: which models may be installed, see `edge_lpdpl.library.trust.check_trust`.

    Returns:
        the output of `edge-lpdpl model install --json`.

    Raises:
        ModelError: the model fails its checks or is not trusted, or the disk fails; says whether it was switched.
        BackendError: the backend is not available.
    """
    candidate, found = verify_model(path, backend, trust)
    current = _pointed(folder, CURRENT)
    with _telling(folder):
        if changed := current is None or not _holds(folder, current, candidate):
            _adopt_word(folder)
            slot = _free_slot(folder)
            _fill(folder, slot, candidate)
            verify_model(_file(folder, slot), backend, trust)
        else:
            slot = current
        sync_folder(folder / "slots" / slot)  # an installation that was killed may have left this out
        if not stage:
            link_atomically(folder / "slots" / CURRENT, slot)
    return found | {"installed": str(_file(folder, slot)), "slot": slot, "changed": changed, "staged": stage}


def confirm_model(folder: Path = STATE_FOLDER, patience: float = 0.0) -> Facts:
    """Make the current slot the good one, once the service says that it reads with the model in it.

    Args:
        patience: seconds to wait for the service.

    Returns:
        the output of `edge-lpdpl model confirm --json`.

    Raises:
        ServiceError: the service does not say so in time, or no model is installed.
        ModelError: the disk fails.
    """
    end = time.monotonic() + patience
    with _telling(folder):
        while not _adopt_word(folder):
            if time.monotonic() >= end:
                wrong = "the service does not read with the installed model"
                raise ServiceError(f"{wrong}; see journalctl -u edge-lpdpl, or go back: edge-lpdpl model rollback")
            time.sleep(_STEP)
    return {"slot": _pointed(folder, CURRENT)}


def roll_back(folder: Path = STATE_FOLDER) -> Facts:
    """Point back to the good slot; where there is none, to what was used before there were slots, or to nothing.

    Returns:
        the output of `edge-lpdpl model rollback --json`; `slot` is None where the service reads with another model.

    Raises:
        ModelError: the disk fails.
    """
    good = _pointed(folder, GOOD)
    with _telling(folder):
        if good is not None:
            link_atomically(folder / "slots" / CURRENT, good)
        elif os.path.lexists(folder / "slots" / CURRENT):
            (folder / "slots" / CURRENT).unlink()
            sync_folder(folder / "slots")
    return {"slot": good}


def on_trial(path: Path, folder: Path = STATE_FOLDER) -> bool:
    """Whether an installed model is the current one and not known to be good."""
    return path == _file(folder, CURRENT) and _pointed(folder, CURRENT) != _pointed(folder, GOOD)


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of installed models: the first in $STATE_DIRECTORY, or `STATE_FOLDER`."""
    return Path(environment.get("STATE_DIRECTORY", "").partition(":")[0] or STATE_FOLDER)


def word_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where the service writes the digest of each model that it has read a frame with; None outside of a unit."""
    folder = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(folder, _WORD) if folder else None


def _adopt_word(folder: Path) -> bool:
    """Make the current slot the good one if the service reads with it."""
    current, model = _pointed(folder, CURRENT), _model_in(folder, CURRENT)
    if current is None or model is None or _word() != model.digest.encode():
        return False
    if _pointed(folder, GOOD) != current:
        link_atomically(folder / "slots" / GOOD, current)
    return True


def _word() -> bytes:
    """What the service says. It may put anything into its folder: no link is followed there."""
    try:
        return read_regular(RUNTIME_FOLDER / _WORD, _LONGEST_WORD, ServiceError, os.O_NOFOLLOW)
    except ServiceError:
        return b""


def _pointed(folder: Path, name: str) -> str | None:
    """The slot that a pointer names, None where it names none."""
    try:
        slot = os.readlink(folder / "slots" / name)
    except OSError:
        return None
    return slot if slot in SLOTS else None


def _file(folder: Path, slot: str) -> Path:
    return folder / "slots" / slot / _FILE


def _model_in(folder: Path, slot: str) -> Model | None:
    """The model in a slot, or where a pointer points to; None where there is no valid one."""
    try:
        return read_model(_file(folder, slot))
    except ModelError:
        return None


def _free_slot(folder: Path) -> str:
    """A slot that nothing points to.

    If both are pointed to, the current one was never confirmed: the good one becomes the current one.
    """
    current, good = _pointed(folder, CURRENT), _pointed(folder, GOOD)
    if good is None or _model_in(folder, GOOD) is None:
        return SLOTS[current == SLOTS[0]]
    if current != good:
        link_atomically(folder / "slots" / CURRENT, good)
    return SLOTS[good == SLOTS[0]]


def _holds(folder: Path, slot: str, candidate: Candidate) -> bool:
    """Whether a slot holds this model with this signature."""
    try:
        return read_candidate(_file(folder, slot))[1:] == candidate[1:]
    except ModelError:
        return False


def _fill(folder: Path, slot: str, candidate: Candidate) -> None:
    """Write a model as it is into a slot, and remove what an interrupted installation left."""
    for missing in (folder, folder / "slots", folder / "slots" / slot):
        make_folder(missing)
    for left in [*(folder / "slots").glob(".*.part"), *(folder / "slots" / slot).glob(".*.part")]:
        left.unlink()
    if _holds(folder, slot, candidate):
        return
    signature = signature_path(_file(folder, slot))
    signature.unlink(missing_ok=True)
    write_atomically(_file(folder, slot), candidate.data)
    if candidate.signature is not None:
        write_atomically(signature, candidate.signature)


@contextlib.contextmanager
def _telling(folder: Path) -> Iterator[None]:
    """Say with an error which slot is current after it."""
    before = _pointed(folder, CURRENT)
    try:
        yield
    except (OSError, ModelError) as error:
        fault = str(error)
        if isinstance(error, OSError):
            fault = f"{printable(str(folder))}: cannot be written ({error.strerror}); use sudo, or --to another folder"
        now = _pointed(folder, CURRENT)
        since = ", as before" if now == before else " now, but a power cut may undo that"
        raise ModelError(f"{fault}; {f'slot {now}' if now else 'no slot'} is current{since}") from error
