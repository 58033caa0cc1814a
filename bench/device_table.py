"""The table of devices in docs/devices/README.md, from the reports beside it.

    python bench/device_table.py          write it
    python bench/device_table.py --check  fail where it is not what the reports say

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

Made by `python bench/device_table.py` from the reports in this folder. To add yours, on a quiet Raspberry Pi:

    edge-lpdpl bench --device-report docs/devices/BOARD.json

Times in microseconds, for 20,000 pictures of 64x64 and 2,000 frames of the camera; `start` is from nothing to the first
decision, in seconds; `after heat` is how many times as long a decision takes after ten minutes without a pause.

"""


def read_report(path: Path) -> dict[str, Any]:
    """One report.

    Raises:
        SystemExit: the file is no complete report.
    """
    report: dict[str, Any] = json.loads(path.read_text())
    if (report.get("kind"), report.get("schema")) != (KIND, SCHEMA):
        raise SystemExit(f"{path}: is no report of schema {SCHEMA}")
    if not report["complete"]:
        raise SystemExit(f"{path}: is a check and no measurement; make it on a Raspberry Pi")
    return report


def row(report: dict[str, Any]) -> list[str]:
    """What the table says of one device."""
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
    """The whole page."""
    if not reports:
        return TEXT + "Nobody has sent one yet.\n"
    lines = [HEAD, ["---"] * len(HEAD), *map(row, reports)]
    return TEXT + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> int:
    text = page([read_report(path) for path in sorted(FOLDER.glob("*.json"))])
    file = FOLDER / "README.md"
    if "--check" in sys.argv[1:]:
        if file.read_text() != text:
            print("docs/devices/README.md is not what the reports say: python bench/device_table.py")
            return 1
        return 0
    file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
