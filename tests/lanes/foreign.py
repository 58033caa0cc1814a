"""Run commands that start aarch64 programs: an emulator runs those and their children, and nothing else.

The emulator is registered in a separate user namespace, so that nothing is left behind on this machine.
"""

import os
import subprocess
from collections.abc import Sequence

from debian import LaneError

TOOLS = {"qemu-aarch64-static": "qemu-user-static", "arch-test": "arch-test"}
CORE = "cortex-a72"  # the emulator's default takes six times as long, because of pointer authentication
_USERS = "0 0 65536\n"
_INSIDE = """
echo ready && read -r _
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register &&
exec "$@" >&2
"""


def run_with_aarch64(command: Sequence[str]) -> None:
    """Run a command as root with the users of this machine; what it prints goes to standard error.

    Raises:
        LaneError: it failed, or this kernel cannot be told of an emulator.
    """
    environment = os.environ | {"QEMU_CPU": CORE}
    if subprocess.run(["arch-test", "arm64"], capture_output=True).returncode == 0:
        status = subprocess.run(command, env=environment).returncode
    else:
        status = _run_in_namespace(command, environment)
    if status:
        raise LaneError(
            f"`{command[0]}` ended with status {status}, see above; programs of aarch64 need Linux 6.7 or newer, "
            "or qemu-user-binfmt on this machine"
        )


def _run_in_namespace(command: Sequence[str], environment: dict[str, str]) -> int:
    unshare = ["unshare", "--user", "--mount", "--propagation=private", "--", "sh", "-c", _INSIDE, "sh", *command]
    with subprocess.Popen(unshare, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as inside:
        assert inside.stdin is not None
        assert inside.stdout is not None
        if inside.stdout.readline():  # its namespace exists and has no users yet
            for kind in ("uid_map", "gid_map"):
                with open(f"/proc/{inside.pid}/{kind}", "w") as users:
                    users.write(_USERS)
            inside.stdin.write(b"\n")
        inside.stdin.close()
        return inside.wait()
