"""Who gets in, and what every answer says. The one middleware: a handler runs only for requests that passed it."""

import ipaddress
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable

from aiohttp import web

from edge_lpdpl.web.tokens import TokenFile

COOKIE = "edge-lpdpl"
OPEN = frozenset(
    {"/", "/login", *(f"/page/{name}" for name in ("login.js", "texts.js", "page.css", "en.json", "zh.json"))}
)
"""What those who are not in may load: the form for the token, which "/" is for them, and nothing of the camera."""
MOST_BODY = 4096
"""Bytes of a request's body."""
BURST, RATE = 200.0, 20.0
"""Requests of one address at once, and a second on average. To load the page takes about 20, of each browser there."""
TRIES, TRY_SECONDS = 5.0, 12.0
"""Wrong tokens of one address at once, and seconds until one more is allowed."""
_MOST_ADDRESSES = 1024

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Bucket:
    """Lets an address do something `burst` times at once and `rate` times a second on average.

    >>> bucket = Bucket(2, 1)
    >>> [bucket.take("a", now) for now in (0, 0, 0, 1)], bucket.take("b", 0)
    ([True, True, False, True], True)
    """

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float) -> bool:
        """Whether the address may; counts it."""
        left, since = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """Checks every request.

    Args:
        tokens: the token's hash; None where only this machine can connect, which needs no token.
        names: of this machine, by which browsers may call it. Addresses need no name: another site's name can be made
            to point here (DNS rebinding), an address cannot.
    """

    def __init__(self, tokens: TokenFile | None, names: Iterable[str] = ()) -> None:
        self._tokens = tokens
        own = {"localhost", *map(str.lower, names)}
        if tokens is not None:
            own |= {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        self._names = own
        self._requests, self._tries = Bucket(BURST, RATE), Bucket(TRIES, 1 / TRY_SECONDS)

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what may not be, and put the headers on every answer."""
        try:
            response = self._refusal(request) or await handler(request)
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.reason)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _refusal(self, request: web.Request) -> web.Response | None:
        if not self._requests.take(request.remote or "", time.monotonic()):
            return web.Response(status=429, text="too many requests")
        if not self.is_own(request.headers.get("Host", "")):
            return web.Response(status=421, text="this name is not of this machine; see --name")
        origin, wanted = request.headers.get("Origin"), f"{request.scheme}://{request.headers['Host']}"
        changes = request.method not in ("GET", "HEAD") or "Upgrade" in request.headers
        if (origin is None and changes) or origin not in (None, wanted):
            return web.Response(status=403, text="asked by another site")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and request.path != "/":
            return web.Response(status=403, text="asked by another site")
        if self.is_in(request) or request.path in OPEN:
            return None
        return web.Response(status=401, text="a token is needed: edge-lpdpl web --link")

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this machine.

        >>> guard = Guard(None)
        >>> [guard.is_own(host) for host in ("localhost:80", "127.0.0.1", "[::1]:80", "evil.example", "")]
        [True, True, True, False, False]
        """
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        if not name or not port.isdecimal():
            name = host
        name = name.lower().rstrip(".")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def is_in(self, request: web.Request) -> bool:
        """Whether a request comes from somebody who may see the camera's picture."""
        return self._tokens is None or self._tokens.admits(request.cookies.get(COOKIE, ""))

    def admits(self, address: str, token: str) -> bool | None:
        """Whether a token is right; None after too many wrong ones from an address."""
        if self._tokens is None:
            return True
        if not self._tries.take(address, time.monotonic()):
            return None
        return self._tokens.admits(token)
