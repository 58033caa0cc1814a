"""The page under systemd: `provision.sh --web`, the first browser starts it, and it can do nothing but show."""

import json

import pytest
from box import Box, wait_until

WEB, SOCKET = "edge-lpdpl-web.service", "edge-lpdpl-web.socket"
SCRIPT = "/srv/checkout/firmware_scripts/provision.sh"
MOST_EXPOSED = 1.5
MOST_MEMORY = 60 << 10  # KiB


@pytest.fixture(scope="module")
def machine(provisioned, checkout):
    """A machine with the page turned on, and a service that reads pictures."""
    binds = {checkout: "/srv/checkout", checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames"}
    with Box(provisioned.root, network=True, binds=binds) as box:
        box.run(SCRIPT, "--web", timeout=900)
        box.run("systemctl", "start", "edge-lpdpl", timeout=120)
        yield box


@pytest.fixture(scope="module")
def seen(machine):
    """What a browser gets, the first one after the machine was set up."""
    before = machine.show("ActiveState", unit=WEB) | {"socket": machine.show("ActiveState", unit=SOCKET)["ActiveState"]}
    viewer = "/srv/checkout/tests/lanes/systemd/page_viewer.py"
    return before | json.loads(machine.run("python3", viewer, timeout=120))


def of_process(machine):
    """What the kernel says about the page's process."""
    process = machine.show("MainPID", unit=WEB)["MainPID"]
    lines = machine.run("cat", f"/proc/{process}/status").splitlines()
    return process, dict(line.split(":", 1) for line in lines)


def test_the_first_browser_starts_it_and_sees_the_camera(machine, seen):
    assert (seen["socket"], seen["ActiveState"]) == ("active", "inactive")
    assert machine.show("ActiveState", unit=WEB)["ActiveState"] == "active"
    assert seen["title"]
    assert seen["connected"]
    assert seen["frame"] == "ffd8"  # a JPEG
    assert seen["policy"].startswith("default-src 'none'")


def test_what_it_keeps_is_read_by_the_service(machine, seen):
    assert seen["keep"] == {"file": "/var/lib/edge-lpdpl-web/90-page.toml"}
    machine.run("systemctl", "restart", "edge-lpdpl", timeout=120)
    assert json.loads(machine.run("edge-lpdpl", "config", "show", "--json"))["page"]["ink"] == "dark"


@pytest.mark.usefixtures("seen")
class TestSandbox:
    def test_it_has_a_user_of_its_own_and_no_rights(self, machine):
        process, status = of_process(machine)
        assert machine.run("stat", "--format=%U:%G", f"/proc/{process}").strip() == "edge-lpdpl-web:edge-lpdpl-web"
        assert (status["NoNewPrivs"].strip(), status["Seccomp"].strip()) == ("1", "2")
        assert {int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")} == {0}

    def test_it_can_write_to_its_own_folder_only(self, machine):
        process, _ = of_process(machine)
        mounts = [line.split() for line in machine.run("cat", f"/proc/{process}/mountinfo").splitlines()]
        writable = {mount[4] for mount in mounts if "rw" in mount[5].split(",")}
        writable -= {path for path in writable if path.startswith(("/proc", "/dev", "/sys/fs/cgroup", "/run/host"))}
        assert writable == {"/tmp", "/var/tmp", "/var/lib/edge-lpdpl-web"}

    def test_it_takes_little_memory(self, machine):
        assert int(of_process(machine)[1]["VmRSS"].split()[0]) <= MOST_MEMORY

    def test_systemd_understands_its_units_and_finds_them_little_exposed(self, machine):
        verified = machine.attempt("systemd-analyze", "verify", "--man=no", WEB, SOCKET)
        assert (verified.returncode, verified.stderr) == (0, "")
        said = machine.run("systemd-analyze", "security", "--no-pager", WEB).splitlines()[-1]
        assert float(said.split(": ")[1].split()[0]) <= MOST_EXPOSED, said


def test_it_goes_with_the_program(machine):
    machine.run(SCRIPT, "--remove", timeout=120)
    assert machine.attempt("systemctl", "cat", SOCKET).returncode != 0
    assert machine.attempt("getent", "passwd", "edge-lpdpl-web").returncode != 0


def test_it_has_no_network_but_the_sockets_that_systemd_hands_over(box):
    """`machine` shares the network of the host, so systemd may not make one in it and goes on without: here it may."""
    box.run("systemd-sysusers", "/srv/given/systemd/edge-lpdpl-web.sysusers")
    box.shell("cp /srv/given/systemd/edge-lpdpl-web.{service,socket} /etc/systemd/system")
    box.write(f"/etc/systemd/system/{WEB}.d/sleep.conf", "[Service]\nExecStart=\nExecStart=sleep 60\n")
    box.run("systemctl", "daemon-reload")
    box.run("systemctl", "start", WEB)
    process = box.show("MainPID", unit=WEB)["MainPID"]
    begun = "the process in its sandbox"
    wait_until(lambda: box.run("readlink", f"/proc/{process}/exe").strip() == "/usr/bin/sleep", 10, begun)
    assert box.run("readlink", f"/proc/{process}/ns/net") != box.run("readlink", "/proc/1/ns/net")
    interfaces = box.run("cat", f"/proc/{process}/net/dev").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]
