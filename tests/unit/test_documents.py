"""The documents name files that are there."""

import re
from pathlib import Path

import pytest
from project import PROJECT

_SOURCE = re.compile(r"`((?:\w+/)+\w+\.(?:py|md|toml|json|service|sh))\b")
_FOLDERS = ("edge_lpdpl", "train_host", "firmware_scripts", "tests", "bench", "systemd", "docs")


@pytest.fixture(scope="module")
def files() -> list[str]:
    """Paths of all files, from the folder of the project on."""
    return [f"/{file.relative_to(PROJECT)}" for folder in _FOLDERS for file in (PROJECT / folder).rglob("*.*")]


@pytest.mark.parametrize(
    "document", [*sorted(PROJECT.glob("docs/*.md")), PROJECT / "README.md"], ids=lambda one: one.name
)
def test_every_source_that_a_document_names_is_there(document: Path, files):
    named = sorted(set(_SOURCE.findall(document.read_text("utf-8"))))
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []
