"""Prints a form, fills it with digits of people, photographs it from anywhere, and counts the fields that are read.

    pip install -e '.[train,forms,bench]'
    python bench/read_forms.py DIGITS [--model MODEL] [--sheets 50] [--seed 1] [--json]

The sheet is the PDF of `edge-lpdpl form`, drawn with pypdfium2. Each field holds a number of random digits of the data
set DIGITS, one to a box or in one long box. The camera is drawn: the sheet lies askew by up to 15 degrees, seen from up
to 20 degrees aside, fills 50 to 95 % of a 1440x1080 frame, with shadows, blur, noise and JPEG.
"""

import argparse
import io
import json
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

from edge_lpdpl import Recogniser
from edge_lpdpl.files.text import print_result
from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.homography import project
from edge_lpdpl.form.printing import print_form
from edge_lpdpl.form.reader import FormReader
from edge_lpdpl.form.sheet import PAPERS, Area
from edge_lpdpl.library.models import find_model
from edge_lpdpl.number.constraints import Constraints
from train_host.datasets import open_dataset
from train_host.scenes.camera import shine
from train_host.scenes.inks import Inks
from train_host.scenes.paper import cloud
from train_host.synthetic.dice import Array, Dice

SCALE = 8.0
"""Pixels a millimetre of the printed sheet."""
HEIGHT, WIDTH = 1080, 1440
DIGIT = 0.5, 0.75
"""Height of the digits, of that of their field."""
_STREAM = 30_000  # keeps these random streams apart from those of scenes


def make_fields() -> list[Field]:
    """Twelve fields of 2 to 6 digits, the left ones in boxes, the right ones open."""
    fields = []
    for row in range(6):
        count, y = 2 + row % 5, 40.0 + 32 * row
        boxed = Area(25, y, 9.0 * count, 12)
        fields.append(Field(f"boxed {row + 1}", boxed, Constraints(length=count), count))
        fields.append(Field(f"open {row + 1}", Area(110, y, 12.0 + 9 * count, 14)))
    return fields


def draw_form(fields: list[Field]) -> Array:
    """The printed sheet: the share of the light that each point sends back, float64."""
    page = pypdfium2.PdfDocument(print_form(fields, "A4", "Fifty sheets"))[0]
    drawn = np.asarray(page.render(scale=SCALE * 25.4 / 72, grayscale=True).to_numpy(), np.float64)
    return np.squeeze(drawn) / 255


def fill_in(sheet: Array, field: Field, inks: Inks, dice: Dice) -> str:
    """Write a number into a field of the sheet; returns it."""
    count = field.boxes or round((field.area.width - 12) / 9)
    pitch = (field.area.width if field.boxes else 8.5 * count) / count
    start = field.area.x + (0 if field.boxes else dice.between(2, max(2.1, field.area.width - 8.5 * count - 2)))
    em = field.area.height * dice.between(*DIGIT) * SCALE
    ink, boldness, text = dice.between(0.08, 0.3), dice.between(-0.5, 0.7), ""
    for place in range(count):
        index = inks.throw(dice)
        cover = inks.draw(index, em * dice.around(1, 0.05), boldness)
        x = (start + pitch * (place + 0.5 + dice.around(0, 0.04))) * SCALE - cover.shape[1] / 2
        y = (field.area.y + field.area.height * (0.5 + dice.around(0, 0.03))) * SCALE - cover.shape[0] / 2
        part = slice(round(y), round(y) + cover.shape[0]), slice(round(x), round(x) + cover.shape[1])
        sheet[part] += cover * (ink - sheet[part]) * (sheet[part] > ink)
        text += inks.label(index).character
    return text


def photograph(sheet: Array, dice: Dice) -> tuple[NDArray[np.uint8], float]:
    """The frame (HEIGHT, WIDTH) of a sheet on a table, and the share of it that the sheet fills."""
    fills = dice.between(0.5, 0.95)
    back = np.linalg.inv(_homography(fills, dice))
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    places = project(back, np.column_stack([x.ravel(), y.ravel()])) * SCALE - 0.5
    pixels = SCALE * abs(float(np.linalg.det(back[:2, :2]))) ** 0.5 / back[2, 2]  # of the sheet in one of the frame
    soft = gaussian_filter(sheet, 0.35 * pixels)
    table = np.clip(dice.between(0.05, 0.7) + 0.05 * cloud(HEIGHT, WIDTH, 4.0, dice), 0, 1)
    rows, columns = places[:, 1].reshape(HEIGHT, WIDTH), places[:, 0].reshape(HEIGHT, WIDTH)
    inside = (rows > 0) & (columns > 0) & (rows < sheet.shape[0] - 1) & (columns < sheet.shape[1] - 1)
    seen = np.where(inside, map_coordinates(soft, [rows, columns], order=1, mode="nearest"), table)
    return _expose(shine(HEIGHT, WIDTH, dice) * seen, dice), fills


def _expose(light: Array, dice: Dice) -> NDArray[np.uint8]:
    """Grey levels of the light on the sensor: blur of 0.3 to 1.3 pixels, noise, and perhaps JPEG."""
    levels = dice.between(150, 245) * gaussian_filter(light, dice.between(0.3, 1.3)) + dice.between(2, 18)
    noise = dice.between(0.5, 3.5) * np.sqrt(0.3 + 0.7 * np.clip(levels, 0, 255) / 200)
    grey = np.clip(levels + noise * dice.bell(HEIGHT, WIDTH) + 0.5, 0, 255).astype(np.uint8)
    if dice.chance(0.5):
        return grey
    file = io.BytesIO()
    Image.fromarray(grey).save(file, "JPEG", quality=int(dice.between(60, 95)))
    return np.asarray(Image.open(file), np.uint8)


def _homography(fills: float, dice: Dice) -> Array:
    """From millimetres of the sheet to pixels of the frame of a pinhole camera."""
    across, down = PAPERS["A4"]
    turned, pitch, yaw = np.radians([dice.between(-limit, limit) for limit in (15, 20, 20)])
    spin = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
    nod = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    shake = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    pose = shake @ nod @ spin
    plane = np.column_stack([pose[:, 0], pose[:, 1], pose @ (-across / 2, -down / 2, 0) + (0, 0, 1.3 * down)])
    seen = project(plane, np.array([(0, 0), (across, 0), (across, down), (0, down)], np.float64))
    low, size, frame = seen.min(axis=0), np.ptp(seen, axis=0), np.array((WIDTH, HEIGHT))
    zoom = fills * float((frame / size).min())
    aside = 1 + np.array([dice.between(-1, 1), dice.between(-1, 1)])
    left, top = (frame - zoom * size) / 2 * aside - zoom * low
    matrix: Array = np.array([[zoom, 0, left], [0, zoom, top], [0, 0, 1]]) @ plane
    return matrix


def measure(reader: FormReader, fields: list[Field], inks: Inks, sheets: int, seed: int) -> dict[str, Any]:
    """Counts over sheets: those found, and of the fields the right, accepted, and accepted and wrong ones."""
    printed, counts, elapsed = draw_form(fields), Counter[str](), []
    for number in range(sheets):
        dice = Dice(seed, _STREAM, number)
        sheet = printed * (0.85 + 0.01 * cloud(*printed.shape, 8.0, dice))
        texts = {field.name: fill_in(sheet, field, inks, dice) for field in fields}
        frame, fills = photograph(sheet, dice)
        start = time.perf_counter()
        reading = reader.read(frame)
        elapsed.append((time.perf_counter() - start) * 1000)
        counts["sheets found"] += not any(one.reason == "no_marks" for one in reading.unread)
        for name, place in (reading.fields or {}).items():
            one = None if place is None else reading.numbers[place]
            right, accepted = one is not None and one.text == texts[name], one is not None and not one.rejected
            for group in ("all", name.split()[0], "fills 50 to 72 %" if fills < 0.725 else "fills 73 to 95 %"):
                counts[f"{group}: fields"] += 1
                counts[f"{group}: right"] += right
                counts[f"{group}: right and accepted"] += right and accepted
                counts[f"{group}: wrong and accepted"] += accepted and not right
        if sys.stderr.isatty():
            print(f"\rsheet {number + 1}/{sheets}", end="", file=sys.stderr, flush=True)
    return {"sheets": sheets, "seed": seed, **counts, "ms_median": round(float(np.median(elapsed)), 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="read_forms", description="count the fields that are read right")
    parser.add_argument("digits", help="a data set of digits that the model has not seen")
    parser.add_argument("--model", default="latin10", help="default: %(default)s")
    parser.add_argument("--sheets", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    arguments = parser.parse_args()
    fields, recogniser = make_fields(), Recogniser.load(find_model(arguments.model))
    reader = FormReader(fields, recogniser, HEIGHT, WIDTH)
    found = measure(reader, fields, Inks(open_dataset(arguments.digits)), arguments.sheets, arguments.seed)
    print_result(arguments.json, found, json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
