"""The sections of the configuration as the program has them; what each setting is for stands in default.toml."""

from typing import Any, NamedTuple


class FramesConfig(NamedTuple):
    """Where frames come from."""

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
    """How the camera takes them."""

    number: int
    exposure_us: int
    gain: float
    focus: float
    rotate: bool


class ModelConfig(NamedTuple):
    """What reads them."""

    file: str
    backend: str


class PageConfig(NamedTuple):
    """What is looked for in a frame, and where."""

    region: tuple[int, ...]
    ink: str


class TriggerConfig(NamedTuple):
    """When."""

    kind: str
    sensitivity: int
    still_ms: int
    interval_ms: int
    button_pin: int
    bounce_ms: int


class PublishConfig(NamedTuple):
    """To whom on this machine."""

    stdout: bool
    socket: str
    queue: int


class MqttConfig(NamedTuple):
    """To whom elsewhere."""

    host: str
    port: int
    tls: bool
    username: str
    password_file: str
    topic: str
    discovery: str


class MetricsConfig(NamedTuple):
    """Where figures can be had."""

    address: str
    port: int


class Config(NamedTuple):
    """All sections."""

    frames: FramesConfig
    camera: CameraConfig
    model: ModelConfig
    page: PageConfig
    trigger: TriggerConfig
    publish: PublishConfig
    mqtt: MqttConfig
    metrics: MetricsConfig

    def values(self) -> dict[str, dict[str, Any]]:
        """Sections to keys to values, as JSON and TOML have them."""
        sections = {name: dict(section._asdict()) for name, section in self._asdict().items()}
        sections["page"]["region"] = list(self.page.region)
        return sections
