"""Settings that contradict each other, or that are wrong in a way that `default.toml` cannot express."""

from collections.abc import Callable, Collection, Iterator
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from edge_lpdpl.errors import ConfigError, HandError
from edge_lpdpl.library.hands import hand_file
from edge_lpdpl.live.config.condition import parse_condition
from edge_lpdpl.live.config.form import faults_of_fields
from edge_lpdpl.live.config.sections import ActionConfig, Config
from edge_lpdpl.number.constraints import constraints_of

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


def find_conflicts(config: Config, wrong: Collection[str] = ()) -> Iterator[Conflict]:
    """What is wrong with values of which each has the right type and is within its bounds.

    Args:
        wrong: sections with other mistakes; what depends on them is not looked at.

    >>> from edge_lpdpl.live.config.loading import load_config
    >>> list(find_conflicts(load_config(())))
    []
    """
    for sections, find in _CHECKS:
        if sections.isdisjoint(wrong):
            yield from find(config)


def _of_frames(config: Config) -> Iterator[Conflict]:
    for key, size in (("width", config.frames.width), ("height", config.frames.height)):
        if size % 2:
            yield Conflict("frames", key, f"is {size}, not even")


def _of_region(config: Config) -> Iterator[Conflict]:
    if config.page.region:
        frames, (x, y, width, height) = config.frames, config.page.region
        if x + width > frames.width or y + height > frames.height or min(width, height) < 16:
            inside = f"{frames.width}x{frames.height}"
            yield Conflict("page", "region", f"is not a part of the {inside} frame of at least 16x16 pixels")


def _of_numbers(config: Config) -> Iterator[Conflict]:
    try:
        constraints_of(*config.numbers[1:])
    except ConfigError as error:
        key, _, fault = str(error).partition(" ")
        yield Conflict("numbers", key, fault)


def _of_fields(config: Config) -> Iterator[Conflict]:
    for one in faults_of_fields(config):
        yield Conflict("field", one.key, one.text, one.field)


def _of_models(config: Config) -> Iterator[Conflict]:
    if len(config.model.also) > MOST_ALSO:
        yield Conflict("model", "also", f"has {len(config.model.also)} models; {MOST_ALSO} are allowed")
    if config.model.also and config.field:
        yield Conflict("model", "also", "is not for forms; name a model in each field")


def _of_hand(config: Config) -> Iterator[Conflict]:
    try:
        hand_file(config.model.hand)
    except HandError as error:
        yield Conflict("model", "hand", f"is {error}")


def _of_interval(config: Config) -> Iterator[Conflict]:
    rate = config.frames.rate
    if config.trigger.kind == "interval" and config.trigger.interval_ms * rate < 1000:
        yield Conflict("trigger", "interval_ms", f"is shorter than a frame, {1000 / rate:.0f} ms at {rate} a second")


def _of_exposure(config: Config) -> Iterator[Conflict]:
    frames = config.frames
    exposure_ms = min(config.camera.exposure_us / 1000, 1000 / frames.rate)  # at most one frame period
    if exposure_ms >= frames.max_age_ms:
        fault = f"makes every frame {exposure_ms:.0f} ms old; frames.max_age_ms is {frames.max_age_ms}: none is read"
        yield Conflict("camera", "exposure_us", fault)


def _of_mqtt(config: Config) -> Iterator[Conflict]:
    for key, topic in (("topic", config.mqtt.topic), ("discovery", config.mqtt.discovery)):
        if any(character in topic for character in "#+\0"):
            yield Conflict("mqtt", key, "holds # or +")
    if not config.mqtt.topic.strip("/"):
        yield Conflict("mqtt", "topic", "is empty")
    for key in ("ca_file", "cert_file", "key_file"):
        if getattr(config.mqtt, key) and not config.mqtt.tls:
            yield Conflict("mqtt", key, "needs mqtt.tls = true")
    if config.mqtt.key_file and not config.mqtt.cert_file:
        yield Conflict("mqtt", "key_file", "needs mqtt.cert_file, the certificate of this key")
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
        for key, fault in _faults_of_action(action):
            yield Conflict("action", key, fault, place)


def _of_pins(config: Config) -> Iterator[Conflict]:
    pins = {config.trigger.button_pin: "the button"} if config.trigger.kind == "button" else {}
    for place, action in enumerate(config.action):
        if action.gpio in pins:
            yield Conflict("action", "gpio", f"is {action.gpio}, the pin of {pins[action.gpio]}", place)
        if action.gpio >= 0:
            pins[action.gpio] = f"action {place + 1}"


_CHECKS: tuple[tuple[frozenset[str], Callable[[Config], Iterator[Conflict]]], ...] = (
    (frozenset({"frames"}), _of_frames),
    (frozenset({"page", "frames"}), _of_region),
    (frozenset({"numbers"}), _of_numbers),
    (frozenset({"field", "form"}), _of_fields),
    (frozenset({"model", "field"}), _of_models),
    (frozenset({"model"}), _of_hand),
    (frozenset({"trigger", "frames"}), _of_interval),
    (frozenset({"camera", "frames"}), _of_exposure),
    (frozenset({"mqtt"}), _of_mqtt),
    (frozenset({"metrics"}), _of_metrics),
    (frozenset({"log"}), _of_log),
    (frozenset({"action"}), _of_actions),
    (frozenset({"action", "trigger"}), _of_pins),
)
"""The sections that decide on a contradiction, and what finds it."""


def _faults_of_action(action: ActionConfig) -> Iterator[tuple[str, str]]:
    try:
        parse_condition(action.when)
    except ConfigError as error:
        yield "when", str(error)
    ways = [bool(action.webhook), action.gpio >= 0, bool(action.command)]
    if sum(ways) != 1:
        yield "when", "needs one of webhook, gpio and command beside it" + (f", not {sum(ways)}" if any(ways) else "")
    if action.webhook:
        try:
            parse_webhook(action.webhook)
        except ConfigError as error:
            yield "webhook", str(error)
    if action.command and not action.command[0].startswith("/"):
        yield "command", f"begins with {action.command[0][:60]!r}, not with the whole path of a program"


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
