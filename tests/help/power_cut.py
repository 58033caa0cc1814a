"""A folder on a disk whose power is cut: what a program wrote is kept, lost or half there, as it was synced or not.

`Disk.watch` notes each step that changes the folder. `Disk.states` builds the folders that may be found after a cut:
what was synced is there; of the rest, each step is kept or lost on its own, and an unsynced file is whole, empty or cut
off. A step is noted once it has happened, so that a program can be killed behind each one.
"""

import itertools
import os
import random
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

_MOST_PENDING = 5
"""With more unsynced steps at once, a sample of what may be kept is taken."""


class Step(NamedTuple):
    """One change. Paths are relative to the watched folder."""

    kind: str
    """`folder`, `file`, `link`, `move`, `gone`, `data`, `sync` (of a file) or `order` (sync of a folder)."""
    path: str
    other: str | bytes = ""


class Disk:
    """Steps of a program that changes `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps: list[Step] = []
        self._before = folder.with_name(folder.name + ".before")
        shutil.copytree(folder, self._before, symlinks=True)

    @contextmanager
    def watch(self, monkeypatch: pytest.MonkeyPatch, then=lambda count: None):
        """Note all steps until the block ends; `then` is called after each one with their number so far."""

        def note(kind, path, other=""):
            if Path(path).is_relative_to(self.folder):
                self.steps.append(Step(kind, os.path.relpath(path, self.folder), other))
                then(len(self.steps))

        real = {name: getattr(os, name) for name in ("mkdir", "symlink", "replace", "unlink", "fsync")}
        path_open = Path.open

        def mkdir(path, *rest, **named):
            real["mkdir"](path, *rest, **named)
            note("folder", path)

        def symlink(target, path, *rest, **named):
            real["symlink"](target, path, *rest, **named)
            note("link", path, os.fspath(target))

        def replace(path, target):
            real["replace"](path, target)
            note("move", target, os.path.relpath(path, self.folder))

        def unlink(path):
            real["unlink"](path)
            note("gone", path)

        def fsync(handle):
            path = Path(os.readlink(f"/proc/self/fd/{handle}"))
            if path.is_file():
                note("data", path, path.read_bytes())
            real["fsync"](handle)
            note("order" if path.is_dir() else "sync", path)

        def open_path(path, mode="r", *rest, **named):
            file = path_open(path, mode, *rest, **named)
            if mode != "rb":
                assert mode == "xb", "a file that is written in place is not safe"
                note("file", path)
            return file

        with monkeypatch.context() as patch:
            for name, call in {"mkdir": mkdir, "symlink": symlink, "replace": replace}.items():
                patch.setattr(os, name, call)
            for name, call in {"unlink": unlink, "fsync": fsync}.items():
                patch.setattr(os, name, call)
            patch.setattr(Path, "open", open_path)
            yield

    def states(self, count: int, place: Path):
        """Folders that may be found after a cut behind the first `count` steps, one after the other at `place`."""
        steps = self.steps[:count]
        pending = [number for number, step in enumerate(steps) if not _synced(step, steps[number + 1 :])]
        for kept in _choices(pending):
            for whole in (True, False):
                shutil.rmtree(place, ignore_errors=True)
                shutil.copytree(self._before, place, symlinks=True)
                for number, step in enumerate(steps):
                    if number not in pending or number in kept:
                        _do(step, place, whole or number not in pending)
                yield place


def _synced(step: Step, later: list[Step]) -> bool:
    if step.kind in ("sync", "order"):
        return True
    if step.kind == "data":
        return Step("sync", step.path) in later
    return Step("order", os.path.dirname(step.path) or ".") in later


def _choices(pending):
    if len(pending) <= _MOST_PENDING:
        return [set(kept) for size in range(len(pending) + 1) for kept in itertools.combinations(pending, size)]
    chance = random.Random(len(pending))
    return [set(), set(pending), *({one for one in pending if chance.random() < 0.5} for _ in range(30))]


def _do(step: Step, place: Path, whole: bool) -> None:
    """Do a step again as far as what it needs is there."""
    path = place / step.path
    if not path.parent.is_dir():
        return
    if step.kind == "folder":
        path.mkdir(exist_ok=True)
    elif step.kind == "file":
        path.touch()
    elif step.kind == "data" and path.exists():
        path.write_bytes(step.other if whole else step.other[: len(step.other) // 2])
    elif step.kind == "link":
        path.symlink_to(step.other)
    elif step.kind == "move" and os.path.lexists(place / step.other):
        os.replace(place / step.other, path)
    elif step.kind == "gone":
        path.unlink(missing_ok=True)
