"""Compile kernels with numba: one when Python first calls it, for tests and training, or a room's into an object file.

numba's cache notices a change in the file of a kernel, but not in the files of the kernels that it calls. So the cache
folder is named after a digest of all kernel sources.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext

from edge_lpdpl.jit.store import EXTERNAL, PREFIX, Entries, cache_folder

Function = TypeVar("Function", bound=Callable[..., object])

_FOLDER = cache_folder(to_write=True)  # numba refuses a folder that it can only read
_KERNELS: list[Any] = []
"""Every kernel of the modules that were imported; none where the JIT is switched off."""

_ENTRY = """
declare i32 @{native}(ptr, ptr, i64)

define i64 @{name}(i64 %state) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @{native}(ptr %result, ptr %error, i64 %state)
  %failed = icmp ne i32 %status, 0
  %value = load i64, ptr %result
  %answer = select i1 %failed, i64 -1, i64 %value
  ret i64 %answer
}}
"""
"""A C function that calls one of numba's. That returns its result through the first argument, and its status."""

_COUNTING = re.compile(r"^.*call void @NRT_(?:in|de)cref\(.*\n", re.MULTILINE)
"""Calls of numba's reference counting, one at every slice. The arrays of an entry have no owner, so these calls have no
effect."""


def kernel(function: Function, inline: bool = False) -> Function:
    """Compile `function` at its first call, without reassociation, so that every machine computes the same bits.

    The GIL is released while a kernel runs: one recogniser a thread scales over cores.

    Args:
        inline: compile it into its callers, because the step is so short that passing its arrays costs as much.
    """
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(_FOLDER or "")
    try:
        compile_it: Any = numba.njit(
            cache=_FOLDER is not None, nogil=True, error_model="numpy", fastmath=False, forceinline=inline
        )
        compiled: Function = compile_it(function)
    finally:
        settings.CACHE_DIR = before
    if hasattr(compiled, "overloads"):  # else the JIT is switched off
        _KERNELS.append(compiled)
        _keep_if_possible(compiled)
    return compiled


inlined = partial(kernel, inline=True)


def _keep_if_possible(compiled: Any) -> None:
    """Ignore a full disk when a kernel is cached: it is compiled again next time. numba would raise the error."""
    cache = compiled._cache
    save = cache.save_overload

    def save_overload(*arguments: object) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    cache.save_overload = save_overload


def bind(compiled: Any, *example: object) -> Callable[..., Any]:
    """The machine code for arguments of the types of `example`, without numba's dispatch at every call.

    The dispatch costs more than a classification. It also compiles again for a read-only array, in the middle of the
    work; a bound kernel takes either kind where it does not write.
    """
    if not hasattr(compiled, "overloads"):  # the JIT is switched off
        return compiled  # type: ignore[no-any-return]
    type_of: Any = numba.typeof
    types = tuple(type_of(value) for value in example)
    compiled.compile(types)
    entry: Callable[..., Any] = compiled.overloads[types].entry_point
    return entry


def emit(entries: Entries, progress: Callable[[float], None] = lambda share: None) -> bytes:
    """The entries of a room as an object file, for the processor that numba compiles for.

    Args:
        progress: told the share that is compiled, which takes seconds a kernel.

    Raises:
        RuntimeError: a kernel calls something that is not in C's library.
    """
    types: Any = (numba.int64,)
    libraries, text = [], ""
    functions = [entries.function(name) for name in entries.names]  # all kernels are known before they are forgotten
    with _without_loading():
        for place, (name, kernel_of) in enumerate(zip(entries.names, functions, strict=True)):
            progress(place / len(entries.names))
            kernel_of.compile(types)
            compiled = kernel_of.overloads[types]
            libraries.append(compiled.library)
            text += _ENTRY.format(name=PREFIX + name, native=compiled.fndesc.llvm_func_name)
        module = llvm.parse_assembly(text)
        codegen = libraries[0].codegen
        module.triple, module.data_layout = codegen._tm.triple, str(codegen._data_layout)
        for library in libraries:
            module.link_in(library._get_module_for_linking(), preserve=True)
    module = llvm.parse_assembly(_COUNTING.sub("", str(module)))
    needed = {function.name for function in module.functions if function.is_declaration}
    known = {*EXTERNAL, "NRT_MemInfo_call_dtor"}
    if foreign := sorted(name for name in needed - known if not name.startswith("llvm.")):
        raise RuntimeError(f"the kernels call {', '.join(foreign)}, which is not in C's library")
    code: bytes = codegen._tm.emit_object(module)
    return code


@contextlib.contextmanager
def _without_loading() -> Iterator[None]:
    """Skip what only callers in this process need: wrappers for Python and C, loading each kernel, and numba's cache.

    That takes half of the time. Such kernels cannot be called, so that all are forgotten afterwards: numba compiles
    those that Python calls anew. Other threads do not compile meanwhile.
    """
    context: Any = CPUContext
    skipped: dict[str, Callable[..., Any]] = {
        "create_cpython_wrapper": lambda *_, **__: None,
        "create_cfunc_wrapper": lambda *_, **__: None,
        "get_executable": lambda *_: [].append,  # a new object each time, by which numba tells kernels apart
    }
    with global_compiler_lock:
        kept = {name: getattr(context, name) for name in skipped}
        caches = [(one, one._cache) for one in _KERNELS]
        _forget_kernels()  # or the code would depend on what was called before
        try:
            for name, replacement in skipped.items():
                setattr(context, name, replacement)
            for one, _ in caches:
                one._cache = NullCache()
            yield
        finally:
            for name, original in kept.items():
                setattr(context, name, original)
            for one, cache in caches:
                one._cache = cache
            _forget_kernels()


def _forget_kernels() -> None:
    """Like numba's `recompile`, without compiling. Bound kernels (`bind`) keep their code."""
    for one in _KERNELS:
        one._make_finalizer()()
        one._reset_overloads()
