"""Draw the pictures that come with the package: every numeral as a scan turned negative and as a photograph.

    python firmware_scripts/draw_shipped_pictures.py [FOLDER]

The seed of a picture is the value of its numeral, chosen before there was a model to please; the same pixels come out
on every machine. Run it again after a change of the generator, and look at what comes out.
"""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import edge_lpdpl
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.library.shipped import SCRIPTS
from train_host.synthetic.pictures import draw_numeral

SCREEN_SIDE, PAPER_SIDE = 64, 128


def shipped_pictures() -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """File names `SCRIPT_VALUE_LOOK.png`, and their pictures (side, side) uint8."""
    for script, labels in SCRIPTS.items():
        for character, value in labels:
            yield f"{script}_{value}_screen.png", draw_numeral(character, seed=value, size=SCREEN_SIDE)
            photograph = draw_numeral(character, seed=value, size=PAPER_SIDE, dark_on_light=True)
            yield f"{script}_{value}_paper.png", photograph


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures that come with the package.")
    default = Path(edge_lpdpl.__file__).parent / "library" / "shipped_pictures"
    parser.add_argument("folder", nargs="?", type=Path, default=default, help="default: that of the package")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, picture in shipped_pictures():
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "PNG", optimize=True)
        write_atomically(folder / name, file.getvalue())
        total += file.tell()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}, {total:,} bytes")


if __name__ == "__main__":
    main()
