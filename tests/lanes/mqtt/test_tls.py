"""TLS with a private CA and client certificates, made here, between the publisher and a real mosquitto."""

import shutil
import subprocess
import time

import pytest
from brokers import TOPIC, Broker, wait_until

from edge_lpdpl.errors import PublishError
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.mqtt import MqttPublisher

PASSPHRASE = "a passphrase"


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_ca(folder, name):
    options = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    openssl(folder, "req", *options, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")


def make_certificate(folder, ca, name, address="127.0.0.1"):
    options = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}")
    openssl(folder, "req", *options, "-keyout", f"{name}.key", "-out", f"{name}.csr")
    (folder / "extensions").write_text(f"subjectAltName = IP:{address}\n")
    signing = ("-CA", f"{ca}.crt", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", *signing, "-out", f"{name}.crt")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Of a CA `home` for the broker and the Pi, and of a CA `eve`."""
    folder = tmp_path_factory.mktemp("certificates")
    make_ca(folder, "home")
    make_ca(folder, "eve")
    make_certificate(folder, "home", "broker")
    make_certificate(folder, "home", "elsewhere", "192.0.2.1")
    make_certificate(folder, "home", "pi")
    make_certificate(folder, "eve", "other")
    openssl(folder, "ec", "-in", "pi.key", "-aes128", "-passout", f"pass:{PASSPHRASE}", "-out", "locked.key")
    for path in folder.iterdir():
        path.chmod(0o644)
    return folder


@pytest.fixture
def start(certificates, tmp_path):
    """Start a broker with a certificate, and more settings."""
    brokers = []

    def start(name="broker", *more):
        lines = [f"{key} {certificates / file}" for key, file in _files(name).items()]
        brokers.append(Broker(tmp_path, "allow_anonymous true", *lines, *more))
        return brokers[-1]

    yield start
    for broker in brokers:
        broker.stop()


def _files(name):
    return {"certfile": f"{name}.crt", "keyfile": f"{name}.key", "cafile": "home.crt"}


def connected(certificates, port, **files):
    """Whether the publisher comes to be connected, and what it complains of."""
    places = {key: str(certificates / name) for key, name in files.items()}
    values = {"host": "127.0.0.1", "port": port, "topic": TOPIC, "tls": True, **places}
    complaints = []
    publisher = MqttPublisher(load_config((), {"mqtt": values}).mqtt, 4, complaints.append)
    try:
        wait_until(lambda: publisher.connected or complaints)
        time.sleep(0.2)  # a broker may hang up behind its greeting
        return publisher.connected, complaints
    finally:
        publisher.close()


def test_a_private_ca_is_trusted_where_it_is_named(start, certificates):
    broker = start()
    assert connected(certificates, broker.port, ca_file="home.crt") == (True, [])


@pytest.mark.parametrize(("name", "ca"), [("broker", None), ("broker", "eve.crt"), ("elsewhere", "home.crt")])
def test_a_broker_that_is_not_the_right_one_is_told_nothing(start, certificates, name, ca):
    """Known to no public CA; to another private one; and with a certificate for another machine."""
    broker = start(name)
    is_connected, complaints = connected(certificates, broker.port, **({"ca_file": ca} if ca else {}))
    assert not is_connected
    assert "has no certificate that is trusted" in complaints[0]


def test_a_broker_may_ask_for_a_certificate(start, certificates):
    broker = start("broker", "require_certificate true")
    pi = {"cert_file": "pi.crt", "key_file": "pi.key"}
    assert connected(certificates, broker.port, ca_file="home.crt", **pi) == (True, [])
    for other in ({}, {"cert_file": "other.crt", "key_file": "other.key"}):
        is_connected, complaints = connected(certificates, broker.port, ca_file="home.crt", **other)
        assert not is_connected
        assert "see [mqtt] of the configuration" in complaints[0]


@pytest.mark.parametrize(
    ("files", "wrong"),
    [
        ({"ca_file": "none.crt"}, "none.crt: cannot be opened"),
        ({"ca_file": "pi.key"}, "pi.key: holds no certificate of a CA in PEM"),
        ({"cert_file": "pi.crt", "key_file": "other.key"}, "pi.crt: is no certificate in PEM that belongs to its key"),
        (
            {"cert_file": "pi.crt", "key_file": "locked.key"},
            "pi.crt: is no certificate .* may have no passphrase",
        ),
        ({"cert_file": "pi.crt"}, "pi.crt: is no certificate in PEM that belongs to its key"),
        ({"cert_file": "home.srl"}, "home.srl: is no certificate in PEM"),
    ],
)
def test_files_that_cannot_be_used_are_named_at_the_start(certificates, files, wrong):
    with pytest.raises(PublishError, match=wrong):
        connected(certificates, 1, **files)


def test_files_may_be_among_the_credentials_of_the_service(start, certificates, monkeypatch, tmp_path):
    folder = shutil.copytree(certificates, tmp_path / "credentials")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    broker = start("broker", "require_certificate true")
    names = {"ca_file": "home.crt", "cert_file": "pi.crt", "key_file": "pi.key"}
    values = {"host": "127.0.0.1", "port": broker.port, "topic": TOPIC, "tls": True, **names}
    publisher = MqttPublisher(load_config((), {"mqtt": values}).mqtt, 4)
    wait_until(lambda: publisher.connected)
    publisher.close()
