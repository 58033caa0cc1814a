"""The Pi is hostile: what it answers is run, or shown, on the workstation that deploys a model."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "edge_lpdpl/library/shipped_models/latin10.safetensors"
HOSTILE = [
    "'; touch {0} #",
    "$(touch {0})",
    "x; touch {0}",
    "-oProxyCommand=touch {0}",
    "\n'; touch {0}; '",
    "/tmp/x' || touch {0}; '",
]
SSH = """#!/bin/sh
printf '%s\\0' "$@" >>"$LOG"
printf '%s' "$ANSWER"
printf '%s' "$ANSWER" >&2
cat >/dev/null
exit "$STATUS"
"""


@pytest.fixture
def deploy(tmp_path):
    """Deploy to a Pi that gives this answer to everything, by a program in the place of ssh."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(SSH)
    (tmp_path / "bin/ssh").chmod(0o755)

    def deploy(answer, status=0, host="pi@raspberrypi"):
        environment = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path)}
        environment |= {"ANSWER": answer, "STATUS": str(status), "LOG": str(tmp_path / "log")}
        script = [ROOT / "firmware_scripts/deploy_model.sh", MODEL, host]
        return subprocess.run(script, env=environment, cwd=tmp_path, capture_output=True, timeout=30)

    return deploy


@pytest.mark.parametrize("status", [0, 1, 255])
@pytest.mark.parametrize("words", HOSTILE)
def test_no_answer_is_run_here_or_sent_back(deploy, tmp_path, words, status):
    answer = words.format(tmp_path / "owned")
    deploy(answer, status)
    assert not (tmp_path / "owned").exists()
    arguments = (tmp_path / "log").read_bytes().decode().split("\0")
    assert not [argument for argument in arguments if "owned" in argument]


def test_no_answer_reaches_the_terminal_as_it_is(deploy):
    done = deploy("title \x1b]0;owned\x07 \x9b31m \u009b31m\r back\n")
    shown = (done.stdout + done.stderr).replace(b"\n", b"")
    assert shown.isascii()
    assert shown.decode().isprintable()


def test_the_host_is_no_option(deploy, tmp_path):
    done = deploy("", host="-oProxyCommand=touch owned")
    assert done.returncode == 2
    assert not (tmp_path / "log").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a container")
def test_a_real_one_runs_nothing_here(pi):
    """A forced command answers over a real sshd; ada could not make the file of root's."""
    pi.write("/srv/answer", "#!/bin/sh\nprintf %s \"'; touch /etc/owned; '\"\n")
    pi.shell("chmod 755 /srv/answer; sed -i 's|^|command=\"/srv/answer\" |' ~ada/.ssh/authorized_keys")
    assert "touch" in pi.run("ssh", "ada@127.0.0.1", "true")
    script = "/srv/given/firmware_scripts/deploy_model.sh"
    pi.attempt(script, "/srv/given/edge_lpdpl/library/shipped_models/latin10.safetensors", "ada@127.0.0.1")
    assert pi.attempt("test", "-e", "/etc/owned").returncode == 1
