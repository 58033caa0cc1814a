"""Runs inside the booted machine: installs the package at the first start, and looks at the service at each start.

Only Python's standard library is needed. Findings go to the host through a port, one line of JSON per step; nothing is
judged here. In the end systemd switches the machine off, or the host cuts the power.
"""

import json
import os
import pwd
import re
import shutil
import subprocess
import time
from pathlib import Path

from probe import INSTEAD

UNIT = "edge-lpdpl.service"
PACKAGE = "/srv/given/edge-lpdpl.deb"
FRAMES = Path("/srv/frames")
PROBE = "/srv/checks/probe_devices.py"
MODELS = "/usr/lib/python3/dist-packages/edge_lpdpl/library/shipped_models"
SLOTS = Path("/var/lib/edge-lpdpl")
PROPERTIES = (
    *("ActiveState", "Result", "NRestarts", "ExecMainStatus", "MainPID", "User", "UnitFileState", "StatusText"),
    *("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic", "WatchdogTimestampMonotonic"),
    *("MemoryPeak", "MemoryMax", "CPUUsageNSec", "TasksCurrent"),
)


def main():
    start = re.search(r"checks=(\w+)", Path("/proc/cmdline").read_text())[1]
    try:
        STARTS[start]()
    except Exception as error:
        tell("failed", error=f"{type(error).__name__}: {error}")
    tell("end")


def install():
    """First start: install, look, stop, start, and leave the service running at power-off."""
    tell("machine", **machine())
    tell("installed", **run("apt-get", "--quiet", "--yes", "install", PACKAGE))
    look(rounds=2)
    stop()
    tell("started", **run("systemctl", "start", UNIT), service=show())


def again():
    """Second start, which ends by a power cut."""
    tell("machine", **machine())
    tell("before", lines=lines("--boot=-1"))
    look()
    tell("cut")
    time.sleep(600)


def after_cut():
    tell("machine", **machine())
    tell("before", lines=lines("--boot=-1"))
    look()
    stop()
    tell("sandbox", inside=probe(), outside=probe_outside(), greedy=take_much_memory())


def install_model():
    """Start after a cut: which model the service reads with. Then install another one; the host cuts the power."""
    reads = tell_what_it_reads_with()
    other = "latin10" if reads == "arabic10" else "arabic10"
    before = traces()
    tell("installing", model=other)
    command = ["edge-lpdpl", "model", "install", f"{MODELS}/{other}.safetensors", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as installing:
        while installing.poll() is None and traces() == before:
            time.sleep(0.01)
        tell("writing")
        output = installing.communicate()[0]
    tell("installed", status=installing.returncode, output=output)
    time.sleep(600)


def after_cuts():
    tell_what_it_reads_with()
    stop()


def tell_what_it_reads_with():
    """The model of the first decision since power-on, and what the service complained of."""
    end = time.monotonic() + 300
    while not (found := decisions()) and time.monotonic() < end:
        time.sleep(1)
    wrong = [text for _, level, text in lines("--boot") if level < 5]
    name = found[0][1]["model"]["name"]
    tell("reads", model=name, wrong=wrong, service=show())
    return name


def traces():
    """What shows that something in the slots was written, moved or removed; None while that goes on."""
    try:
        return sorted((str(path), path.lstat().st_ino, path.lstat().st_mtime_ns) for path in SLOTS.rglob("*"))
    except FileNotFoundError:
        return None


def look(rounds=1):
    """Wait until every picture has had time to be read, and report the state of the service."""
    first = show()
    end = time.monotonic() + 300
    while len(decisions()) < rounds * len(list(FRAMES.iterdir())) and time.monotonic() < end:
        time.sleep(5)
    asked = run("edge-lpdpl", "ask", "status", "--json")
    tell("service", first=first, later=show(), process=process(), status=asked, decisions=decisions(), failed=failed())


def stop():
    """Stop the service, and report what is left of it."""
    done = run("systemctl", "stop", UNIT)
    mine = pwd.getpwnam("edge-lpdpl").pw_uid
    processes = [path.name for path in Path("/proc").glob("[0-9]*") if path.exists() and path.stat().st_uid == mine]
    folders = [Path("/run"), Path("/dev/shm"), Path("/tmp"), Path("/var/tmp")]
    files = [str(path) for folder in folders for path in folder.iterdir() if is_of(path, mine)]
    tell("stopped", **done, service=show(), processes=processes, files=files, lines=lines("--boot"), failed=failed())


def probe():
    """What a program in the service's sandbox can do: from names to "ok" or the error."""
    subprocess.run(["modprobe", "vivid", "n_devs=1"], check=True)  # stands for a camera, as far as rights go
    subprocess.run(["udevadm", "settle"], check=True)
    for path, text in {"/srv/video": "film", "/home/ada/secret": "secret"}.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text)
    Path("/opt/edge-lpdpl").mkdir()
    shutil.chown("/srv/video", group="video")
    Path("/srv/video").chmod(0o640)
    return json.loads(instead(f"/usr/bin/python3 {PROBE}"))


def probe_outside():
    """The same as root, without a sandbox. The probe traces its parent, so a shell stands between."""
    folders = dict.fromkeys(("STATE_DIRECTORY", "HANDS_DIRECTORY", "CACHE_DIRECTORY", "RUNTIME_DIRECTORY"), "/var")
    command = ["timeout", "60", "sh", "-c", f"python3 {PROBE}; true"]
    return json.loads(subprocess.run(command, env=os.environ | folders, stdout=subprocess.PIPE).stdout)


def take_much_memory():
    """Takes 1.5 times the memory that the unit allows."""
    instead("/usr/bin/python3 -c bytearray(600<<20)")
    return show()


def instead(command):
    """Start another program as the service, and return its output."""
    drop_in = Path(f"/run/systemd/system/{UNIT}.d/zz-instead.conf")
    drop_in.parent.mkdir(parents=True, exist_ok=True)
    drop_in.write_text(INSTEAD.replace("/usr/bin/python3 /srv/probe.py", command))
    subprocess.run(["systemctl", "daemon-reload"], check=True)
    subprocess.run(["systemctl", "start", UNIT])
    return Path("/srv/found").read_text()


def machine():
    known = Path("/proc/cpuinfo").read_text()
    return {
        "system": list(os.uname()),
        "processors": re.findall(r"CPU part\s*: (\w+)", known),
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "uptime": time.monotonic(),
        "network": sorted(path.name for path in Path("/sys/class/net").iterdir()),
        "versions": run("dpkg-query", "--show", "systemd", "python3", "python3-numpy", "python3-numba")["output"],
        "settled": run("systemctl", "is-system-running")["output"].strip(),
    }


def process():
    """The running service in /proc."""
    folder = Path("/proc") / show()["MainPID"]
    status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
    mapped = {line.split(maxsplit=5)[5] for line in (folder / "maps").read_text().splitlines() if "/" in line}
    return {
        "user": pwd.getpwuid(int(status["Uid"].split()[0])).pw_name,
        "status": {name: status[name].strip() for name in ("CapEff", "NoNewPrivs", "Seccomp", "Threads", "VmHWM")},
        "mapped": sorted(mapped),
        "cache": [str(path) for path in Path("/var/cache/edge-lpdpl").rglob("*") if path.is_file()],
    }


def show():
    """Properties of the unit."""
    output = run("systemctl", "show", UNIT, f"--property={','.join(PROPERTIES)}")["output"]
    return dict(line.split("=", 1) for line in output.splitlines())


def failed():
    """Units that failed."""
    units = run("systemctl", "list-units", "--failed", "--plain", "--no-legend")["output"]
    return [line.split()[0] for line in units.splitlines()]


def lines(boot):
    """The journal of the service: microseconds since power-on, level, text."""
    output = run("journalctl", boot, f"--unit={UNIT}", "--output=json", "--all", "--no-pager")["output"]
    entries = map(json.loads, output.splitlines())
    return [[int(entry["__MONOTONIC_TIMESTAMP"]), int(entry["PRIORITY"]), entry["MESSAGE"]] for entry in entries]


def decisions():
    """Decisions since power-on, with their microseconds."""
    return [[when, json.loads(text)] for when, _, text in lines("--boot") if text.startswith("{")]


def is_of(path, user):
    return path.lstat().st_uid == user or "edge-lpdpl" in path.name


def run(*command):
    """Status and output of a command."""
    begin = time.monotonic()
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = round(time.monotonic() - begin, 2)
    return {"status": done.returncode, "output": done.stdout, "said": done.stderr, "seconds": seconds}


def tell(step, **found):
    with port_to_the_host().open("w") as port:
        port.write(json.dumps({"step": step, "at": time.monotonic(), **found}) + "\n")


def port_to_the_host():
    """The kernel's name of the port: udev's links may come later."""
    (name,) = (path for path in Path("/sys/class/virtio-ports").glob("*/name") if path.read_text() == "checks\n")
    return Path("/dev") / name.parent.name


STARTS = {kind.__name__: kind for kind in (install, again, after_cut, install_model, after_cuts)}

if __name__ == "__main__":
    main()
