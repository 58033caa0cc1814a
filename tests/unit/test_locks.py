"""`locks/`: what a Pi takes from PyPI and what builds the wheel, with versions and digests, as pyproject.toml asks."""

import re
import tomllib
from importlib.metadata import requires
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from project import PROJECT

FROM_APT = {"numpy": "python3-numpy", "pillow": "python3-pil"}
"""Dependencies that `provision.sh` installs as Debian packages."""
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text())
ASKED = {"pi": PYPROJECT["project"]["dependencies"], "build": PYPROJECT["build-system"]["requires"]}


class Locked(NamedTuple):
    requirement: Requirement
    digests: list[str]


def read_lock(text):
    """From names to what is locked; anything but pinned names with digests is an error."""
    locked = {}
    for line in re.sub(r"\\\n|#.*", "", text).splitlines():
        if line.strip():
            requirement, *digests = (part.strip() for part in line.split("--hash=sha256:"))
            parsed = Requirement(requirement)
            assert re.fullmatch(r"==[0-9][0-9a-z.]*", str(parsed.specifier)), f"{line.split()[0]} is not pinned"
            assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests), line
            assert digests, f"{parsed.name} has no digest"
            locked[canonicalize_name(parsed.name)] = Locked(parsed, digests)
    return locked


def unsatisfied(locked, asked):
    """Requirements that the lock and apt do not satisfy."""
    missing = []
    for requirement in map(Requirement, asked):
        name = canonicalize_name(requirement.name)
        if name in FROM_APT or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        version = str(locked[name].requirement.specifier).removeprefix("==") if name in locked else None
        if version is None or version not in requirement.specifier:
            missing.append(str(requirement))
    return missing


@pytest.fixture(params=ASKED)
def name(request):
    return request.param


@pytest.fixture
def text(name):
    return (PROJECT / f"locks/{name}.txt").read_text()


def test_every_dependency_is_locked_in_a_version_that_satisfies(name, text):
    assert unsatisfied(read_lock(text), ASKED[name]) == []


def test_so_is_what_the_dependencies_need():
    """As far as the versions installed here say; pip does not look for more (`--no-deps`)."""
    locked = read_lock((PROJECT / "locks/pi.txt").read_text())
    assert [missing for package in locked for missing in unsatisfied(locked, requires(package) or [])] == []


def test_a_lock_says_where_nothing_comes_from(text):
    """Neither a host nor an option for pip: the index is that of the machine, and the digests decide."""
    assert "://" not in text
    assert "--" not in text.replace("--hash=sha256:", "")


def test_what_is_not_locked_comes_from_apt():
    script = (PROJECT / "firmware_scripts/provision.sh").read_text()
    packages = re.search(r"packages=\((.*?)\)", script)[1].split()
    assert set(FROM_APT.values()) <= set(packages)
    assert {Requirement(asked).name for asked in ASKED["pi"]} >= set(FROM_APT)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [(["one>=2"], ["one>=2"]), (["one>=1", "two"], ["two"]), (["one<2", "numpy>=9"], []), (["two; extra == 'x'"], [])],
)
def test_a_lock_that_lags_behind_is_found(asked, missing):
    assert unsatisfied(read_lock(f"one==1.5 \\\n    --hash=sha256:{'0' * 64}\n    # via two\n"), asked) == missing


@pytest.mark.parametrize("line", ["one>=1 --hash=sha256:" + "0" * 64, "one==1", "one==1 --hash=sha256:00"])
def test_a_lock_that_leaves_a_choice_is_refused(line):
    with pytest.raises(AssertionError):
        read_lock(line)
