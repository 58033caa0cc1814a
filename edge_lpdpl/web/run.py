"""Start the page: on an address of this machine, or on the socket that systemd has opened."""

import asyncio
import ctypes
import logging
import os
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from aiohttp import web

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.text import printable, remark
from edge_lpdpl.live.config.loading import config_files
from edge_lpdpl.live.journal import Journal
from edge_lpdpl.web.guard import Guard
from edge_lpdpl.web.keeping import Keeping
from edge_lpdpl.web.links import is_loopback, link_to
from edge_lpdpl.web.server import Server
from edge_lpdpl.web.tokens import TokenFile, state_folder
from edge_lpdpl.web.viewers import Viewers

_FIRST_DESCRIPTOR = 3  # of systemd's socket activation
_IDLE = 600.0  # seconds without a viewer after which an activated process ends
_M_MMAP_THRESHOLD, _LARGE = -3, 128 << 10  # of malloc.h; bytes


def run(
    path: Path,
    address: str,
    port: int,
    names: Sequence[str],
    keep: Path,
    config: str | None = None,
    beside: int | None = None,
) -> None:
    """Serve the page until SIGTERM or Ctrl-C; a process that systemd started for a connection also ends when idle.

    Args:
        path: of the service's socket.
        address, port: to listen on, unless systemd hands over a socket.
        names: by which browsers may call this machine, besides its own.
        keep: the file that "keep" writes.
        config: the configuration file, with which that must agree; see `config_files`.
        beside: descriptor of a pipe at whose end this ends, too: its other end is in the process of the service.

    Raises:
        ConfigError: the address cannot be used.
    """
    _give_pictures_back()
    activated = _activated()
    listening = activated or [_listen(address, port)]
    only_here = all(is_loopback(str(one.getsockname()[0])) for one in listening)
    guard = Guard(None if only_here else TokenFile(state_folder()), names)
    url = link_to(str(listening[0].getsockname()[0]), listening[0].getsockname()[1])
    remark(f"the page is at {url}")
    if not only_here:
        remark("it needs a token: edge-lpdpl web --link")
    keeping = Keeping(keep, partial(_readable, config))
    asyncio.run(_serve(path, guard, keeping, listening, idle=bool(activated), beside=beside))


def _give_pictures_back() -> None:
    """Have glibc give the memory of a freed picture back to the system. By itself it keeps large blocks from the first
    one on that was freed, in a heap for each thread: 70 MB instead of 53 with frames of 1440x1080."""
    with suppress(AttributeError):  # another libc
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)


async def _serve(
    path: Path,
    guard: Guard,
    keeping: Keeping,
    listening: Sequence[socket.socket],
    idle: bool,
    beside: int | None,
) -> None:
    viewers, faults = Viewers(path), _Faults()
    logger = logging.Logger("page")
    logger.addHandler(faults)
    runner = web.AppRunner(
        Server(viewers, guard, keeping).app(),
        access_log=None,
        logger=logger,
        keepalive_timeout=15.0,
        handler_cancellation=True,
    )
    await runner.setup()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    if beside is not None:
        loop.add_reader(beside, _end_with, beside, ended)
    try:
        for one in listening:
            await web.SockSite(runner, one, backlog=64, shutdown_timeout=1.0).start()
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _IDLE / 10)
            if idle and not viewers.has_viewers and time.monotonic() - viewers.last_seen > _IDLE:
                return
    finally:
        await runner.cleanup()
        faults.close()


def _end_with(pipe: int, ended: asyncio.Event) -> None:
    asyncio.get_running_loop().remove_reader(pipe)
    ended.set()


class _Faults(logging.Handler):
    """What the server complains of, in lines: few, because anybody may send what is no request."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._journal = Journal()

    def emit(self, record: logging.LogRecord) -> None:
        kind, error, _ = record.exc_info or (None, None, None)
        text = f"page: {record.getMessage()}" + (f" ({kind.__name__}: {str(error)[:200]})" if kind else "")
        self._journal.complain(printable(" ".join(text.split())), kind=record.msg)

    def close(self) -> None:
        self._journal.close()
        super().close()


def _readable(config: str | None) -> list[Path]:
    """The files of the configuration; none where this user may not read them."""
    try:
        return [path for path in config_files(config) if os.access(path, os.R_OK)]
    except ConfigError:
        return []


def _activated() -> list[socket.socket]:
    """Sockets that systemd handed over."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return []
    count = int(os.environ.get("LISTEN_FDS", "0"))
    return [socket.socket(fileno=number) for number in range(_FIRST_DESCRIPTOR, _FIRST_DESCRIPTOR + count)]


def _listen(address: str, port: int) -> socket.socket:
    listener = None
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(64)
    except OSError as error:
        if listener is not None:
            listener.close()
        fault = f"cannot be listened on ({error.strerror or error}); name another with --address and --port"
        raise ConfigError(f"{address}:{port}: {fault}") from error
    listener.setblocking(False)
    return listener
