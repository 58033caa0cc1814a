"""`provision.sh` in a fresh Debian 13: its output, a second run that changes nothing, and `--remove`."""

from box import Box
from provisioned import OURS

SCRIPT = "/srv/checkout/firmware_scripts/provision.sh"


def test_a_fresh_machine_reads_after_one_command(provisioned):
    for step in ("Packages", "Program", "Service, user, devices", "Kernels", "Doctor", "Bench", "Start"):
        assert f"== {step}" in provisioned.first
    assert "it runs: journalctl -fu edge-lpdpl" in provisioned.first


def test_it_says_what_debian_itself_has_not(provisioned):
    assert "no python3-picamera2 in this archive" in provisioned.first


def test_a_second_run_changes_nothing(provisioned):
    assert provisioned.after_second == provisioned.after_first
    assert "is there already" in provisioned.second
    assert "it runs already, unchanged" in provisioned.second


def test_the_environment_takes_numpy_and_pillow_from_apt(provisioned):
    """picamera2 is built for apt's NumPy. Another NumPy in the environment breaks it."""
    packages = provisioned.root / "opt/edge-lpdpl/lib/python3.13/site-packages"
    installed = {path.name for path in packages.iterdir()}
    assert {"edge_lpdpl", "numba"} <= installed
    assert not {"numpy", "PIL", "scipy", "sklearn"} & installed


def test_a_dry_run_changes_nothing(fresh, checkout):
    with Box(fresh, network=True, binds={checkout: "/srv/checkout"}) as box:
        before = box.shell(f"cd /; ls -laR --time-style=full-iso {' '.join(OURS)} /var/lib/apt | sha256sum")
        said = box.run(SCRIPT, "--dry-run", "--network")
        assert "would run: apt-get" in said
        assert "/etc/systemd/system/edge-lpdpl.service" in said
        assert box.shell(f"cd /; ls -laR --time-style=full-iso {' '.join(OURS)} /var/lib/apt | sha256sum") == before


def test_remove_undoes_it(checkout, provisioned):
    """Files that a person added stay; with --purge nothing stays."""
    with Box(provisioned.root, binds={checkout: "/srv/checkout"}) as box:
        said = box.run(SCRIPT, "--remove")
        assert "kept: /etc/edge-lpdpl" in said
        assert "kept" not in box.run(SCRIPT, "--remove", "--purge")
        left = box.shell(
            "find / -xdev -name '*edge[-_]lpdpl*' -not -path '/srv/*' -not -path '/proc/*'; ls /opt /usr/local/bin"
        )
        assert left.split() == ["/opt:", "/usr/local/bin:"]
        assert box.attempt("getent", "passwd", "edge-lpdpl").returncode == 2
        assert box.attempt("getent", "group", "edge-lpdpl", "edge-lpdpl-listen").stdout == ""
        assert box.attempt("systemctl", "status", "edge-lpdpl").returncode == 4  # no such unit
        box.run(SCRIPT, "--remove")  # again, with nothing to remove


def test_remove_leaves_users_and_groups_as_they_were(fresh, checkout, provisioned):
    with Box(provisioned.root, binds={checkout: "/srv/checkout"}) as box:
        box.run(SCRIPT, "--remove", "--purge")
        for name in ("passwd", "group"):
            assert set(box.run("cat", f"/etc/{name}").splitlines()) == set(
                (fresh / "etc" / name).read_text().splitlines()
            )
