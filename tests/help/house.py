"""The rules of the house, read from its sources: floors, circles, sizes. Each rule returns what breaks it.

A room is a folder directly in the package; a module there, such as `errors.py`, counts as a room too.
"""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = "edge_lpdpl"
FLOORS = (
    *("commands", "web", "drawing", "measure", "live", "form", "number", "page"),
    *("library", "numeral", "model", "jit", "files", "errors"),
)
"""From the top. A room imports only rooms that come later in this list."""
TRAINER_FLOORS = (
    *("commands", "lines", "report", "compare", "shipping", "rejection", "baselines", "training", "samples"),
    *("recipe", "method", "scenes", "splits", "datasets", "synthetic", "progress"),
)
"""The same for `train_host`."""
MOST_ENTRIES, MOST_MODULES, MOST_LINES = 15, 10, 5
BY_NAME = {f"{PACKAGE}.jit.store", f"{PACKAGE}.jit.cross", f"{PACKAGE}.number.constraints"}
"""The only modules that import a module by its name, which the caller hands to them."""
_PUBLIC_NAME = re.compile(r"'(\w+)': '[\w.]+'")
"""An entry of the table of public names in the front door."""
_IMPORTERS = {"import_module", "__import__", "run_module"}


class House:
    """The modules of the package in `folder`, and what each one imports."""

    def __init__(self, folder: Path, floors: tuple[str, ...] = FLOORS) -> None:
        self.folder, self.package, self.floors = folder, folder.name, floors
        self.trees: dict[str, ast.Module] = {}
        """Source of every module, by its dotted name."""
        self.rooms: set[str] = set()
        """Dotted names of the folders."""
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join((self.package, *parts)).removesuffix(".__init__")
            self.trees[name] = ast.parse(file.read_text(), str(file))
            if file.name == "__init__.py":
                self.rooms.add(name)

    def imported(self, module: str) -> Iterator[str]:
        """Full names of what a module imports, inside of functions too: `edge_lpdpl.errors.EdgeError`, `numpy`."""
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (f"{self._source(module, node)}.{alias.name}" for alias in node.names)

    def _source(self, module: str, node: ast.ImportFrom) -> str:
        """What `from ... import` names, relative names resolved."""
        if not node.level:
            return node.module or ""
        parts = (module if module in self.rooms else module.rpartition(".")[0]).split(".")
        return ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])

    def named(self, module: str) -> Iterator[str]:
        """Names of modules of the package in the strings of a module, docstrings left out."""
        inside = re.compile(rf"\b{self.package}(?:\.\w+)+")
        texts = {id(node.value) for node in ast.walk(self.trees[module]) if isinstance(node, ast.Expr)}
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                yield from inside.findall(node.value)

    @cached_property
    def arrows(self) -> dict[str, set[str]]:
        """For every module the modules that it imports or names. The front door is left out: it leads everywhere."""
        return {
            module: {self._nearest(name) for name in (*self.imported(module), *self.named(module))} - {"", module}
            for module in self.trees
            if module not in (self.package, f"{self.package}.__main__")
        }

    def _nearest(self, name: str) -> str:
        """The module of the package that a name is, or that holds it; nothing where that is no module of a room."""
        while name and name not in self.trees:
            name = name.rpartition(".")[0]
        return "" if name == self.package else name


def room_of(module: str) -> str:
    return module.split(".")[1]


def without_a_floor(house: House) -> list[str]:
    return sorted({room_of(module) for module in house.arrows} - set(house.floors))


def upward_imports(house: House) -> list[str]:
    """Imports, or names, of a room on a floor above. Rooms without a floor are on the lowest."""
    floor = {room: place for place, room in enumerate(house.floors)}
    return sorted(
        f"{module} -> {other}"
        for module, others in house.arrows.items()
        for other in others
        if floor.get(room_of(other), len(floor)) < floor.get(room_of(module), len(floor))
    )


def circle(house: House) -> list[str]:
    """The modules of one circle of imports and names, if there is one."""
    try:
        TopologicalSorter(house.arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def names_from_the_front_door(house: House) -> list[str]:
    """What modules take from `edge_lpdpl/__init__.py`, which would hide the room that it comes from."""
    public = {PACKAGE} | {f"{PACKAGE}.{name}" for name in _PUBLIC_NAME.findall(ast.unparse(house.trees[PACKAGE]))}
    return sorted(f"{module} -> {name}" for module in house.arrows for name in house.imported(module) if name in public)


def imports_by_name(house: House) -> list[str]:
    """Modules that import by name, and may not."""
    return sorted(
        module
        for module in house.arrows.keys() - BY_NAME
        for node in ast.walk(house.trees[module])
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _IMPORTERS
    )


def imports_of_the_trainer(house: House) -> list[str]:
    return sorted(
        module for module in house.trees if any(name.split(".")[0] == "train_host" for name in house.imported(module))
    )


def too_many_entries(house: House) -> list[str]:
    """Every entry at the top, where there are more than fifteen."""
    entries = sorted({path.name for path in house.folder.iterdir()} - {"__pycache__"})
    return entries if len(entries) > MOST_ENTRIES else []


def too_many_modules(house: House) -> list[str]:
    """Folders with more than ten modules beside `__init__`."""
    held = {room: [name for name in house.trees if name.rpartition(".")[0] == room] for room in house.rooms}
    return sorted(room for room, modules in held.items() if len(set(modules) - house.rooms) > MOST_MODULES)


def more_than_a_docstring(house: House) -> list[str]:
    """Folders whose `__init__` is not just a docstring of at most five lines of text."""

    def is_short(tree: ast.Module) -> bool:
        lines = (ast.get_docstring(tree) or "").splitlines()
        return len(tree.body) == 1 and 1 <= sum(map(bool, lines)) <= MOST_LINES

    return sorted(room for room in house.rooms - {PACKAGE} if not is_short(house.trees[room]))


def without_an_init(house: House) -> list[str]:
    """Folders of modules that are not packages."""
    return sorted({module.rpartition(".")[0] for module in house.arrows} - house.rooms)


RULES = (
    without_a_floor,
    upward_imports,
    circle,
    names_from_the_front_door,
    imports_by_name,
    imports_of_the_trainer,
    too_many_entries,
    too_many_modules,
    more_than_a_docstring,
    without_an_init,
)
