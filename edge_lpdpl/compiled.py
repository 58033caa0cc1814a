"""Compile the kernels once, and keep them where only this user can write: numba's cache files are pickles.

A kernel calls kernels of other files, and numba notices a change only in the file of the one it loads; so the folder of
the cache is named after a digest of all kernel sources, and a kernel is never older than what it calls.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., object])

KERNEL_SOURCES = (
    *("workspace", "shrink", "opening", "paper", "binarise", "normalise", "octants", "hog", "classify", "pipeline"),
    *("locate.parts_table", "locate.limits", "locate.buffers", "locate.reduce", "locate.contrast", "locate.parts"),
    *("locate.numerals", "locate.lifting", "locate.kernels"),
)


def kernel_digest() -> str:
    """Twelve hexadecimal digits that change when any kernel source does.

    >>> len(kernel_digest())
    12
    """
    folder = Path(__file__).parent
    sources = b"".join((folder / f"{name.replace('.', '/')}.py").read_bytes() for name in (*KERNEL_SOURCES, "compiled"))
    return hashlib.sha256(sources).hexdigest()[:12]


def cache_folder() -> Path | None:
    """Folder of the compiled kernels, made with mode 0700, or None where none may be written.

    The first of `NUMBA_CACHE_DIR`, systemd's `CACHE_DIRECTORY`, `XDG_CACHE_HOME` and `~/.cache` that is set decides.
    """
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("CACHE_DIRECTORY")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edge-lpdpl"
    root = Path(base) if base else home
    folder = root / f"kernels-{kernel_digest()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    owned = folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & 0o022 == 0
    return folder if owned else None


_FOLDER = cache_folder()


def kernel(function: Function) -> Function:
    """Compile `function` at its first call, without reassociation, so that every machine computes the same bits.

    The GIL is released while a kernel runs: one recogniser a thread scales over cores.
    """
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(_FOLDER or "")
    try:
        compile_it: Any = numba.njit(
            cache=_FOLDER is not None, nogil=True, error_model="numpy", fastmath=False, boundscheck=False
        )
        compiled: Function = compile_it(function)
    finally:
        settings.CACHE_DIR = before
    _keep_if_possible(compiled)
    return compiled


def _keep_if_possible(compiled: Any) -> None:
    """On a full disk a kernel is compiled anew next time; numba alone would let the error end the program."""
    cache = getattr(compiled, "_cache", None)
    if cache is None:  # the JIT is switched off
        return
    save = cache.save_overload

    def save_overload(*arguments: object) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    cache.save_overload = save_overload


def bind(compiled: Any, *example: object) -> Callable[..., Any]:
    """`compiled` for arguments of exactly the types of `example`, without the search for types at every call.

    That search costs more than the classification it calls. It would also tell a read-only array from another and
    compile for both, in the middle of the work; a bound kernel takes either where it does not write.
    """
    if not hasattr(compiled, "overloads"):  # the JIT is switched off
        return compiled  # type: ignore[no-any-return]
    type_of: Any = numba.typeof
    types = tuple(type_of(value) for value in example)
    compiled.compile(types)
    entry: Callable[..., Any] = compiled.overloads[types].entry_point
    return entry
