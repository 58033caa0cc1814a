"""`make sbom`: the bill of materials is CycloneDX and names what is locked and what is shipped."""

import hashlib
import json
import subprocess
import sys

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from project import PROJECT

from edge_lpdpl.library.shipped import shipped_model, shipped_models

pytestmark = pytest.mark.slow

SCRIPT = PROJECT / "firmware_scripts/make_sbom.py"
MADE_FROM = {
    "arabic10": {"data:madbase", "data:drawn"},
    "cheque15": {"data:drawn"},
    "chinese15": {"data:chinese", "data:drawn"},
    "latin10": {"data:usps", "data:mnist_part", "data:drawn"},
}
"""As docs/method.md says."""


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    file = tmp_path_factory.mktemp("sbom") / "new" / "bill.cdx.json"
    done = subprocess.run([sys.executable, SCRIPT, file], check=True, capture_output=True, text=True)
    assert done.stdout == f"{file}\n"
    return file.read_text()


@pytest.fixture(scope="module")
def parts(text):
    return {part["bom-ref"]: part for part in json.loads(text)["components"]}


@pytest.fixture(scope="module")
def needs(text):
    return {entry["ref"]: set(entry.get("dependsOn", [])) for entry in json.loads(text)["dependencies"]}


def test_it_keeps_the_schema(text):
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(text) is None
    assert validator.validate_str(text.replace('"machine-learning-model"', '"brain"')) is not None


@pytest.mark.parametrize("name", shipped_models())
def test_each_model_is_in_it_with_its_digest_and_its_data(parts, needs, name):
    part = parts[name]
    assert part["type"] == "machine-learning-model"
    digest = hashlib.sha256(shipped_model(name).read_bytes()).hexdigest()
    assert part["hashes"] == [{"alg": "SHA-256", "content": digest}]
    assert needs[name] == MADE_FROM[name]
    assert all(parts[source]["licenses"] for source in MADE_FROM[name])


@pytest.mark.parametrize(("lock", "scope"), [("pi", "required"), ("build", "excluded")])
def test_each_locked_package_is_in_it_with_the_digests_of_its_files(parts, lock, scope):
    lines = (PROJECT / f"locks/{lock}.txt").read_text().splitlines()
    pinned = dict(line.removesuffix(" \\").split("==") for line in lines if "==" in line)
    assert pinned
    for name, version in pinned.items():
        assert (parts[name]["version"], parts[name]["scope"]) == (version, scope)
        assert parts[name]["purl"] == f"pkg:pypi/{name}@{version}"
    found = [part["externalReferences"][0]["hashes"] for name, part in parts.items() if name in pinned]
    named = [line.split("sha256:")[1].split()[0] for line in lines if "sha256:" in line]
    assert sorted(entry["content"] for files in found for entry in files) == sorted(named)


def test_the_program_needs_all_that_a_pi_runs(parts, needs):
    needed = {name for name, part in parts.items() if part["type"] != "data" and part.get("scope") != "excluded"}
    assert needs["edge-lpdpl"] == needed
    assert {"numba", "llvmlite", "python3-numpy", "python3-pil", *shipped_models()} <= needed


def test_what_it_names_is_explained_in_third_party(parts):
    text = (PROJECT / "THIRD_PARTY.md").read_text().lower()
    named = {name for name, part in parts.items() if part["type"] == "library"}
    assert [name for name in sorted(named) if name.removeprefix("python3-") not in text] == []
    assert [part["description"] for part in parts.values() if part["name"] in ("usps", "madbase")]
