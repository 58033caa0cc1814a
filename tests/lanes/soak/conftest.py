"""The lane reads no installed model, and collects its figures in soak.json."""

import json
from pathlib import Path

import pytest
from bare_machine import no_installed_model  # noqa: F401


@pytest.fixture(scope="session")
def report():
    """A function that prints a result and collects it for soak.json."""
    results = {}

    def report(name, result):
        results[name] = result
        print(f"\n{name}: {json.dumps(result, ensure_ascii=False)}")

    yield report
    Path("soak.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
