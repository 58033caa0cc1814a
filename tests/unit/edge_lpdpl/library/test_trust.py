"""Whose a model is: signatures by ssh-keygen, and what is refused without one."""

import dataclasses
import json
import os
import shutil
import subprocess

import pytest
from template_models import ship_templates

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ModelError
from edge_lpdpl.library import signing, trust
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.slots import install_model
from edge_lpdpl.library.trust import check_trust, read_candidate, sign_model, signature_path
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.setup import prepare
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import Label

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen, which signs")

NOBODYS = "it is not signed with one of the keys that are trusted"
BEGIN = b"-----BEGIN SSH SIGNATURE-----\n"


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Keys of ada, who is trusted, and of eve."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ada", "eve"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    return folder


@pytest.fixture(autouse=True)
def signers(keys, tmp_path, monkeypatch):
    """Ada is trusted on this machine, for models only."""
    path = tmp_path / "allowed_signers"
    path.write_text(allowed("ada@example", keys / "ada"))
    monkeypatch.setattr(trust, "ALLOWED_SIGNERS", path)
    return path


def allowed(name, key, options='namespaces="edge-lpdpl-model"'):
    return f"{name} {options} {(key.with_suffix('.pub')).read_text()}"


@pytest.fixture
def model(tmp_path):
    """A valid model file that is not shipped."""
    path = tmp_path / "mine.safetensors"
    write_model(path, dataclasses.replace(read_model(shipped_model("latin10")), name="mine"))
    return path


def swap_labels(path):
    """What reads 5 says 6 from now on; the file is as whole as before."""
    model = read_model(path)
    labels = list(model.labels)
    five, six = labels[5].value, labels[6].value
    labels[5], labels[6] = Label(labels[5].character, six), Label(labels[6].character, five)
    write_model(path, dataclasses.replace(model, labels=tuple(labels)))


def refusal(path, wanted="signed"):
    with pytest.raises(ModelError) as caught:
        check_trust(read_candidate(path), wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_signed_model_is_trusted_and_the_signer_is_named(model, keys):
    made = sign_model(model, keys / "ada")
    assert made["signature"] == str(signature_path(model))
    assert made["key"].startswith("ED25519 key SHA256:")
    assert check_trust(read_candidate(model), "signed") == "ada@example"


def test_ssh_keygen_alone_signs_models_too(model, keys):
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "edge-lpdpl-model", "-f", keys / "ada", model]
    subprocess.run(command, check=True)
    assert check_trust(read_candidate(model), "signed") == "ada@example"


def test_a_model_that_swaps_two_labels_is_refused_with_the_name_of_whose_signature_is_missing(model, keys, signers):
    sign_model(model, keys / "ada")
    swap_labels(model)
    said = refusal(model)
    assert "its content is not what ada@example signed as a model; needs the signature of ada@example" in said
    assert str(signers) in said
    signature_path(model).unlink()
    assert "it has no signature; needs the signature of ada@example" in refusal(model)
    sign_model(model, keys / "eve")
    assert f"{NOBODYS}; needs the signature of ada@example" in refusal(model)


def test_a_signature_for_something_else_is_none_for_a_model(model, keys, signers):
    for options in ('namespaces="edge-lpdpl-model"', ""):
        signers.write_text(allowed("ada@example", keys / "ada", options))
        command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", keys / "ada"]
        done = subprocess.run(command, input=model.read_bytes(), capture_output=True, check=True)
        signature_path(model).write_bytes(done.stdout)
        assert "its content is not what ada@example signed as a model" in refusal(model)


def test_shipped_models_are_trusted_as_the_program_is(tmp_path, model):
    for wanted in trust.TRUST:
        check_trust(read_candidate(shipped_model("latin10")), wanted)
    copied = shutil.copy(shipped_model("latin10"), tmp_path / "else.safetensors")
    check_trust(read_candidate(tmp_path / copied), "shipped")
    assert "is no shipped model" in refusal(model, "shipped")
    swap_labels(tmp_path / "else.safetensors")
    assert "is no shipped model" in refusal(tmp_path / "else.safetensors", "shipped")


@pytest.mark.parametrize(
    "signature",
    [b"", b"x" * 100, b"\0" * 1000, BEGIN, BEGIN + b"!!"],
)
def test_a_damaged_signature_is_none(model, signature):
    signature_path(model).write_bytes(signature)
    assert NOBODYS in refusal(model)


def test_each_byte_of_a_signature_counts(model, keys):
    sign_model(model, keys / "ada")
    whole = signature_path(model).read_bytes()
    for place in range(40, len(whole) - 40, 41):
        changed = bytes([whole[place] ^ 1])
        signature_path(model).write_bytes(whole[:place] + changed + whole[place + 1 :])
        refusal(model)


@pytest.mark.parametrize("kind", ["folder", "pipe", "huge", "endless"])
def test_what_is_no_signature_file_is_refused_in_time(model, kind):
    beside = signature_path(model)
    if kind == "folder":
        beside.mkdir()
    elif kind == "pipe":
        os.mkfifo(beside)
    elif kind == "huge":
        beside.write_bytes(b"x" * (signing.LONGEST_SIGNATURE + 1))
    else:
        beside.symlink_to("/dev/zero")
    with pytest.raises(ModelError, match=r"mine\.safetensors\.sig: is "):
        read_candidate(model)


class TestSigners:
    def test_without_the_file_nobody_is_trusted(self, model, keys, signers):
        sign_model(model, keys / "ada")
        signers.unlink()
        assert "allowed_signers: cannot be opened (No such file or directory)" in refusal(model)

    @pytest.mark.parametrize("text", ["", "# nobody yet\n", "\xff\0", "ada@example\n", "x" * 5000])
    def test_a_file_without_a_key_trusts_nobody(self, model, keys, signers, text):
        sign_model(model, keys / "ada")
        signers.write_text(text, "latin-1")
        assert NOBODYS in refusal(model)

    def test_one_that_others_can_write_is_not_believed(self, model, keys, signers):
        sign_model(model, keys / "ada")
        signers.chmod(0o664)
        assert "somebody else can write to it" in refusal(model)
        signers.chmod(0o644)
        if os.geteuid() == 0:
            os.chown(signers, 65534, -1)
            assert "somebody else can write to it" in refusal(model)

    def test_who_is_removed_from_it_is_trusted_no_more(self, model, keys, signers):
        sign_model(model, keys / "ada")
        signers.write_text(allowed("eve@example", keys / "eve"))
        assert "needs the signature of eve@example" in refusal(model)

    def test_a_key_may_have_several_names_and_lines(self, model, keys, signers):
        sign_model(model, keys / "ada")
        old = allowed("old@example", keys / "ada", 'valid-before="20200101"')
        signers.write_text(old + allowed("*@home,ada@example", keys / "ada"))
        assert check_trust(read_candidate(model), "signed") in ("*@home", "ada@example")

    def test_names_that_write_to_a_terminal_are_shown_as_text(self, model, keys, signers):
        signers.write_text(allowed("ada\x1b]0;owned\x07", keys / "ada"))
        assert refusal(model).isprintable()


class TestSshKeygen:
    def test_one_that_is_missing_is_one_line(self, model, keys, monkeypatch):
        sign_model(model, keys / "ada")
        monkeypatch.setattr(signing.os, "defpath", "/nowhere")
        assert "signatures need ssh-keygen, which is missing: apt install openssh-client" in refusal(model)

    @pytest.mark.parametrize(
        ("program", "said"),
        [("sleep 60", "ssh-keygen did not end within 0.3 s"), ("kill -9 $$", NOBODYS)],
    )
    def test_one_that_hangs_or_dies_trusts_nobody(self, model, keys, monkeypatch, tmp_path, program, said):
        sign_model(model, keys / "ada")
        fake = tmp_path / "bin/ssh-keygen"
        fake.parent.mkdir()
        fake.write_text(f"#!/bin/sh\nexec {program}\n" if "sleep" in program else f"#!/bin/sh\n{program}\n")
        fake.chmod(0o755)
        monkeypatch.setattr(signing.os, "defpath", f"{fake.parent}:/usr/bin:/bin")
        monkeypatch.setattr(signing, "_CHECK_SECONDS", 0.3)
        assert said in refusal(model)

    def test_what_is_checked_is_what_is_loaded(self, model, keys):
        """The file is exchanged between reading and checking."""
        sign_model(model, keys / "ada")
        candidate = read_candidate(model)
        swap_labels(model)
        check_trust(candidate, "signed")
        assert candidate.model().labels[5].value == 5


class TestInstallation:
    def test_the_signature_goes_into_the_slot_and_comes_out_with_the_next_model(self, model, keys, tmp_path):
        sign_model(model, keys / "ada")
        done = install_model(model, tmp_path / "state", "numpy", trust="signed")
        assert done["signed_by"] == "ada@example"
        slot = tmp_path / "state/slots/a"
        assert (slot / "model.safetensors").read_bytes() == model.read_bytes()
        assert (slot / "model.safetensors.sig").read_bytes() == signature_path(model).read_bytes()
        install_model(shipped_model("arabic10"), tmp_path / "state", "numpy", trust="signed")
        install_model(shipped_model("chinese15"), tmp_path / "state", "numpy", trust="signed")
        assert sorted(os.listdir(slot)) == ["model.safetensors"]

    def test_a_model_that_is_signed_later_is_installed_again(self, model, keys, tmp_path):
        install_model(model, tmp_path / "state", "numpy")
        sign_model(model, keys / "ada")
        assert install_model(model, tmp_path / "state", "numpy", trust="signed")["changed"]

    def test_what_is_not_trusted_changes_nothing(self, model, tmp_path):
        for wanted in ("shipped", "signed"):
            with pytest.raises(ModelError):
                install_model(model, tmp_path / "state", "numpy", trust=wanted)
        assert not (tmp_path / "state").exists()


class TestService:
    @pytest.fixture
    def state(self, model, keys, tmp_path, monkeypatch):
        """A machine on which a signed model is installed."""
        monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
        sign_model(model, keys / "ada")
        install_model(model, tmp_path / "state", "numpy")
        return tmp_path / "state"

    def started(self, wanted, **how):
        config = load_config((), {"model": {"backend": "numpy", "trust": wanted}})
        return prepare(config, 64, 64, **how)

    def test_it_reads_with_a_signed_model(self, state):
        setup = self.started("signed", fall_back=True)
        assert (setup.model.name, setup.problem) == ("mine", None)

    def test_it_reads_with_a_shipped_one_where_the_installed_one_is_not_trusted(self, state):
        swap_labels(state / "slots/a/model.safetensors")
        setup = self.started("signed", fall_back=True)
        assert setup.model.name == "chinese15"
        assert "needs the signature of ada@example" in setup.problem
        assert self.started("shipped", fall_back=True).model.name == "chinese15"
        assert self.started("any", fall_back=True).model.name == "mine"

    def test_a_reload_refuses_it(self, state):
        swap_labels(state / "slots/a/model.safetensors")
        with pytest.raises(ModelError, match="needs the signature of ada@example"):
            self.started("signed")


class TestCommands:
    def run(self, capsys, *arguments):
        status = main([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else None, err

    def test_sign_and_verify(self, capsys, model, keys, signers):
        status, _, err = self.run(capsys, "model", "verify", model, "--backend", "numpy", "--trust", "signed")
        assert (status, err.count("\n")) == (2, 1)
        status, made, _ = self.run(capsys, "model", "sign", model, "--key", keys / "ada")
        assert (status, made["signature"]) == (0, f"{model}.sig")
        options = ("--trust", "signed", "--signers", signers)
        status, found, _ = self.run(capsys, "model", "verify", model, "--backend", "numpy", *options)
        assert (status, found["signed_by"], found["shipped"]) == (0, "ada@example", False)
        assert main(["model", "verify", str(model), "--backend", "numpy", "--trust", "signed"]) == 0
        assert "; signed by ada@example\n" in capsys.readouterr().out

    @pytest.mark.parametrize("key", ["none", "-oProxyCommand", "ada.txt"])
    def test_a_key_that_is_none_leaves_no_signature(self, capsys, model, tmp_path, key):
        (tmp_path / "ada.txt").write_text("no key")
        status, _, err = self.run(capsys, "model", "sign", model, f"--key={tmp_path / key if '.' in key else key}")
        assert (status, err.count("\n")) == (2, 1)
        assert "cannot sign" in err
        assert not signature_path(model).exists()

    def test_what_is_no_model_is_not_signed(self, capsys, keys, tmp_path):
        (tmp_path / "mine.safetensors").write_bytes(b"no model")
        status, _, err = self.run(capsys, "model", "sign", tmp_path / "mine.safetensors", "--key", keys / "ada")
        assert (status, "is too short" in err or "header" in err) == (2, True)
        assert not signature_path(tmp_path / "mine.safetensors").exists()
