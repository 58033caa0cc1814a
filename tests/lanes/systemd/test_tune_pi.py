"""`tune_pi.sh` on the folder of an SD card: its output, its changes, and `--undo`."""

import pytest
from provisioned import manifest
from tuning import ALL, tune

CONFIG = "# For more options see http://rptl.io/configtxt\ncamera_auto_detect=1\n\n[pi4]\narm_boost=1\n"
KERNEL = "console=serial0,115200 root=PARTUUID=1 rootfstype=ext4 fsck.repair=yes rootwait\n"


@pytest.fixture
def card(tmp_path):
    """The relevant files of an SD card with Raspberry Pi OS."""
    for folder in ("boot/firmware", "etc/systemd/system", "usr", "var/lib", "sys/devices/system/cpu/cpufreq/policy0"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "boot/firmware/config.txt").write_text(CONFIG)
    (tmp_path / "boot/firmware/cmdline.txt").write_text(KERNEL)
    (tmp_path / "etc/systemd/system/default.target").symlink_to("/usr/lib/systemd/system/graphical.target")
    (tmp_path / "sys/devices/system/cpu/cpufreq/policy0/scaling_governor").write_text("ondemand\n")
    return tmp_path


def everything(card):
    files = manifest(card, ("boot", "etc", "sys", "usr", "var"))
    return {name: entry for name, entry in files.items() if not entry.startswith("d")}


def test_without_a_setting_it_shows_how_things_are(card):
    before = everything(card)
    shown = tune(card)
    assert shown.returncode == 0
    assert {"ondemand", "2:camera_auto_detect=1", "/usr/lib/systemd/system/graphical.target"} <= set(
        shown.stdout.split()
    )
    assert everything(card) == before


def test_it_shows_each_change_and_makes_it(card):
    done = tune(card, *ALL)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()
    assert {"+dtoverlay=imx708", "+camera_auto_detect=0", "+dtparam=audio=off", "+Storage=volatile"} <= set(shown)
    assert "   start to: graphical.target -> multi-user.target" in shown
    assert (card / "boot/firmware/config.txt").read_text().startswith(CONFIG)
    assert (card / "boot/firmware/cmdline.txt").read_text() == KERNEL.replace("\n", " cgroup_enable=memory\n")
    assert (card / "etc/systemd/system/default.target").readlink().name == "multi-user.target"
    assert "performance" in (card / "etc/tmpfiles.d/edge-lpdpl-tuning.conf").read_text()


def test_again_changes_nothing(card):
    tune(card, *ALL)
    before = everything(card)
    assert "+" not in tune(card, *ALL).stdout
    assert everything(card) == before


def test_undo_takes_all_of_it_back(card):
    before = everything(card)
    tune(card, *ALL)
    tune(card, "--camera", "imx477")
    done = tune(card, "--undo")
    assert done.returncode == 0, done.stderr
    assert everything(card) == before


def test_a_last_line_without_an_end_stays_a_line_of_its_own_and_undo_gives_it_back(card):
    config = card / "boot/firmware/config.txt"
    config.write_text(CONFIG.rstrip("\n"))
    before = everything(card)
    assert "+" in tune(card, "--dry-run", *ALL).stdout
    assert everything(card) == before
    tune(card, *ALL)
    tune(card, "--camera", "imx477")
    assert config.read_text().startswith(CONFIG)
    assert config.read_text().count("begin") == 2
    assert tune(card, "--undo").returncode == 0
    assert everything(card) == before
    tune(card, *ALL)
    config.write_text(config.read_text() + "dtparam=i2c_arm=on\n")
    tune(card, "--undo")
    assert config.read_text() == CONFIG + "dtparam=i2c_arm=on\n"


def test_an_empty_file_of_the_firmware(card):
    config = card / "boot/firmware/config.txt"
    config.write_text("")
    assert tune(card, "--headless").returncode == 0
    assert config.read_text().startswith("# edge-lpdpl headless begin\n")
    tune(card, "--undo")
    assert config.read_text() == ""


def test_a_root_without_units_of_its_own(card):
    """A missing systemd folder is made, so that nothing is left half done."""
    (card / "etc/systemd/system/default.target").unlink()
    (card / "etc/systemd/system").rmdir()
    before = everything(card)
    done = tune(card, "--headless")
    assert (done.returncode, done.stderr) == (0, "")
    assert (card / "etc/systemd/system/default.target").readlink().name == "multi-user.target"
    assert tune(card, "--undo").returncode == 0
    assert everything(card) == before


def test_undo_leaves_what_somebody_else_has_changed(card):
    tune(card, *ALL)
    config = card / "boot/firmware/config.txt"
    config.write_text(config.read_text() + "[all]\ndtparam=i2c_arm=on\n")
    tune(card, "--undo")
    assert config.read_text() == CONFIG + "[all]\ndtparam=i2c_arm=on\n"


def test_a_dry_run_shows_and_changes_nothing(card):
    before = everything(card)
    assert "+dtoverlay=imx708" in tune(card, "--dry-run", *ALL).stdout
    assert everything(card) == before


def test_what_is_no_pi_is_said(card):
    (card / "boot/firmware/config.txt").unlink()
    done = tune(card, "--camera", "imx708")
    assert done.returncode == 2
    assert "no Raspberry Pi" in done.stderr


def test_an_overlay_that_is_none_is_refused(card):
    assert tune(card, "--camera", "imx708\nkernel=evil").returncode == 2
