"""The sections of the configuration as types; `default.toml` explains every setting."""

from typing import Any, NamedTuple

from edge_lpdpl.number.constraints import Known, known_from


class FramesConfig(NamedTuple):
    """Frame source settings."""

    source: str
    width: int
    height: int
    rate: int
    max_age_ms: int
    timeout_s: float
    picture_ms: int
    repeat: bool
    unpaced: bool


class CameraConfig(NamedTuple):
    """Camera settings."""

    number: int
    exposure_us: int
    gain: float
    focus: float
    rotate: bool


class ModelConfig(NamedTuple):
    """Model settings."""

    file: str
    also: tuple[str, ...]
    backend: str
    trust: str
    hand: str


class PageConfig(NamedTuple):
    """Page settings: where to look for numerals, and for which ink."""

    region: tuple[int, ...]
    ink: str
    columns: bool


class NumbersConfig(NamedTuple):
    """How sure numbers must be, and what is known about them."""

    wrong_per_thousand: int
    length: int
    minimum: int
    maximum: int
    decimals: int
    check: str

    @property
    def known(self) -> Known:
        """What is known about a number."""
        return known_from(self.length, self.minimum, self.maximum, self.decimals, self.check)


class FormConfig(NamedTuple):
    """What all fields of a form share."""

    align: str
    paper: str
    title: str


class FieldConfig(NamedTuple):
    """One field of a form."""

    name: str
    region: tuple[int, ...]
    boxes: int
    model: str
    length: int
    minimum: int
    maximum: int
    decimals: int
    check: str

    @property
    def known(self) -> Known:
        """What is known about a number."""
        return known_from(self.length, self.minimum, self.maximum, self.decimals, self.check)


class TriggerConfig(NamedTuple):
    """Trigger settings."""

    kind: str
    sensitivity: int
    still_ms: int
    interval_ms: int
    button_pin: int
    bounce_ms: int


class PublishConfig(NamedTuple):
    """Settings of publishers on this machine."""

    stdout: bool
    socket: str
    queue: int


TLS_FILES = ("ca_file", "cert_file", "key_file")
"""Settings of [mqtt] for `tls`."""


class MqttConfig(NamedTuple):
    """MQTT settings."""

    host: str
    port: int
    tls: bool
    ca_file: str
    cert_file: str
    key_file: str
    username: str
    password_file: str
    topic: str
    discovery: str
    picture: bool


class MetricsConfig(NamedTuple):
    """Prometheus endpoint settings."""

    address: str
    port: int


class LogConfig(NamedTuple):
    """Settings of the log, which keeps decisions on this machine."""

    file: str
    crops: str
    quota_mb: int
    write_s: float


class CollectConfig(NamedTuple):
    """Which numerals are collected to train with, and how many of them."""

    what: str
    quota_mb: int
    days: int


class ActionConfig(NamedTuple):
    """One action: when it happens, and what happens."""

    when: str
    webhook: str
    gpio: int
    pulse_s: float
    command: tuple[str, ...]
    timeout_s: float
    within_s: float


class Config(NamedTuple):
    """All sections."""

    frames: FramesConfig
    camera: CameraConfig
    model: ModelConfig
    page: PageConfig
    numbers: NumbersConfig
    form: FormConfig
    field: tuple[FieldConfig, ...]
    trigger: TriggerConfig
    publish: PublishConfig
    mqtt: MqttConfig
    metrics: MetricsConfig
    log: LogConfig
    collect: CollectConfig
    action: tuple[ActionConfig, ...]

    def values(self) -> dict[str, Any]:
        """Sections to keys to values, ready for JSON and TOML; a section that may be repeated is a list of them."""

        def plain(section: Any) -> dict[str, Any]:
            keys = section._asdict().items()
            return {key: list(value) if isinstance(value, tuple) else value for key, value in keys}

        sections = self._asdict()
        return {
            name: plain(section) if hasattr(section, "_asdict") else [plain(one) for one in section]
            for name, section in sections.items()
        }
