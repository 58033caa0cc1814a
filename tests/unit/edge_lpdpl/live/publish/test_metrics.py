"""Figures for Prometheus, over HTTP."""

import socket
import sys
import threading
import time
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from edge_lpdpl.errors import PublishError
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.metrics import MetricsEndpoint
from edge_lpdpl.live.statistics import Statistics


def status():
    statistics = Statistics()
    statistics.frame(age_ms=20.0)
    statistics.decision(total_us=900.0)
    model = {"name": "latin10", "digest": "sha256:0"}
    return statistics.snapshot() | {"timeouts": 2, "dropped": {"socket": 3, "mqtt": 0}, "model": model}


@pytest.fixture
def endpoint():
    settings = load_config(()).metrics
    endpoint = MetricsEndpoint(settings._replace(port=0), status)  # any free port
    yield endpoint
    endpoint.close()


def test_figures_are_what_the_service_counts(endpoint):
    with urllib.request.urlopen(f"http://127.0.0.1:{endpoint.port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["edge_lpdpl_frames_total",] == 1
    assert samples["edge_lpdpl_timeouts_total",] == 2
    assert samples["edge_lpdpl_decisions_total",] == 1
    assert samples["edge_lpdpl_decision_p99_microseconds",] == 900
    assert samples["edge_lpdpl_dropped_total", "socket"] == 3
    assert samples["edge_lpdpl_model_info", "sha256:0", "latin10"] == 1 or (
        samples["edge_lpdpl_model_info", "latin10", "sha256:0"] == 1
    )
    assert ("edge_lpdpl_frames_per_second",) not in samples  # unknown, so left out


def test_the_percentile_is_over_as_many_decisions_as_its_explanation_says(endpoint):
    with urllib.request.urlopen(f"http://127.0.0.1:{endpoint.port}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    (explained,) = [line for line in lines if line.startswith("# HELP edge_lpdpl_decision_p99")]
    statistics = Statistics()
    statistics.decision(900.0)
    for _ in range(int(explained.split()[-1]) - 1):
        statistics.decision(1.0)
    assert max(statistics._times_us) == 900.0
    statistics.decision(1.0)
    assert max(statistics._times_us) == 1.0


def test_a_connection_that_says_nothing_is_ended_and_has_no_thread_any_more(endpoint, monkeypatch, capfd):
    monkeypatch.setattr(endpoint._server.RequestHandlerClass, "timeout", 0.1)
    before = threading.active_count()
    idle = [socket.create_connection(("127.0.0.1", endpoint.port), timeout=5) for _ in range(4)]
    idle[0].sendall(b"GET /met")
    for connection in idle:
        assert connection.recv(1) == b""
        connection.close()
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() == before
    assert capfd.readouterr().err == ""


def test_it_is_off_and_local_unless_somebody_wants_it_otherwise():
    assert load_config(()).metrics == ("127.0.0.1", 0)


def test_an_address_that_no_resolver_takes():
    settings = load_config(()).metrics._replace(address="a..b", port=1)
    with pytest.raises(PublishError, match=r"a\.\.b:1: the metrics cannot be served .*label"):
        MetricsEndpoint(settings, status)


def test_a_port_that_is_taken(endpoint):
    settings = load_config((), {"metrics": {"port": endpoint.port}}).metrics
    with pytest.raises(PublishError, match=r"the metrics cannot be served .Address already in use.; set metrics\.port"):
        MetricsEndpoint(settings, status)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(PublishError, match=r"metrics need .*: pip install -e '\.\[metrics\]' in the project's folder$"):
        MetricsEndpoint(load_config(()).metrics, status)
