"""Nothing is written to the SD card while the service runs."""

import os
import time

from service import start, wait_for_decisions

SECONDS = float(os.environ.get("EDGE_LPDPL_STEADY_SECONDS", "6"))
"""Seconds to watch; 300 before a release."""


def test_no_file_changes_and_no_byte_is_written(box):
    """With steady decisions, and the journal in memory, as `tune_pi.sh --journal-in-memory` sets it."""
    box.write("/etc/systemd/journald.conf.d/memory.conf", "[Journal]\nStorage=volatile\n")
    box.run("systemctl", "restart", "systemd-journald")
    start(box)
    wait_for_decisions(box, 3)
    time.sleep(2)
    process = box.value("MainPID")
    before = written(box, process)
    box.shell("touch /run/begin")
    time.sleep(SECONDS)
    changed = box.shell("find / -xdev -newer /run/begin -not -path '/proc/*'").split()
    assert changed == []
    assert written(box, process) == before
    wait_for_decisions(box)


def written(box, process):
    """Bytes that the process has written to disks."""
    lines = box.run("cat", f"/proc/{process}/io").splitlines()
    return {name: int(value) for name, value in (line.split(": ") for line in lines)}["write_bytes"]
