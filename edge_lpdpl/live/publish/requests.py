"""Requests that a client may send over the socket: one JSON object a line, `{"request": NAME, ...}`."""

import json
import pwd
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.loading import acts_at_start

REQUESTS = {
    "recognise": (),
    "status": (),
    "set": ("set",),
    "settings": (),
    "watch": (),
    "cut_outs": ("decision",),
    "explain": ("decision", "numeral"),
    "teach": ("decision", "numeral", "label", "sure"),
    "forget": ("sample", "all"),
    "hand": ("file",),
    "wear": ("hand",),
    "collected": ("from", "labelled"),
    "label": ("picture", "label"),
    "discard": ("picture", "all"),
}
"""Every request and what it takes besides `id`."""
WITH_DATA = ("watch", "cut_outs", "hand", "collected")
"""Requests whose answer has bytes behind its line, as many as its key `bytes` says."""
FOR_LISTENERS = ("status",)
"""What may be asked at the socket for listeners: nothing that changes something, or that shows what the camera sees."""
LONGEST_LINE = 4096
"""Bytes of a request; a client that sends a longer line gets an error and is disconnected."""

Reply = dict[str, Any]


class Respond(Protocol):
    """Takes the reply to a request, now or later, in any thread."""

    def __call__(self, answer: Reply, data: bytes = b"") -> None:
        """`data` goes behind the line; only answers to `WITH_DATA` have some."""


class Peer(NamedTuple):
    """Who asks: a process and its user, as the kernel tells.

    >>> print(Peer(0, 4711))
    root (uid 0, process 4711)
    """

    uid: int
    pid: int
    may_change: bool = True
    """Whether all requests are answered, or only those for listeners."""

    def __str__(self) -> str:
        return f"{self.name} (uid {self.uid}, process {self.pid})"

    @property
    def name(self) -> str:
        """Name of the user, if this machine knows it."""
        try:
            return printable(pwd.getpwuid(self.uid).pw_name)
        except KeyError:
            return "somebody"


RequestHandler = Callable[[dict[str, Any], Respond, Peer], None]
"""Called with a request, what takes the reply, and who asks."""


class RequestError(EdgeError, ValueError):
    """A request that is not valid; `identity` is its `id`, which the answer repeats, if it has one."""

    def __init__(self, message: str, identity: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.identity = dict(identity or {})


def json_value(data: bytes) -> Any:
    """The value in untrusted bytes, which an answer can repeat.

    Raises:
        ValueError, RecursionError: they are not JSON in UTF-8, are nested too deeply, or hold half of a surrogate pair.

    >>> json_value(b'["five"]')
    ['five']
    """
    value = json.loads(data.decode("utf-8"))
    json.dumps(value, ensure_ascii=False).encode()
    return value


def parse_request(line: bytes) -> dict[str, Any]:
    """A request from untrusted bytes, without their line break.

    Raises:
        RequestError: it is too long, not JSON, not an object or not a known request, or it holds half of a surrogate
            pair, which no answer can repeat.

    >>> parse_request(b'{"request": "status"}')
    {'request': 'status'}
    """
    if len(line) > LONGEST_LINE:
        raise RequestError(f"is longer than {LONGEST_LINE} bytes, and no request")
    try:
        request = json_value(line)
    except (ValueError, RecursionError):
        raise RequestError('is no JSON; send {"request": "status"} and a line break') from None
    identity = {"id": request["id"]} if isinstance(request, dict) and isinstance(request.get("id"), str | int) else {}
    if not isinstance(request, dict) or request.get("request") not in list(REQUESTS):  # it may be unhashable
        raise RequestError(f'is no request; send {{"request": NAME}}, NAME one of {", ".join(REQUESTS)}', identity)
    allowed = {"request", "id", *REQUESTS[request["request"]]}
    if not allowed >= request.keys():
        raise RequestError(f"{request['request']} takes {', '.join(sorted(allowed - {'request'}))} only", identity)
    if not isinstance(request.get("id"), str | int | None):
        raise RequestError("id is no text and no number")
    return request


def check_allowed(request: dict[str, Any], peer: Peer) -> None:
    """Refuse a request that this client may not send.

    Raises:
        RequestError: it came in at the socket for listeners, and is for the other one.
    """
    if not peer.may_change and request["request"] not in FOR_LISTENERS:
        raise RequestError(f"{request['request']} is not for listeners; join the group edge-lpdpl and log in again")


def settings_to_change(request: dict[str, Any]) -> dict[str, Any]:
    """Sections to keys to values, from the `set` of a request: `{"trigger.kind": "interval"}`. `field` is a list: all
    fields of the form, instead of those that there are.

    Raises:
        RequestError: it has another form, or names a setting that only the files can change.

    >>> settings_to_change({"request": "set", "set": {"trigger.kind": "interval"}})
    {'trigger': {'kind': 'interval'}}
    """
    wanted = request.get("set")
    if not isinstance(wanted, dict) or not wanted:
        raise RequestError('set needs {"request": "set", "set": {"SECTION.KEY": VALUE}}')
    changes: dict[str, Any] = {}
    for name, value in wanted.items():
        if name == "field":
            changes[name] = value
            continue
        section, _, key = name.partition(".")
        if section not in CHANGEABLE or section == "field":
            raise RequestError(f"{name[:60]!r} cannot be set here; [{'], ['.join(CHANGEABLE)}] can")
        if acts_at_start(section, key):
            raise RequestError(f"{name} takes effect at a start only; set it in the configuration")
        changes.setdefault(section, {})[key] = value
    return changes


CHANGEABLE = ("page", "numbers", "form", "field", "trigger", "camera")
"""Sections that a client may change. Settings that open files or connections need the right to write the files."""
