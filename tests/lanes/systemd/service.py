"""Configure the service in a box for one test, and ask for its state."""

import json
from typing import Any

from box import UNIT, Box, wait_until

# As in the unit, only sooner: four steps from 100 ms to 1.6 s.
IMPATIENT = """\
[Service]
WatchdogSec=2s
RestartSec=100ms
RestartSteps=4
RestartMaxDelaySec=1600ms
TimeoutStartSec=60s
"""


def configure(box: Box, text: str) -> None:
    """Settings that override those of the box."""
    box.write("/etc/edge-lpdpl/config.d/50-test.toml", text)


def override(box: Box, text: str, name: str = "zz-test") -> None:
    """A drop-in that overrides the others."""
    box.write(f"/etc/systemd/system/{UNIT}.d/{name}.conf", text)
    box.run("systemctl", "daemon-reload")


def start(box: Box) -> None:
    """Start the service; returns when it is ready."""
    box.run("systemctl", "start", UNIT)


def status(box: Box) -> dict[str, Any]:
    """The status that the service reports; root may ask."""
    answer: dict[str, Any] = json.loads(box.run("edge-lpdpl", "ask", "status", "--json"))
    return answer


def decisions(box: Box) -> list[dict[str, Any]]:
    """Decisions in the journal."""
    return [json.loads(line) for line in box.lines() if line.startswith("{")]


def wait_for_decisions(box: Box, count: int = 1) -> None:
    """Wait for more decisions in the journal."""
    before = len(decisions(box))
    wait_until(lambda: len(decisions(box)) >= before + count, 20, f"{count} decisions")


def wait_for_running(box: Box, restarts: int) -> None:
    """Wait until systemd has restarted the service so often, and it is ready."""
    wait_until(lambda: box.show("NRestarts", "ActiveState") == ready(restarts), 30, f"restart {restarts}")


def ready(restarts: int) -> dict[str, str]:
    return {"NRestarts": str(restarts), "ActiveState": "active"}


def said(box: Box, text: str) -> bool:
    """Whether a line of the journal contains this text."""
    return any(text in line for line in box.lines())
