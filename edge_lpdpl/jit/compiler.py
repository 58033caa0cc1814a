"""Compile kernels with numba: one when Python first calls it, for tests and training, or a room's into an object file.

numba's cache notices a change in the file of a kernel, but not in the files of the kernels that it calls. So the cache
folder is named after a digest of all kernel sources.
"""

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba
from numba.core import config
from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.context import NRTContext
from numba.core.types import unliteral

from edge_lpdpl.jit.store import EXTERNAL, PREFIX, Entries, cache_folder

Function = TypeVar("Function", bound=Callable[..., object])

_FOLDER = cache_folder(to_write=True)  # numba refuses a folder that it can only read
_KERNELS: list[Any] = []
"""Every kernel of the modules that were imported; none where the JIT is switched off."""

LOWERED = 0.7
"""Share of the time that it takes to lower the kernels of a room. The rest optimises them."""

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
    with _unoptimised():
        for place, (name, kernel_of) in enumerate(zip(entries.names, functions, strict=True)):
            progress(LOWERED * place / len(functions))
            kernel_of.compile(types)
            compiled = kernel_of.overloads[types]
            libraries.append(compiled.library)
            text += _ENTRY.format(name=PREFIX + name, native=compiled.fndesc.llvm_func_name)
        progress(LOWERED)
        module = llvm.parse_assembly(text)
        codegen = libraries[0].codegen
        module.triple, module.data_layout = codegen._tm.triple, str(codegen._data_layout)
        for library in libraries:
            module.link_in(library._get_module_for_linking(), preserve=True)
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(PREFIX):
            function.linkage = "internal"  # or it would be kept even where it is compiled into its callers
    passes, builder = codegen._module_pass_manager()
    passes.run(module, builder)
    needed = {function.name for function in module.functions if function.is_declaration}
    if foreign := sorted(name for name in needed - set(EXTERNAL) if not name.startswith("llvm.")):
        raise RuntimeError(f"the kernels call {', '.join(foreign)}, which is not in C's library")
    code: bytes = codegen._tm.emit_object(module)
    return code


@contextlib.contextmanager
def _unoptimised() -> Iterator[None]:
    """Let numba lower kernels and do nothing else: `emit` optimises all of a room at once.

    numba would optimise each kernel, load it, and optimise it again in each of its callers; count the references to
    arrays at every slice, though those of an entry have no owner; wrap each kernel for Python and C; and compile it for
    each constant that it is called with. Such kernels cannot be called, so that all are forgotten afterwards: numba
    compiles those that Python calls anew. Other threads do not compile meanwhile.
    """
    template_for: Callable[..., Any] = Dispatcher.get_call_template
    plain: Callable[[Any], Any] = unliteral

    def without_constants(called: Any, arguments: Iterable[Any], named: Mapping[str, Any]) -> Any:
        return template_for(called, tuple(map(plain, arguments)), {name: plain(kind) for name, kind in named.items()})

    skipped: list[tuple[Any, str, Callable[..., Any]]] = [
        (CPUContext, "create_cpython_wrapper", _nothing),
        (CPUContext, "create_cfunc_wrapper", _nothing),
        (CPUContext, "get_executable", lambda *_: [].append),  # a new object each time, which tells kernels apart
        (CPUCodeLibrary, "_optimize_final_module", _nothing),
        (CPUCodeLibrary, "_finalize_final_module", lambda library: setattr(library, "_finalized", True)),
        (NRTContext, "incref", _nothing),
        (NRTContext, "decref", _nothing),
        (Dispatcher, "get_call_template", without_constants),
    ]
    with global_compiler_lock, _seldom_collected():
        kept = [(owner, name, getattr(owner, name)) for owner, name, _ in skipped]
        caches = [(one, one._cache) for one in _KERNELS]
        _forget_kernels()  # or the code would depend on what was called before
        try:
            for owner, name, replacement in skipped:
                setattr(owner, name, replacement)
            for one, _ in caches:
                one._cache = NullCache()
            yield
        finally:
            for owner, name, original in kept:
                setattr(owner, name, original)
            for one, cache in caches:
                one._cache = cache
            _forget_kernels()


@contextlib.contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for garbage seldom: numba makes millions of objects that stay, and looking takes a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(5000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _nothing(*_: object, **__: object) -> None:
    """Instead of a step of numba's."""


def _forget_kernels() -> None:
    """Like numba's `recompile`, without compiling. Bound kernels (`bind`) keep their code."""
    for one in _KERNELS:
        one._make_finalizer()()
        one._reset_overloads()
