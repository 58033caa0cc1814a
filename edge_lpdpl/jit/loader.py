"""Load compiled kernels from a file of machine code, without the compiler: importing numba alone takes 0.3 s and 90 MB.

numba compiles the entries of a room once (`edge_lpdpl.jit.compiler`). The object file is kept under the digests of the
kernel sources and of the processor. Only root and this user can write there, because machine code is trusted. LLVM's
loader (llvmlite) puts it into memory, and each kernel is a C function of one address.

The package may ship such files for the processors of Raspberry Pis (`edge_lpdpl.jit.cross` makes them), so that even
the first start does not wait for the compiler. They are trusted like the package's own source.
"""

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from edge_lpdpl.files.atomic import replacing
from edge_lpdpl.files.locks import take_lock
from edge_lpdpl.files.text import Progress, remark
from edge_lpdpl.jit import store

Kernel = Callable[[Any], int]

_PATIENCE = 600.0
"""Seconds to wait for another process that compiles: a Zero 2 W takes minutes."""


@cache
def load_kernels(entries: store.Entries) -> dict[str, Kernel]:
    """The entries by name: from the file where there is one for this processor, else compiled, which takes seconds.

    They release the GIL and may run in several threads, with a record for each thread.

    Raises:
        ImportError: llvmlite is not installed, or numba, which has to compile.
    """
    if _is_on("NUMBA_DISABLE_JIT"):
        return _interpreted(entries)
    return _link(machine_code(entries), entries.names)


def machine_code(entries: store.Entries) -> bytes:
    """The object file, from the cache or the package, or compiled now and put into the cache.

    Raises:
        ImportError: llvmlite is not installed, or numba, which has to compile.
    """
    path = store.object_path(entries)
    shipped = store.shipped_path(entries, store.processor_name())
    code = _kept(path) or store.read_sealed(shipped)
    if code is not None:
        return code
    with _alone(path, entries.room):
        return _kept(path) or _compiled(entries, path)


def _kept(path: Path | None) -> bytes | None:
    """The object file in the cache."""
    return store.read_sealed(path, cached=True) if path else None


@contextlib.contextmanager
def _alone(path: Path | None, room: str) -> Iterator[None]:
    """Wait for a process that compiles the same kernels: two of them would take twice the memory, and no less time."""
    with contextlib.ExitStack() as held:
        if path:
            with contextlib.suppress(OSError):  # only root may change the folder, or the file system has no locks
                file = held.enter_context(path.with_suffix(".lock").open("ab"))
                if not take_lock(file.fileno()):
                    remark(f"another program compiles the kernels of {room}: waiting for it")
                    take_lock(file.fileno(), _PATIENCE)
        yield


def _compiled(entries: store.Entries, path: Path | None) -> bytes:
    """The object file, compiled now and put into the cache."""
    from edge_lpdpl.jit.compiler import emit

    with Progress(f"compiling the kernels of {entries.room}, once", minutes=True) as progress:
        code = emit(entries, progress)
    if path:
        with contextlib.suppress(OSError), replacing(path) as file:  # on a full disk it is compiled anew next time
            os.fchmod(file.fileno(), 0o644)  # or a generous umask would make it one that `read_sealed` refuses
            file.write(store.sealed(code))
    return code


def _interpreted(entries: store.Entries) -> dict[str, Kernel]:
    """The kernels as plain Python, for a debugger."""

    def interpreted(name: str) -> Kernel:
        run = np.errstate(over="ignore")(entries.function(name))  # words of bits wrap around
        return lambda address: int(run(address.value))

    return {name: interpreted(name) for name in entries.names}


def _link(code: bytes, names: tuple[str, ...]) -> dict[str, Kernel]:
    """Put machine code into memory, for as long as this process lasts."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.CDLL("libm.so.6")  # which has C's library behind it
    for name in store.EXTERNAL:
        llvm.add_symbol(name, _address(getattr(library, name)))
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    linker.add_object_file(llvm.ObjectFileRef.from_data(code))
    linker.finalize_object()
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    kernels: dict[str, Kernel] = {name: prototype(linker.get_function_address(store.PREFIX + name)) for name in names}
    _LINKED.append(linker)
    return {name: _checked(name, run) for name, run in kernels.items()} if _is_on("NUMBA_BOUNDSCHECK") else kernels


def _checked(name: str, run: Kernel) -> Kernel:
    """A kernel that was compiled with its indices checked: -1 means that one was outside of its array."""

    def checked(address: Any) -> int:
        answer = run(address)
        if answer < 0:
            raise IndexError(f"{name} reaches beyond an array")
        return answer

    return checked


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


_LINKED: list[object] = []
"""Linkers, kept alive because they own the memory of the code."""


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
