"""`tune_pi.sh` on a folder that stands for an SD card."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "firmware_scripts/tune_pi.sh"
ALL = (
    *("--governor", "--camera", "imx708", "--headless", "--memory-limits", "--journal-in-memory"),
    "--hardware-watchdog",
)
"""Every setting."""


def tune(card: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run it, within a minute: what it finds on a card must not make it wait."""
    return subprocess.run([SCRIPT, "--root", card, *arguments], capture_output=True, text=True, timeout=60)
