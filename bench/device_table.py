"""Writes the table of devices in docs/devices/README.md from the reports in that folder.

    python bench/device_table.py          write the table
    python bench/device_table.py --check  fail if the table does not match the reports

A report is made on a Raspberry Pi with `edge-lpdpl bench --device-report FILE.json`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from edge_lpdpl.measure.report import KIND, SCHEMA

FOLDER = Path(__file__).parents[1] / "docs/devices"
HEAD = ["board", "system", "backend", "decision p50", "p99", "p99.9", "frame p99", "start", "after heat", "memory"]
TEXT = """# Measured devices

`python bench/device_table.py` makes this page from the reports in this folder. To add yours, on a quiet Raspberry Pi:

    edge-lpdpl bench --device-report docs/devices/BOARD.json

Times are in microseconds, for 20,000 pictures of 64x64 pixels and 2,000 camera frames. `start` is the time from the
start of the program to the first decision, in seconds. `after heat` is the time of a decision after ten minutes of
continuous work, as a multiple of the time before.

"""


def read_report(path: Path) -> dict[str, Any]:
    """Read one report.

    Raises:
        SystemExit: the file is not a complete report of this schema.
    """
    report: dict[str, Any] = json.loads(path.read_text())
    if (report.get("kind"), report.get("schema")) != (KIND, SCHEMA):
        raise SystemExit(f"{path}: is not a report of schema {SCHEMA}")
    if not report["complete"]:
        raise SystemExit(f"{path}: is a check, not a measurement; make it on a Raspberry Pi")
    return report


def row(report: dict[str, Any]) -> list[str]:
    """The row of one device: its cells as text, in the order of `HEAD`."""
    total, frame, machine = report["pictures"]["total"], report["frames"]["page"], report["machine"]
    return [
        machine["board"] or machine["cpu"],
        machine["system"],
        report["backend"],
        *(f"{total[name]:.0f}" for name in ("p50_us", "p99_us", "p99_9_us")),
        f"{frame['p99_us']:.0f}",
        f"{report['starts'][report['backend']]['warm']['total_s']:.2f}",
        f"{report['heat']['slowdown']:.2f}",
        f"{report['memory']['peak_bytes'] / 1e6:.0f} MB",
    ]


def page(reports: list[dict[str, Any]]) -> str:
    """The page as Markdown."""
    if not reports:
        return TEXT + "There are no reports yet.\n"
    lines = [HEAD, ["---"] * len(HEAD), *map(row, reports)]
    return TEXT + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> int:
    text = page([read_report(path) for path in sorted(FOLDER.glob("*.json"))])
    file = FOLDER / "README.md"
    if "--check" in sys.argv[1:]:
        if file.read_text() != text:
            print("docs/devices/README.md does not match the reports; run python bench/device_table.py")
            return 1
        return 0
    file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
