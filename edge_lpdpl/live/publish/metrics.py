"""Figures for Prometheus, those of `metrics.json` beside this file; the text is made only when it is requested."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import PublishError, how_to_install
from edge_lpdpl.live.config.sections import MetricsConfig
from edge_lpdpl.live.statistics import WINDOW

_FIGURES: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""Counters and gauges: a key of the status, the name of its metric, and an explanation."""

_PATIENCE = 5.0  # seconds that a connection, which has its own thread, may be silent


class MetricsEndpoint:
    """An HTTP server, in a thread, for the figures that `status` returns.

    Raises:
        PublishError: prometheus-client is not installed, or the port is taken.
    """

    def __init__(self, settings: MetricsConfig, status: Callable[[], dict[str, Any]]) -> None:
        try:
            from prometheus_client import CollectorRegistry, start_http_server
        except ImportError as error:
            raise PublishError(f"metrics need prometheus-client ({error}): {how_to_install('metrics')}") from None
        registry = CollectorRegistry()
        registry.register(_Collector(status))
        self._server: Any
        try:
            self._server, self._thread = start_http_server(settings.port, settings.address, registry)
        except (OSError, UnicodeError) as error:  # resolvers refuse some texts
            place, reason = f"{settings.address}:{settings.port}", getattr(error, "strerror", None) or error
            raise PublishError(f"{place}: the metrics cannot be served ({reason}); set metrics.port") from error
        self._server.RequestHandlerClass.timeout = _PATIENCE
        self._server.handle_error = lambda *_: None  # a connection that breaks needs no traceback

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._server.server_port)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(1.0)


class _Collector:
    """Asked by prometheus-client at every scrape."""

    def __init__(self, status: Callable[[], dict[str, Any]]) -> None:
        self._status = status

    def describe(self) -> list[Any]:
        return []  # otherwise it is asked before the service can answer

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

        status = self._status()
        for key, (name, help_text) in _FIGURES["counters"].items():
            yield CounterMetricFamily(f"edge_lpdpl_{name}", help_text, value=status[key])
        for key, (name, help_text) in _FIGURES["gauges"].items():
            if status[key] is not None:
                yield GaugeMetricFamily(f"edge_lpdpl_{name}", help_text.format(window=WINDOW), value=status[key])
        drops = CounterMetricFamily("edge_lpdpl_dropped", "Messages that a reader did not get", labels=["publisher"])
        for publisher, dropped in status["dropped"].items():
            drops.add_metric([publisher], dropped)
        yield drops
        yield InfoMetricFamily("edge_lpdpl_model", "The model that reads", value=status["model"])
