"""Where machine code lies: the cache, the files that the package ships, and the digest of the kernel sources.

    python3 -I edge_lpdpl/jit/store.py

prints the digest. That needs nothing but Python, so a script that packs machine code can check its sources.
"""

import hashlib
import os
import stat
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PREFIX = "edge_lpdpl_"
"""Prefix of the names of entries in an object file."""

EXTERNAL = ("exp", "fmaf", "log", "memcpy", "memmove", "memset", "pow", "powf", "sqrt", "sqrtf")
"""Functions that machine code may call, all of them from C's library."""

SHIPPED = Path(__file__).parent / "shipped_kernels"
"""Folder of the machine code that comes with the package, if any."""

_PACKAGE = Path(__file__).parents[1]


class Entries(NamedTuple):
    """The kernels that one room calls from Python. Each takes the address of a record (`edge_lpdpl.jit.record`).

    >>> Entries("edge_lpdpl.page.kernels.entries", ("search_page", "lift_group")).room
    'page'
    """

    module: str
    """Dotted name of the module that defines them. Importing it imports numba."""
    names: tuple[str, ...]

    @property
    def room(self) -> str:
        """Name of the room that calls them, which is part of the file's name."""
        return self.module.split(".")[1]

    def function(self, name: str) -> Any:
        """One of the kernels, as numba sees it."""
        return getattr(import_module(self.module), name)


def kernel_sources() -> list[Path]:
    """Files whose change may change machine code: those of `jit`, of each room with kernels, and what they all share.

    >>> [path.name for path in kernel_sources()][:2]
    ['grey.py', '__init__.py']
    """
    rooms = sorted(folder.parent for folder in _PACKAGE.glob("*/kernels"))
    folders = [_PACKAGE / "jit", *(folder for room in rooms for folder in (room, *sorted(room.glob("kernels/**"))))]
    found = (path for folder in folders for path in sorted(folder.glob("*.py")))
    return [_PACKAGE / "files/grey.py", *found, _PACKAGE / "model/settings.py"]


def kernel_digest() -> str:
    """Twelve hexadecimal digits that change when any kernel source does.

    >>> len(kernel_digest())
    12
    """
    return hashlib.sha256(b"".join(path.read_bytes() for path in kernel_sources())).hexdigest()[:12]


def cache_folder(to_write: bool = False) -> Path | None:
    """Folder of the compiled kernels, made where it is missing, or None where somebody else might change them.

    The first of `NUMBA_CACHE_DIR`, systemd's `CACHE_DIRECTORY`, `XDG_CACHE_HOME` and `~/.cache` that is set decides. It
    and each folder above it belong to root or this user, and nobody else can write to them, as OpenSSH asks of a home.

    Args:
        to_write: None as well where this user cannot write: a service may run what root compiled for it.
    """
    root = _cache_root()
    if root is None:
        return None
    folder = Path(os.path.realpath(root), f"kernels-{kernel_digest()}")
    try:
        # From the top: below a folder that is safe, nobody can exchange the next one after it was checked.
        for path in (*reversed(folder.parents), folder):
            if not os.path.lexists(path):
                path.mkdir(0o755 if os.geteuid() == 0 else 0o700)
            if not _is_safe(path.lstat(), sticky=path != folder):
                return None
    except OSError:
        return None
    return folder if not to_write or os.access(folder, os.W_OK, effective_ids=True) else None


def _is_safe(state: os.stat_result, sticky: bool = False) -> bool:
    """Whether only root and this user can change a file or folder, or what is theirs in a `sticky` folder."""
    shared = state.st_mode & 0o022 and not (sticky and state.st_mode & stat.S_ISVTX)
    return state.st_uid in (0, os.geteuid()) and not shared and not stat.S_ISLNK(state.st_mode)


def _cache_root() -> Path | None:
    named = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("CACHE_DIRECTORY", "").partition(":")[0]
    if named:
        return Path(named)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edge-lpdpl"
    except RuntimeError:  # a user without a home directory
        return None


def object_path(entries: Entries) -> Path | None:
    """File in the cache for these entries and this processor, or the one that numba compiles for; None without a cache.

    Raises:
        ImportError: llvmlite is not installed.
    """
    import llvmlite.binding as llvm

    folder = cache_folder()
    if folder is None:
        return None
    processor = processor_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:  # empty counts: only what every processor of that name has
        features = llvm.get_host_cpu_features().flatten()
    target = " ".join((llvm.get_process_triple(), processor, features))
    return folder / f"{entries.room}-{processor}-{hashlib.sha256(target.encode()).hexdigest()[:12]}.kernels"


def processor_name() -> str:
    """LLVM's name of this processor, or of the one that numba is told to compile for.

    Raises:
        ImportError: llvmlite is not installed.
    """
    import llvmlite.binding as llvm

    return os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()


def shipped_path(entries: Entries, processor: str, folder: Path | None = None) -> Path:
    """File of the package for these entries and a processor, if it has one; valid for these very sources only."""
    return (folder or SHIPPED) / f"{entries.room}-{processor}-{kernel_digest()}.kernels"


def sealed(code: bytes) -> bytes:
    """Content of a file: the machine code behind its digest, which exposes a damaged file."""
    return hashlib.sha256(code).digest() + code


def read_sealed(path: Path, cached: bool = False) -> bytes | None:
    """The machine code in a file, None where it is missing or damaged.

    Args:
        cached: None as well where it is a link, or somebody else can change it.
    """
    try:
        with open(path, "rb", opener=_open_safe if cached else None) as file:
            content = file.read()
    except OSError:
        return None
    code = content[hashlib.sha256().digest_size :]
    return code if sealed(code) == content else None


def _open_safe(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe would make it wait
    if not _is_safe(os.fstat(handle)):
        os.close(handle)
        raise PermissionError
    return handle


if __name__ == "__main__":
    print(kernel_digest())
