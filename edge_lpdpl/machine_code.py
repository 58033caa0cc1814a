"""The compiled kernels as a file of machine code, which loads without the compiler: numba alone is 0.3 s and 90 MB.

numba compiles the entries once (`edge_lpdpl.compiled`). The object file is kept under the digests of the
kernel sources and of the processor it is for, where only this user can write, because machine code is believed. LLVM's
loader (llvmlite) puts it into memory, and each kernel is a C function of one address.

The package may bring such files for the processors of Raspberry Pis (`edge_lpdpl.cross` makes them), so that not even
the first start waits for the compiler. They are believed as the package's own source is.
"""

import contextlib
import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from edge_lpdpl.atomic import write_atomically
from edge_lpdpl.kernel_sources import kernel_digest

ENTRIES = {
    **dict.fromkeys(
        ("recognise", "find_ink", "fit_square", "describe_square", "classify_features", "read_square"), "pipeline"
    ),
    **dict.fromkeys(("search_page", "lift_numeral"), "locate.kernels"),
}
"""Kernels that Python calls, and their modules; each takes the address of a record, of `edge_lpdpl.state` or of
`edge_lpdpl.locate.state`."""

PREFIX = "edge_lpdpl_"
"""Before the name of an entry in the file."""

EXTERNAL = ("fmaf", "memcpy", "memmove", "memset", "pow", "powf", "sqrt", "sqrtf")
"""What machine code may call, all of it from C's library."""

SHIPPED = Path(__file__).parent / "kernels"
"""Where the package has files of machine code, if any."""

Kernel = Callable[[Any], int]


def cache_folder() -> Path | None:
    """Folder of the compiled kernels, made with mode 0700, or None where none may be written.

    The first of `NUMBA_CACHE_DIR`, systemd's `CACHE_DIRECTORY`, `XDG_CACHE_HOME` and `~/.cache` that is set decides.
    """
    root = _cache_root()
    if root is None:
        return None
    folder = root / f"kernels-{kernel_digest()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    owned = folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & 0o022 == 0
    return folder if owned else None


def _cache_root() -> Path | None:
    if base := os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("CACHE_DIRECTORY"):
        return Path(base)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edge-lpdpl"
    except RuntimeError:  # a user without a home directory
        return None


def object_path() -> Path | None:
    """Where the machine code for this processor is, or for the one that numba is told to compile for; None: nowhere.

    Raises:
        ImportError: llvmlite is not installed.
    """
    import llvmlite.binding as llvm

    folder = cache_folder()
    if folder is None:
        return None
    processor = processor_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:  # empty is a choice, too: no more than every processor of that name has
        features = llvm.get_host_cpu_features().flatten()
    target = " ".join((llvm.get_process_triple(), processor, features))
    return folder / f"{processor}-{hashlib.sha256(target.encode()).hexdigest()[:12]}.kernels"


def processor_name() -> str:
    """What LLVM calls this processor, or the one that numba is told to compile for.

    Raises:
        ImportError: llvmlite is not installed.
    """
    import llvmlite.binding as llvm

    name: str = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    return name


def shipped_path(processor: str, folder: Path | None = None) -> Path:
    """Where the package has the machine code for a processor, if it has; for these very sources only."""
    return (folder or SHIPPED) / f"{processor}-{kernel_digest()}.kernels"


@cache
def load_kernels() -> dict[str, Kernel]:
    """The entries by name: from the file where there is one for this processor, else compiled, which takes seconds.

    They release the GIL while they run and may run in several threads, on a record each.

    Raises:
        ImportError: llvmlite is not installed, or numba, which has to compile.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return _interpreted()
    return _link(machine_code())


def machine_code() -> bytes:
    """The object file, from the cache or the package, or compiled now and put into the cache.

    Raises:
        ImportError: llvmlite is not installed, or numba, which has to compile.
    """
    path = object_path()
    code = (_read(path) if path else None) or _read(shipped_path(processor_name()))
    if code is None:
        from edge_lpdpl.compiled import emit

        code = emit()
        if path:
            with contextlib.suppress(OSError):  # on a full disk it is compiled anew next time
                write_atomically(path, sealed(code))
    return code


def _interpreted() -> dict[str, Kernel]:
    """The kernels as plain Python, for a debugger."""

    def interpreted(name: str) -> Kernel:
        run = entry(name)
        return lambda state: int(run(state.value))

    return {name: interpreted(name) for name in ENTRIES}


def entry(name: str) -> Any:
    """One of the entries, as numba sees it."""
    return getattr(import_module(f"edge_lpdpl.{ENTRIES[name]}"), name)


def sealed(code: bytes) -> bytes:
    """What a file holds: the machine code behind its digest, which tells a damaged one."""
    return hashlib.sha256(code).digest() + code


def _read(path: Path) -> bytes | None:
    """The machine code in a file, None where it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[hashlib.sha256().digest_size :]
    return code if sealed(code) == content else None


def _link(code: bytes) -> dict[str, Kernel]:
    """Put machine code into memory, for as long as this process lasts."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.CDLL("libm.so.6")  # which has C's library behind it
    for name in EXTERNAL:
        llvm.add_symbol(name, _address(getattr(library, name)))
    # Nothing that a kernel works on is counted, so this is never called.
    llvm.add_symbol("NRT_MemInfo_call_dtor", _address(library.abort))
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    linker.add_object_file(llvm.ObjectFileRef.from_data(code))
    linker.finalize_object()
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    kernels: dict[str, Kernel] = {name: prototype(linker.get_function_address(PREFIX + name)) for name in ENTRIES}
    _LINKED.append(linker)
    return kernels


_LINKED: list[object] = []
"""What has to stay alive because it owns the memory."""


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
