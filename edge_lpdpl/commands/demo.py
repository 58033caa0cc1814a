"""The demo: every model reads the shipped pictures and draws one decision; the first model is timed."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from edge_lpdpl.drawing.decision import draw_pipeline, save_png
from edge_lpdpl.errors import EdgeError, ImageError, ModelError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.files.text import printable
from edge_lpdpl.library.models import DEFAULT_MODEL
from edge_lpdpl.library.shipped import LOOKS, Specimen, shipped_model, shipped_models, specimens
from edge_lpdpl.measure.bench import run_bench, verdict
from edge_lpdpl.numeral.recogniser import Recogniser

DEFAULT_FOLDER = Path("demo-output")
_DRAWN = (5, "paper")  # value and look of the picture that is drawn, where the model has one
_BENCH_SECONDS = 0.7


def run_demo(
    folder: Path = DEFAULT_FOLDER, paths: Sequence[Path] | None = None, backend: str = "auto"
) -> dict[str, Any]:
    """Read the shipped pictures with every model, draw one decision of each, and time the first.

    Args:
        folder: for `MODEL.png` of each model, and `MODEL-2.png` where two models have one name; made if missing.
        paths: model files; the shipped ones when left out.

    Returns:
        the object that `edge-lpdpl demo --json` prints.

    Raises:
        ModelError: a file is no valid model, or there is no model.
        ImageError: no shipped picture shows a numeral that a model reads.
        EdgeError: the folder cannot be written.
    """
    if paths is None:
        names = sorted(shipped_models(), key=lambda name: (name != DEFAULT_MODEL, name))
        paths = [shipped_model(name) for name in names]
    if not paths:
        raise ModelError("there is no model to show; install the package again, or give one with --model")
    recognisers = [Recogniser.load(path, backend) for path in paths]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        shown = printable(str(folder))
        raise EdgeError(f"{shown}: cannot be made ({error.strerror}); give another one with --output") from error
    named = zip(recognisers, paths, _distinct([recogniser.model.name for recogniser in recognisers]), strict=True)
    models = [_show(recogniser, path, folder / f"{name}.png") for recogniser, path, name in named]
    return {"models": models, "bench": run_bench(recognisers[0], paths[0], seconds=_BENCH_SECONDS)}


def report(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = []
    for model in result["models"]:
        lines.append(f"{model['name']}: {model['right']} of {len(model['decisions'])} shipped pictures read right")
        for look in LOOKS:
            if shown := [_reading(decision) for decision in model["decisions"] if decision["look"] == look]:
                lines.append(f"  {look:7} {' '.join(shown)}")
    if any("?" in line or "[" in line for line in lines):
        lines.append("  (5? is a 5 that the model rejects, 7[1] a 1 read as 7)")
    timed = result["bench"]
    stages = ", ".join(f"{name} {figures['p50_us']:.1f}" for name, figures in timed["stages"].items())
    lines += ["", f"stages  {stages} us; the whole call {timed['total']['p50_us']:.1f} us ({timed['model']})"]
    lines += [verdict(timed)]
    return "\n".join(lines + [f"look at {printable(model['picture'])}" for model in result["models"]])


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where one occurs again.

    >>> _distinct(["latin10", "latin10", "mine"])
    ['latin10', 'latin10-2', 'mine']
    """
    taken: list[str] = []
    for name in names:
        numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
        taken.append(next(one for one in numbered if one not in taken))
    return taken


def _show(recogniser: Recogniser, path: Path, picture: Path) -> dict[str, Any]:
    """Decisions of one model on the pictures of its numerals; one of them is drawn as `picture`."""
    chosen = specimens(recogniser.model.labels)
    if not chosen:
        raise ImageError(f"{printable(path.name)}: no shipped picture has its numerals; try edge-lpdpl recognise")
    decisions = [_decide(recogniser, specimen) for specimen in chosen]
    drawn = min(chosen, key=lambda specimen: (specimen.label.value, specimen.look) != _DRAWN)
    save_png(draw_pipeline(recogniser, read_picture(drawn.path)), picture)
    return {
        "name": recogniser.model.name,
        "file": str(path),
        "right": sum(decision["label"] == decision["expected"] for decision in decisions),
        "decisions": decisions,
        "picture": str(picture),
    }


def _decide(recogniser: Recogniser, specimen: Specimen) -> dict[str, Any]:
    read = recogniser.recognise(read_picture(specimen.path))
    return {
        "file": specimen.path.name,
        "label": read.label,
        "value": read.value,
        "confidence": round(read.confidence, 6),
        "rejected": read.rejected,
        "reason": read.reason,
        "elapsed_us": round(read.elapsed * 1e6, 1),
        "expected": specimen.label.character,
        "look": specimen.look,
    }


def _reading(decision: dict[str, Any]) -> str:
    """`五`; `五?` where it was rejected; `三[五]` where 五 was written and 三 was read."""
    read = (decision["label"] or "-") + ("?" if decision["rejected"] else "")
    return read if decision["label"] == decision["expected"] else f"{read}[{decision['expected']}]"
