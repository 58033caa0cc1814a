"""Settings that contradict each other, or that are wrong in a way that `default.toml` cannot express."""

from collections.abc import Callable, Iterator, Set
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from edge_lpdpl.errors import ConfigError, HandError
from edge_lpdpl.form.fields import faults_of_areas, faults_of_names
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.library.hands import hand_file
from edge_lpdpl.live.config.condition import parse_condition
from edge_lpdpl.live.config.form import paper_of
from edge_lpdpl.live.config.schema import Name
from edge_lpdpl.live.config.sections import TLS_FILES, ActionConfig, Config
from edge_lpdpl.number.constraints import find_contradictions

MOST_ALSO = 3
"""Models beside the first: they share the readings that a frame may have."""
_LONGEST_HOST = 253  # characters, the limit of the DNS


class Conflict(NamedTuple):
    """A value that contradicts another setting, or that no library accepts."""

    section: str
    key: str
    fault: str
    place: int | None = None
    """Which one of a section that is repeated, from 0."""
    because: tuple[Name, ...] = ()
    """Other settings without which it would be none."""

    def depends_on(self, names: Set[Name]) -> bool:
        """Whether it may be gone as soon as one of these settings is another."""
        return not names.isdisjoint({Name(self.section, self.key, self.place), *self.because})


def conflict_of(section: str, text: str, place: int | None = None) -> Conflict:
    """A conflict from a text that begins with the key.

    >>> conflict_of("numbers", "length is 17, not 1 to 16")[:3]
    ('numbers', 'length', 'is 17, not 1 to 16')
    """
    key, _, fault = text.partition(" ")
    return Conflict(section, key, fault, place)


def find_conflicts(config: Config, unknown: Set[Name] = frozenset()) -> Iterator[Conflict]:
    """What is wrong with values of which each has the right type and is within its bounds.

    Args:
        unknown: settings that have their defaults because what is given for them is wrong. What depends on one is left
            out: nobody knows yet.

    >>> from edge_lpdpl.live.config.loading import load_config
    >>> list(find_conflicts(load_config(())))
    []
    """
    for find in _CHECKS:
        for conflict in find(config):
            if not conflict.depends_on(unknown):
                yield conflict


def _of_frames(config: Config) -> Iterator[Conflict]:
    for key, size in (("width", config.frames.width), ("height", config.frames.height)):
        if size % 2:
            yield Conflict("frames", key, f"is {size}, not even")
    if not config.frames.source:
        yield Conflict("frames", "source", "is empty; name pictures, a recording, camera or -")


def _of_region(config: Config) -> Iterator[Conflict]:
    if config.page.region:
        frames, (x, y, width, height) = config.frames, config.page.region
        if x + width > frames.width or y + height > frames.height or min(width, height) < 16:
            inside = f"{frames.width}x{frames.height}"
            fault = f"is not a part of the {inside} frame of at least 16x16 pixels"
            yield Conflict("page", "region", fault, because=(Name("frames", "width"), Name("frames", "height")))


def _of_columns(config: Config) -> Iterator[Conflict]:
    if config.page.columns and config.field:
        yield Conflict("page", "columns", "is not for forms; leave out the fields", because=(Name("field", "name"),))


def _of_numbers(config: Config) -> Iterator[Conflict]:
    for text in find_contradictions(config.numbers.known):
        yield conflict_of("numbers", text)


def _of_fields(config: Config) -> Iterator[Conflict]:
    """The frame of pictures and recordings may have another size than that of the camera, so regions in pixels are held
    against the frame when it is known."""
    for place, field in enumerate(config.field):
        if not field.region:
            yield Conflict("field", "region", "is missing: give [x, y, width, height]", place)
        for text in find_contradictions(field.known):
            yield conflict_of("field", text, place)
    names = [field.name for field in config.field]
    areas = [Area(*field.region) if field.region else None for field in config.field]
    sheet = {"region": (Name("form", "align"), Name("form", "paper"))}
    for place, key, text, other in (*faults_of_names(names), *faults_of_areas(areas, names, paper_of(config))):
        because = () if other is None else (Name("field", key, other),)
        yield Conflict("field", key, text, place, (*sheet.get(key, ()), *because))


def _of_models(config: Config) -> Iterator[Conflict]:
    if len(config.model.also) > MOST_ALSO:
        yield Conflict("model", "also", f"has {len(config.model.also)} models; {MOST_ALSO} are allowed")
    if config.model.also and config.field:
        yield Conflict("model", "also", "is not for forms; name a model in each field")
    names = [config.model.file, *config.model.also]
    if twice := [name for name in config.model.also if names.count(name) > 1]:
        fault = f"has {twice[0][:60]!r}, which would read every line twice; leave it out"
        yield Conflict("model", "also", fault, because=(Name("model", "file"),))


def _of_hand(config: Config) -> Iterator[Conflict]:
    try:
        hand_file(config.model.hand)
    except HandError as error:
        yield Conflict("model", "hand", f"is {error}")


def _of_interval(config: Config) -> Iterator[Conflict]:
    rate = config.frames.rate
    if config.trigger.kind == "interval" and config.trigger.interval_ms * rate < 1000:
        fault = f"is shorter than a frame, {1000 / rate:.0f} ms at {rate} a second"
        because = (Name("trigger", "kind"), Name("frames", "rate"))
        yield Conflict("trigger", "interval_ms", fault, because=because)


def _of_exposure(config: Config) -> Iterator[Conflict]:
    frames = config.frames
    exposure_ms = min(config.camera.exposure_us / 1000, 1000 / frames.rate)  # at most one frame period
    if exposure_ms >= frames.max_age_ms:
        fault = f"makes every frame {exposure_ms:.0f} ms old; frames.max_age_ms is {frames.max_age_ms}: none is read"
        yield Conflict("camera", "exposure_us", fault, because=(Name("frames", "rate"), Name("frames", "max_age_ms")))


def _of_mqtt(config: Config) -> Iterator[Conflict]:
    for key, topic in (("topic", config.mqtt.topic), ("discovery", config.mqtt.discovery)):
        if any(character in topic for character in "#+\0"):
            yield Conflict("mqtt", key, "holds # or +")
    if not config.mqtt.topic.strip("/"):
        yield Conflict("mqtt", "topic", "is empty")
    for key in TLS_FILES:
        if getattr(config.mqtt, key) and not config.mqtt.tls:
            yield Conflict("mqtt", key, "needs mqtt.tls = true", because=(Name("mqtt", "tls"),))
    if config.mqtt.host and config.mqtt.password_file and not config.mqtt.username:
        because = Name("mqtt", "host"), Name("mqtt", "username")
        yield Conflict("mqtt", "password_file", "needs mqtt.username, the user of this password", because=because)
    if config.mqtt.key_file and not config.mqtt.cert_file:
        fault = "needs mqtt.cert_file, the certificate of this key"
        yield Conflict("mqtt", "key_file", fault, because=(Name("mqtt", "cert_file"),))
    yield from _of_host("mqtt", "host", config.mqtt.host)


def _of_metrics(config: Config) -> Iterator[Conflict]:
    yield from _of_host("metrics", "address", config.metrics.address)


def _of_host(section: str, key: str, host: str) -> Iterator[Conflict]:
    if not _may_be_host(host):
        yield Conflict(section, key, f"is {host[:60]!r}, not the name or address of a machine")


def _of_log(config: Config) -> Iterator[Conflict]:
    if config.log.file and config.log.file[-1] in "/.":
        yield Conflict("log", "file", f"is {config.log.file[:60]!r}, not the name of a file")


def _of_actions(config: Config) -> Iterator[Conflict]:
    for place, action in enumerate(config.action):
        yield from _of_action(action, place)


def _of_pins(config: Config) -> Iterator[Conflict]:
    pins = dict[int, tuple[str, tuple[Name, ...]]]()
    if config.trigger.kind == "button":
        pins[config.trigger.button_pin] = "the button", (Name("trigger", "button_pin"), Name("trigger", "kind"))
    for place, action in enumerate(config.action):
        if action.gpio in pins:
            owner, because = pins[action.gpio]
            yield Conflict("action", "gpio", f"is {action.gpio}, the pin of {owner}", place, because)
        if action.gpio >= 0:
            pins[action.gpio] = f"action {place + 1}", (Name("action", "gpio", place),)


_CHECKS: tuple[Callable[[Config], Iterator[Conflict]], ...] = (
    _of_frames,
    _of_region,
    _of_columns,
    _of_numbers,
    _of_fields,
    _of_models,
    _of_hand,
    _of_interval,
    _of_exposure,
    _of_mqtt,
    _of_metrics,
    _of_log,
    _of_actions,
    _of_pins,
)


def _of_action(action: ActionConfig, place: int) -> Iterator[Conflict]:
    try:
        parse_condition(action.when)
    except ConfigError as error:
        yield Conflict("action", "when", str(error), place)
    ways = {"webhook": bool(action.webhook), "gpio": action.gpio >= 0, "command": bool(action.command)}
    if (given := sum(ways.values())) != 1:
        fault = "needs one of webhook, gpio and command beside it" + (f", not {given}" if given else "")
        yield Conflict("action", "when", fault, place, tuple(Name("action", key, place) for key in ways))
    if action.webhook:
        try:
            parse_webhook(action.webhook)
        except ConfigError as error:
            yield Conflict("action", "webhook", str(error), place)
    if action.command and not action.command[0].startswith("/"):
        fault = f"begins with {action.command[0][:60]!r}, not with the whole path of a program"
        yield Conflict("action", "command", fault, place)


def parse_webhook(text: str) -> SplitResult:
    """The parts of the address of a webhook.

    Raises:
        ConfigError: what is wrong with it, without the text itself, because it may hold a secret.

    >>> parse_webhook("http://hub.lan:8123/api/webhook/x").hostname
    'hub.lan'
    """
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and _may_be_host(parts.hostname)
        usable = usable and parts.port != 0  # raises ValueError itself above 65535
    except ValueError:
        usable = False
    if not usable or not text.isascii() or " " in text:
        raise ConfigError("is no address as http://hub.lan:8123/api/webhook/x")
    if "@" in parts.netloc:
        raise ConfigError("holds a user name: not supported")
    return parts


def _may_be_host(text: str) -> bool:
    """Whether a name can be looked up at all.

    >>> _may_be_host("broker.lan"), _may_be_host("::1"), _may_be_host("broker..lan"), _may_be_host("http://broker")
    (True, True, False, False)
    """
    try:
        if ":" in text:  # no name has one: an address of a page, or a port, would be looked up for ever
            return isinstance(ip_address(text), IPv6Address)
        if not all(character.isalnum() or character in "-._" for character in text):
            return False
        return len(text) <= _LONGEST_HOST and text.encode("idna") is not None
    except ValueError:  # of both kinds
        return False
