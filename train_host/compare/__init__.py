"""Compares all methods in one harness.

`table` and `studies` define the cells, `cells` runs them and keeps their results, `latency` measures times. The results
are written as records, from which `train_host.report` makes tables and figures.
"""

from typing import Any

Record = dict[str, Any]
"""The result of a comparison, ready for JSON."""
STUDIES = {
    "atoms": "Accuracy against atoms",
    "sensitivity": "Sensitivity to each penalty, the others as in the recipe",
    "pairs": "Sensitivity to pairs of penalties",
    "samples": "Accuracy against training pictures",
    "robustness": "Accuracy against distortions of the test pictures, which were not in training",
    "glyphs": "Atoms as glyphs, and a decision by reconstruction",
    "unseen": "Accepted pictures of unknown kinds",
}
"""The studies and their captions. The function of `compare.studies` with the name of a study makes its record, and that
of `report.study_figures` draws it; `unseen` has a table instead. They are named here so that a command line can list
them without the extra `train`."""
KINDS = ("table", *STUDIES, "latency")
"""Kinds of comparison."""
