"""Compile the kernels now, so that no picture waits for the compiler."""

import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import BackendError, ModelError
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.jit.store import cache_folder
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.model.files import read_model
from edge_lpdpl.number import finder
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page import searcher

_OLD = 30 * 24 * 3600  # seconds
_FOLDER_NAME = re.compile(r"kernels-[0-9a-f]{12}")


def warm(paths: Sequence[Path] | None = None) -> dict[str, Any]:
    """Load every model with the compiled kernels, which compiles them into the cache, and remove old caches.

    Args:
        paths: model files; the shipped ones when left out.

    Returns:
        the object that `edge-lpdpl warm --json` prints.

    Raises:
        BackendError: numba is not installed, or there is no folder for the compiled kernels.
        ModelError: a model cannot be read, or there is none.
    """
    start = time.perf_counter()
    paths = [shipped_model(name) for name in shipped_models()] if paths is None else paths
    if not paths:
        raise ModelError("there is no model to warm up; install the package again")
    folder = _kernel_folder()
    before = compiled_files(folder)
    models = [read_model(path) for path in paths]
    for model in models:  # their kernels come first: a training beside this, as in `make demo`, waits for them
        Recogniser(model, "numba")
    load_kernels(searcher.ENTRIES)
    load_kernels(finder.ENTRIES)
    return {
        "folder": str(folder),
        "models": [path.stem for path in paths],
        "compiled": len(compiled_files(folder) - before),
        "bytes": sum(file.stat().st_size for file in compiled_files(folder)),
        "pruned": [str(old) for old in prune(folder)],
        "seconds": round(time.perf_counter() - start, 3),
    }


def report(result: dict[str, Any]) -> str:
    """The result for people."""
    done = "compiled the kernels" if result["compiled"] else "the kernels were compiled already"
    lines = [f"{done}: {result['seconds']:.1f} s, for {', '.join(result['models'])}", f"kept in {result['folder']}"]
    return "\n".join(lines + [f"removed the old {folder}" for folder in result["pruned"]])


def compiled_files(folder: Path) -> set[Path]:
    """Files of machine code in a cache folder, one a processor."""
    return set(folder.glob("*.kernels"))


def prune(folder: Path) -> list[Path]:
    """Remove the caches of other versions beside `folder` that are older than 30 days; returns them.

    Only folders with the names that this program gives, and no links.
    """
    return [other for other in sorted(folder.parent.iterdir()) if other != folder and _is_old(other) and _remove(other)]


def _kernel_folder() -> Path:
    try:
        import llvmlite  # noqa: F401
    except ImportError as error:
        raise BackendError(f"llvmlite cannot be imported ({error}): install numba, which brings it") from None
    folder = cache_folder(to_write=True)
    if folder is None:
        remedy = "set XDG_CACHE_HOME to a safe one; see edge-lpdpl doctor"
        raise BackendError(f"there is no folder for the compiled kernels: {remedy}")
    return folder


def _is_old(folder: Path) -> bool:
    if not _FOLDER_NAME.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
        return False
    newest = max(entry.lstat().st_mtime for entry in (folder, *folder.rglob("*")))
    return time.time() - newest > _OLD


def _remove(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
