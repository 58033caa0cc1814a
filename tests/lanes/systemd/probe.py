"""Runs in place of the service, in its sandbox: tries what it may and may not do, and prints the results.

It imports only Python's standard library, and prints one line of JSON, from names to "ok" or the error.
"""

import ctypes
import json
import mmap
import os
import socket
import subprocess
import time
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A function of the C library that returns -1 for an error."""
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


STATE = os.environ.get("STATE_DIRECTORY", "/var/lib/edge-lpdpl")
CACHE = os.environ.get("CACHE_DIRECTORY", "/var/cache/edge-lpdpl")
HANDS = os.environ.get("HANDS_DIRECTORY", "/var/lib/edge-lpdpl-hands")
COLLECTED = os.environ.get("COLLECT_DIRECTORY", "/var/lib/edge-lpdpl-collected")
RUNTIME = os.environ.get("RUNTIME_DIRECTORY", "/run/edge-lpdpl")


def run_what_was_written(folder):
    program = Path(folder) / "program"
    program.write_bytes(Path("/usr/bin/true").read_bytes())
    program.chmod(0o755)
    try:
        subprocess.run([program], check=True)
    finally:
        program.unlink()


def write(path):
    Path(path).write_text("x")
    Path(path).unlink()


def set_uid_bit():
    path = Path("/var/tmp/file")
    path.touch()
    try:
        path.chmod(0o4755)
    finally:
        path.unlink()


def give_away():
    path = Path("/var/tmp/file")
    path.touch()
    try:
        os.chown(path, -1, 42)  # shadow, whose files hold the passwords
    finally:
        path.unlink()


def connect(address):
    with socket.create_connection((address, 9), timeout=1):
        pass


TRIES = {
    "write state": lambda: write(f"{STATE}/x"),
    "write cache": lambda: write(f"{CACHE}/x"),
    "write runtime": lambda: write(f"{RUNTIME}/x"),
    "write hands": lambda: write(f"{HANDS}/x"),
    "write collected": lambda: write(f"{COLLECTED}/x"),
    "write temporary": lambda: write("/tmp/x"),
    "read configuration": lambda: Path("/etc/edge-lpdpl/config.toml").read_text(),
    "read a file of the group video": lambda: Path("/srv/video").read_text(),
    "open null": lambda: Path("/dev/null").open("wb").close(),
    "unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).close(),
    "read cpuinfo": lambda: Path("/proc/cpuinfo").read_text(),
    "run a program of the system": lambda: subprocess.run(["/usr/bin/true"], check=True),
    "make code": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close(),
    "write etc": lambda: write("/etc/x"),
    "write configuration": lambda: write("/etc/edge-lpdpl/x"),
    "write usr": lambda: write("/usr/x"),
    "write the program": lambda: write("/opt/edge-lpdpl/x"),
    "write var": lambda: write("/var/x"),
    "write srv": lambda: write("/srv/x"),
    "write run": lambda: write("/run/x"),
    "write lock": lambda: write("/run/lock/x"),
    "read root's home": lambda: list(Path("/root").iterdir()),
    "read homes": lambda: Path("/home/ada/secret").read_text(),
    "read passwords": lambda: Path("/etc/shadow").read_text(),
    "read another process": lambda: Path("/proc/1/cmdline").read_bytes(),
    "read kernel messages": lambda: Path("/dev/kmsg").open().close(),
    "write a kernel setting": lambda: Path("/proc/sys/vm/swappiness").write_text("60"),
    "write a cgroup": lambda: os.mkdir("/sys/fs/cgroup/x"),
    "run a program it wrote to state": lambda: run_what_was_written(STATE),
    "run a program it wrote to temporary": lambda: run_what_was_written("/tmp"),
    "run a program it wrote to cache": lambda: run_what_was_written(CACHE),
    "run a program it wrote to runtime": lambda: run_what_was_written(RUNTIME),
    "run a program it wrote to shared memory": lambda: run_what_was_written("/dev/shm"),
    "make a file setuid": set_uid_bit,
    "give a file to a group of others": give_away,
    "internet socket": lambda: socket.socket(socket.AF_INET).close(),
    "bluetooth socket": lambda: socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, 1).close(),
    "packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "connect to this machine": lambda: connect("127.0.0.1"),
    "become root": lambda: os.setuid(0),
    "signal process 1": lambda: os.kill(1, 0),
    "mount": lambda: call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "set the clock": lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
    "name the machine": lambda: socket.sethostname("x"),
    "trace a process": lambda: call("ptrace", 16, os.getppid(), None, None),
    "real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "higher priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "another execution domain": lambda: call("personality", 0x0400000),
    "reboot": lambda: call("reboot", 0x89ABCDEF),  # turns Ctrl-Alt-Delete on, which is harmless
    "new user namespace": lambda: call("unshare", 0x10000000),  # afterwards little else is allowed
    "chroot": lambda: os.chroot("/tmp"),  # afterwards no user namespace can be made
}

MAY = {
    *("write runtime", "write hands", "write collected", "write temporary"),
    *("read configuration", "read a file of the group video"),
    *("open null", "unix socket", "netlink socket", "run a program of the system"),
}
"""What the service needs to read numerals."""
MAY_ALONE = {"read cpuinfo", "make code"}
"""What the strict drop-in forbids."""
INSTEAD = """\
[Service]
Type=oneshot
Restart=no
StandardOutput=truncate:/srv/found
ExecStart=
ExecStart=/usr/bin/python3 /srv/probe.py
"""
"""A drop-in that runs this program in place of the service."""


def attempt(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok"


if __name__ == "__main__":
    print(json.dumps({name: attempt(action) for name, action in TRIES.items()}))
