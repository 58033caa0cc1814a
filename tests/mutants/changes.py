"""One small change of a source file at a time, made by cosmic-ray and imported instead of the file.

An operator becomes its opposite, a comparison moves its bound or turns round, a number grows or shrinks by 1, a
condition is negated, a loop does not run. cosmic-ray would also put every other operator in its place, but most of
those raise an error at once (`>>` of floats), so that any test kills them and the share of the killed says nothing.
Left out as well is what no run of the program can see, and what is no behaviour:
- annotations;
- decorators of kernels, which do nothing in plain Python;
- numbers inside f-strings: how many characters of a wrong text a message shows;
- `strict` of `zip`, which asserts what always holds.
cosmic-ray changes no texts, so messages and docstrings are left alone.
"""

import ast
import difflib
import importlib.abc
import importlib.machinery
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

PROJECT = Path(__file__).parents[2]
ROOMS = ("train_host/method", "edge_lpdpl/numeral", "edge_lpdpl/model")
PLAIN_PYTHON = ("numeral/kernels/", "numeral/buffers.py", "numeral/record.py", "numeral/taught.py")
"""What numba compiles."""
OPERATORS = {
    "BinaryOperator": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_FloorDiv Pow_Mul "
    "RShift_LShift LShift_RShift BitOr_BitAnd BitAnd_BitOr BitXor_BitAnd",
    "ComparisonOperator": "Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is",
    "UnaryOperator": "Delete_USub Delete_Not Delete_Invert",
}
"""Of those that cosmic-ray has, what an operator becomes."""
OTHERS = (
    "AddNot NumberReplacer ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd "
    "ReplaceBreakWithContinue ReplaceContinueWithBreak ZeroIterationForLoop RemoveDecorator ExceptionReplacer"
)
Place = tuple[int, int]


def operator_names() -> list[str]:
    names = [f"Replace{kind}_{change}" for kind, changes in OPERATORS.items() for change in changes.split()]
    return [f"core/{name}" for name in (*names, *OTHERS.split())]


class Mutant(NamedTuple):
    """One change of one file."""

    file: str
    operator: str
    occurrence: int
    line: int

    def text(self) -> str:
        source = (PROJECT / self.file).read_text()
        changed: str = mutate_code(source, cosmic_ray.plugins.get_operator(self.operator)(), self.occurrence)
        return changed

    def difference(self) -> str:
        lines = difflib.unified_diff(
            (PROJECT / self.file).read_text().splitlines(), self.text().splitlines(), n=0, lineterm=""
        )
        return "\n".join(line for line in lines if line[:3] not in ("---", "+++"))


def mutants(room: str) -> list[Mutant]:
    """All changes of the modules of a room that are not left out."""
    found = []
    for path in sorted((PROJECT / room).rglob("*.py")):
        source, file = path.read_text(), str(path.relative_to(PROJECT))
        tree = ast.parse(re.sub(r"[^\x00-\x7f]", "x", source))  # ast counts bytes, cosmic-ray characters
        unseen = list(_unseen(tree, is_compiled(file)))
        shown = list(_spans(node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)))
        nodes = list(ast_nodes(get_ast(source)))
        for name in operator_names():
            operator = cosmic_ray.plugins.get_operator(name)()
            places = [begin for node in nodes for begin, _ in operator.mutation_positions(node)]
            spared = unseen + (shown if name.endswith("NumberReplacer") else [])
            for occurrence, place in enumerate(places):
                if not any(first <= place < last for first, last in spared):
                    found.append(Mutant(file, name, occurrence, place[0]))
    return found


def _unseen(tree: ast.AST, compiled: bool) -> Iterator[tuple[Place, Place]]:
    """Where that begins and ends which no run can see."""
    for node in ast.walk(tree):
        yield from _spans(getattr(node, name, None) for name in ("annotation", "returns"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            yield from _spans(keyword.value for keyword in node.keywords if keyword.arg == "strict")
        if compiled:
            yield from _spans(getattr(node, "decorator_list", ()))


def _spans(nodes: Iterable[Any]) -> Iterator[tuple[Place, Place]]:
    """Where nodes begin and end. A decorator begins at its @, as cosmic-ray has it."""
    for node in nodes:
        if node:
            yield (node.lineno, node.col_offset - 1), (node.end_lineno, node.end_col_offset)


def is_compiled(file: str) -> bool:
    return any(part in file for part in PLAIN_PYTHON)


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a changed text instead of a file; nothing of it is kept as bytecode."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, the changed one."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.loader = Changed(self.name, str(PROJECT / mutant.file), mutant.text())

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.loader.path, loader=self.loader)
