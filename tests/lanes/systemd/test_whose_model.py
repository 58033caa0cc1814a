"""Models in the sandbox: signatures are checked there too, and a model that kills the service is given up."""

import dataclasses

import pytest
from box import UNIT, wait_until
from service import IMPATIENT, configure, override, said, start, status

from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.trials import MOST_CRASHES
from edge_lpdpl.model.files import read_model, write_model

SLOTS = "/var/lib/edge-lpdpl/slots"
MODELS = "/srv/given/edge_lpdpl/library/shipped_models"
SCRIPT = "/srv/given/firmware_scripts/deploy_model.sh"


@pytest.fixture
def trusted(box, tmp_path):
    """Signed models only, ada's key, a model of hers, and one that swaps two labels."""
    configure(box, '[model]\ntrust = "signed"\n')
    box.shell(
        """
        ssh-keygen -q -t ed25519 -N '' -f /srv/ada
        echo "ada@example namespaces=\\"edge-lpdpl-model\\" $(cat /srv/ada.pub)" >/etc/edge-lpdpl/allowed_signers
        """
    )
    model = dataclasses.replace(read_model(shipped_model("latin10")), name="hers")
    swapped = (*model.labels[:5], *reversed(model.labels[5:7]), *model.labels[7:])
    assert swapped != model.labels
    for name, labels in (("hers", model.labels), ("swapped", swapped)):
        write_model(tmp_path / name, dataclasses.replace(model, labels=labels))
        box.write(f"/srv/{name}.safetensors", (tmp_path / name).read_bytes())
    box.run("edge-lpdpl", "model", "sign", "/srv/hers.safetensors", "--key", "/srv/ada")
    return box


@pytest.mark.parametrize("strict", [False, True], ids=["alone", "strict"])
def test_a_signed_model_is_read_in_the_sandbox(trusted, checkout, strict):
    if strict:
        override(trusted, (checkout / "systemd/strict.conf").read_text(), "strict")
    trusted.run("edge-lpdpl", "model", "install", "/srv/hers.safetensors", "--backend", "numpy")
    start(trusted)
    assert (status(trusted)["model"]["name"], status(trusted)["model_problem"]) == ("hers", None)
    trusted.run("systemctl", "reload", UNIT)
    assert status(trusted)["reload_error"] is None


def test_a_model_that_swaps_two_labels_is_refused_everywhere(trusted):
    """At the installation; and where it was put into the slot, with the old signature: at a reload and at a start."""
    trusted.run("edge-lpdpl", "model", "install", "/srv/hers.safetensors", "--backend", "numpy")
    refused = trusted.attempt("edge-lpdpl", "model", "install", "/srv/swapped.safetensors", "--backend", "numpy")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "it has no signature; needs the signature of ada@example" in refused.stderr
    start(trusted)
    trusted.shell(f"cp /srv/swapped.safetensors {SLOTS}/a/model.safetensors")
    trusted.attempt("systemctl", "reload", UNIT)
    why = "its content is not what ada@example signed as a model; needs the signature of ada@example"
    wait_until(lambda: why in (status(trusted)["reload_error"] or ""), 10, "the refusal")
    assert status(trusted)["model"]["name"] == "hers"
    trusted.run("systemctl", "restart", UNIT)
    assert status(trusted)["model"]["name"] == "chinese15"
    assert why in status(trusted)["model_problem"]


def test_a_deployment_brings_the_signature(pi, tmp_path):
    model = dataclasses.replace(read_model(shipped_model("latin10")), name="hers")
    write_model(tmp_path / "hers", model)
    pi.write("/srv/hers.safetensors", (tmp_path / "hers").read_bytes())
    pi.shell('echo "ada@example $(cat ~/.ssh/id_ed25519.pub)" >/etc/edge-lpdpl/allowed_signers')
    configure(pi, '[model]\ntrust = "signed"\n')
    pi.run("systemctl", "reload", UNIT)
    refused = pi.attempt(SCRIPT, "/srv/hers.safetensors", "ada@127.0.0.1", timeout=120)
    assert refused.returncode == 2
    assert "needs the signature of ada@example" in refused.stderr
    pi.shell("edge-lpdpl model sign /srv/hers.safetensors --key ~/.ssh/id_ed25519")
    done = pi.attempt(SCRIPT, "/srv/hers.safetensors", "ada@127.0.0.1", timeout=120)
    assert (done.returncode, status(pi)["model"]["name"]) == (0, "hers"), done
    pi.shell(f"cmp /srv/hers.safetensors.sig {SLOTS}/current/model.safetensors.sig")


KILL = """
import os, signal, time

if "RUNTIME_DIRECTORY" in os.environ:
    from edge_lpdpl.numeral.recogniser import Recogniser

    self_test = Recogniser.self_test

    def kill(self):
        if self.model.name in open("/etc/deadly").read():
            os.kill(os.getpid(), signal.SIGKILL)
        while self.model.name in open("/etc/endless").read():
            time.sleep(1)
        self_test(self)

    Recogniser.self_test = kill
"""


@pytest.fixture
def deadly(box):
    """`latin10` is good and `arabic10` current. Models named in /etc/deadly kill the service, others keep it."""
    override(box, f"{IMPATIENT}Environment=PYTHONPATH=/srv/fault\n")
    box.write("/srv/fault/sitecustomize.py", KILL)
    box.shell("touch /etc/deadly /etc/endless")
    start(box)
    for name in ("latin10", "arabic10"):
        box.run("edge-lpdpl", "model", "install", f"{MODELS}/{name}.safetensors", "--backend", "numpy")
        if name == "latin10":
            box.run("systemctl", "reload", UNIT)
            box.run("edge-lpdpl", "model", "confirm", "--wait", "30")
    box.run("systemctl", "stop", UNIT)
    return box


def start_and_crash(box, times=MOST_CRASHES):
    box.attempt("systemctl", "start", UNIT)  # the first start fails
    wait_until(lambda: box.value("ActiveState") == "active", 120, "a service that reads")
    assert int(box.value("NRestarts")) == times


def test_a_crash_loop_ends_with_the_good_model_and_then_with_the_shipped_one(deadly):
    deadly.write("/etc/deadly", "arabic10")
    start_and_crash(deadly)
    assert status(deadly)["model"]["name"] == "latin10"
    assert f"{MOST_CRASHES} starts with it ended before a frame was read" in status(deadly)["model_problem"]
    assert said(deadly, "latin10 reads instead of the installed model")
    deadly.run("systemctl", "kill", "--signal=KILL", UNIT)
    wait_until(lambda: int(deadly.value("NRestarts")) == MOST_CRASHES + 1, 20, "a restart")
    wait_until(lambda: deadly.value("ActiveState") == "active", 30, "a service that reads")
    assert status(deadly)["model"]["name"] == "latin10"  # the other one is not tried again and again
    deadly.write("/etc/deadly", "arabic10 latin10")
    deadly.run("systemctl", "stop", UNIT)
    start_and_crash(deadly, 2 * MOST_CRASHES)
    assert status(deadly)["model"]["name"] == "chinese15"


def test_a_model_that_never_comes_to_a_frame_gives_way_too(deadly):
    """The limit is that of the unit; it is five minutes there, for a Pi that has to compile."""
    override(deadly, f"{IMPATIENT.replace('60s', '15s')}Environment=PYTHONPATH=/srv/fault\n")
    deadly.write("/etc/endless", "arabic10")
    start_and_crash(deadly)
    assert status(deadly)["model"]["name"] == "latin10"


def test_a_stop_forgets_and_another_model_is_tried_at_once(deadly):
    deadly.write("/etc/deadly", "arabic10")
    start_and_crash(deadly)
    deadly.run("edge-lpdpl", "model", "install", f"{MODELS}/cheque15.safetensors", "--backend", "numpy")
    deadly.run("systemctl", "restart", UNIT)
    assert status(deadly)["model"]["name"] == "cheque15"
    deadly.run("edge-lpdpl", "model", "install", f"{MODELS}/arabic10.safetensors", "--backend", "numpy")
    deadly.write("/etc/deadly", "")
    deadly.run("systemctl", "stop", UNIT)
    start(deadly)
    assert status(deadly)["model"]["name"] == "arabic10"
