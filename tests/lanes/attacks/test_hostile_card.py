"""The SD card is hostile: `tune_pi.sh --root CARD` runs as root on a workstation, among files that others made."""

import os
import subprocess

import pytest
from provisioned import manifest
from tuning import ALL, tune

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, as the script does")

FOLDERS = (
    *("boot/firmware", "etc/systemd/system", "etc/tmpfiles.d", "etc/systemd/journald.conf.d"),
    *("etc/systemd/system.conf.d", "usr/lib/systemd/system", "var/lib/edge-lpdpl-tuning"),
    "sys/devices/system/cpu/cpufreq/policy0",
)
FILES = {
    "boot/firmware/config.txt": "arm_boost=1\n",
    "boot/firmware/cmdline.txt": "console=tty1 rootwait\n",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "ondemand\n",
}
OTHERS = (
    *("boot/firmware/config.txt.new", "boot/firmware/cmdline.txt.new", "etc/tmpfiles.d/edge-lpdpl-tuning.conf.new"),
    *("etc/tmpfiles.d/edge-lpdpl-tuning.conf", "var/lib/edge-lpdpl-tuning/kernel-word"),
    *("var/lib/edge-lpdpl-tuning/default-target", "etc/systemd/journald.conf.d/edge-lpdpl-tuning.conf"),
)
"""Files that the script makes."""
LINKS = (*FOLDERS, "boot", "etc", "etc/systemd", "var/lib", "var", *FILES, *OTHERS)


@pytest.fixture
def host(tmp_path):
    """Files of the workstation."""
    return system(tmp_path / "host", "host's own: ")


@pytest.fixture
def card(tmp_path):
    """The relevant files of an SD card."""
    return system(tmp_path / "card", "")


def system(root, said):
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text(said + text)
    return root


@pytest.mark.parametrize("name", LINKS)
def test_no_link_leads_out_of_the_card(card, host, name):
    """Absolute, as a hostile card has them, and up and away."""
    tune(host, *ALL)
    (host / "etc/systemd/system/default.target").unlink()
    for name_of_new in OTHERS:
        (host / name_of_new).exists() or (host / name_of_new).write_text("host's own: secret\n")
    before = manifest(host, (".",))
    for target in (host / name, "../" * 40 + str(host / name)[1:]):
        subprocess.run(["rm", "-rf", card / name], check=True)
        (card / name).symlink_to(target)
        shown = [tune(card), tune(card, "--governor"), tune(card, "--undo")]
        tune(card, *ALL)
        assert manifest(host, (".",)) == before
        assert not [done for done in shown if "host's own" in done.stdout + done.stderr]


@pytest.mark.parametrize(
    "word",
    ["x//;1e touch {0} #", "x/touch {0}/e;s/y/", "x//w {0}\n", "$(touch {0})", "x' /; e touch {0}\n#"],
)
def test_no_word_of_the_card_is_run(card, host, word):
    (card / "var/lib/edge-lpdpl-tuning/kernel-word").write_text(word.format(host / "owned"))
    (card / "boot/firmware/cmdline.txt").write_text(" x console=tty1\n")
    tune(card, "--undo")
    assert not (host / "owned").exists()


@pytest.mark.parametrize("target", ["-t" + "/tmp", "/usr/lib/x\x1b]0;owned\x07", "a b", "$(id)", "x" * 5000])
def test_a_target_that_is_none_changes_nothing(card, target):
    (card / "var/lib/edge-lpdpl-tuning/default-target").write_text(target)
    before = manifest(card, (".",))
    done = tune(card, "--undo")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "default-target" in done.stderr
    assert manifest(card, (".",)) == before


def test_nothing_on_the_card_moves_the_cursor(card):
    (card / "boot/firmware/config.txt").write_text("a=\x1b]0;owned\x07\r\ncamera_auto_detect=\x9b31m\x1b[2J\n")
    for options in ((), ("--headless",), ("--undo",)):
        assert tune(card, *options).stdout.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("name", ["boot/firmware/config.txt", "boot/firmware/cmdline.txt", *OTHERS[3:6]])
def test_a_pipe_does_not_make_it_wait(card, name):
    (card / name).unlink(missing_ok=True)
    os.mkfifo(card / name)
    tune(card)
    tune(card, "--undo")
    tune(card, *ALL)  # each ends before its time


def test_links_inside_the_card_are_followed_as_there(card):
    """With /usr merged, and with folders moved by a person, the change is made where the card itself looks."""
    (card / "etc/systemd").rename(card / "usr/settings")
    (card / "etc/systemd").symlink_to("/usr/settings")
    (card / "boot/firmware/config.txt").rename(card / "boot/real.txt")
    (card / "boot/firmware/config.txt").symlink_to("../real.txt")
    before = manifest(card, (".",))
    tune(card, *ALL)
    assert (card / "usr/settings/system/default.target").is_symlink()
    assert "imx708" in (card / "boot/real.txt").read_text()
    assert tune(card, "--undo").returncode == 0
    after = manifest(card, (".",))
    assert {name: entry for name, entry in before.items() if "edge-lpdpl-tuning" not in name} == after
