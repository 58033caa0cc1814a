"""Write the bill of materials of the device part: what a Pi runs, where it comes from, and what models were made from.

    python firmware_scripts/make_sbom.py [FILE]

CycloneDX 1.6, as JSON, checked against its schema before it is written. Versions and digests are those of locks/; what
apt installs has the version of Debian. The licences of all of it: THIRD_PARTY.md.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

import edge_lpdpl
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model

PROJECT = Path(__file__).parents[1]
SHIPPED = Path(edge_lpdpl.__file__).parent
LICENCES = {
    "numba": "BSD-2-Clause",
    "llvmlite": "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception",
    "python3-numpy": "BSD-3-Clause",
    "python3-pil": "MIT-CMU",
}
"""Of the packages themselves; THIRD_PARTY.md says what they bring with them."""
DATA = {
    "chinese": "Handwritten Chinese Numbers (K. Nazarpour, M. Chen, Newcastle 2017), 12,000 of 15,000 pictures",
    "usps": "USPS (J. Hull 1994), the 7,291 training pictures",
    "mnist_part": "MNIST (Y. LeCun, C. Cortes, C. Burges, from NIST), 5,000 pictures of its test set",
    "madbase": "MADBase (S. Abdelazeem, E. El-Sherif, American University in Cairo), 7,000 pictures of its test set",
}
"""What people drew or wrote; the names are those in the model files."""
DRAWN = Component(
    name="drawn writers",
    bom_ref="data:drawn",
    type=ComponentType.DATA,
    description="numerals that train_host/synthetic draws; no real writing",
    licenses=[LicenseFactory().make_from_string("MIT")],
)


def bill_of_materials() -> Bom:
    """The whole bill.

    Raises:
        KeyError: a model names data that `DATA` lacks.
    """
    bom = Bom()
    device = _component("edge-lpdpl", version=edge_lpdpl.__version__, type=ComponentType.APPLICATION)
    device.licenses = [LicenseFactory().make_from_string("MIT")]
    bom.metadata.component = device
    data = {name: _data(name, text) for name, text in DATA.items()}
    parts = [*locked("pi"), *(from_apt(name) for name in ("python3-numpy", "python3-pil")), *machine_code()]
    for name in shipped_models():
        model = read_model(shipped_model(name))
        part = _model(name, model)
        bom.register_dependency(part, [data[source] for source in _sources(model)] + ([DRAWN] if _drawn(model) else []))
        parts.append(part)
    bom.register_dependency(device, parts)
    for part in (*parts, *locked("build", ComponentScope.EXCLUDED), *data.values(), DRAWN):
        bom.components.add(part)
    return bom


def locked(lock: str, scope: ComponentScope = ComponentScope.REQUIRED) -> Iterator[Component]:
    """Packages of a lock, each with the digests of all its files."""
    text = (PROJECT / f"locks/{lock}.txt").read_text()
    for name, version, digests in re.findall(r"^([a-z0-9.-]+)==(\S+) \\\n((?: +--hash=\S+.*\n)+)", text, re.MULTILINE):
        part = _component(name, version=version, purl=PackageURL("pypi", None, name, version), scope=scope)
        files = _hashes(re.findall(r"--hash=sha256:(\w+)", digests))
        kind = ExternalReferenceType.DISTRIBUTION
        part.external_references.add(ExternalReference(type=kind, url=XsUri(f"locks/{lock}.txt"), hashes=files))
        yield part


def from_apt(name: str) -> Component:
    """A package of Debian, in whatever version the Pi has."""
    return _component(name, purl=PackageURL("deb", "debian", name))


def machine_code() -> Iterator[Component]:
    """The kernels that `make kernels` compiled from the project's own sources, if it ran."""
    for path in sorted((SHIPPED / "jit/shipped_kernels").glob("*.kernels")):
        yield _component(path.name, type=ComponentType.FILE, hashes=_hashes([_digest(path)]))


def _model(name: str, model: Model) -> Component:
    assert model.training is not None, f"{name} does not say what it was trained on"
    said = {"data": model.training["data"], "pictures": model.training["images"], "digest": model.training["digest"]}
    return _component(
        name,
        type=ComponentType.MACHINE_LEARNING_MODEL,
        hashes=_hashes([_digest(shipped_model(name))]),
        properties=[Property(name=f"edge-lpdpl:training:{key}", value=str(value)) for key, value in said.items()],
    )


def _sources(model: Model) -> list[str]:
    data = model.training["data"] if model.training else ""
    return [] if data.startswith("synthetic") else data.split(", ")


def _drawn(model: Model) -> bool:
    return model.training is not None and (not _sources(model) or bool(model.training["settings"].get("drawn")))


def _data(name: str, text: str) -> Component:
    unknown = DisjunctiveLicense(name="unknown, see THIRD_PARTY.md")
    return Component(name=name, bom_ref=f"data:{name}", type=ComponentType.DATA, description=text, licenses=[unknown])


def _component(name: str, **values: Any) -> Component:
    licences = [LicenseFactory().make_from_string(LICENCES[name])] if name in LICENCES else []
    return Component(name=name, bom_ref=name, licenses=licences, **values)


def _hashes(digests: Iterable[str]) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in digests]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the bill of materials of the device part.")
    default = PROJECT / f"dist/edge-lpdpl-{edge_lpdpl.__version__}.cdx.json"
    parser.add_argument("file", nargs="?", type=Path, default=default, help="default: %(default)s")
    file = parser.parse_args().file
    text = JsonV1Dot6(bill_of_materials()).output_as_string(indent=2)
    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"the bill is not CycloneDX 1.6: {wrong}")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, text.encode())
    print(file)


if __name__ == "__main__":
    main()
