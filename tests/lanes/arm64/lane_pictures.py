"""Pictures for the comparison of machines, drawn on one machine because drawing libraries may differ."""

import numpy as np
from stroke_pictures import nothing_to_read, stroke_picture

from train_host.datasets.bundled import synthesise_dataset

SCRIPTS = ("chinese", "arabic-indic", "latin")
ODD_SHAPES = ((8, 8), (8, 4096), (4096, 8), (9, 31), (159, 160), (160, 161), (161, 160), (333, 1001), (480, 640))


def lane_pictures() -> dict[str, np.ndarray]:
    """Pictures by name: strokes on any paper, noise, numerals in both polarities, odd shapes, nothing to read."""
    random = np.random.default_rng(4)
    pictures = {}
    for seed in range(160):
        height, width = random.integers(8, 200, 2)
        paper, noise = random.choice([0, 60, 120]), random.choice([0, 6, 30])
        pictures[f"strokes {seed}"] = stroke_picture(seed, int(height), int(width), paper=int(paper), noise=int(noise))
    for seed in range(40):
        pictures[f"noise {seed}"] = random.integers(0, 256, random.integers(8, 100, 2), dtype=np.uint8)
    for script in SCRIPTS:
        for index, numeral in enumerate(synthesise_dataset(f"writers=5,samples=1,script={script}").images):
            pictures[f"{script} {index}"] = numeral if index % 2 else 255 - numeral
    for height, width in ODD_SHAPES:
        pictures[f"{width}x{height}"] = stroke_picture(height, height, width, paper=120, noise=6)
    return pictures | nothing_to_read()
