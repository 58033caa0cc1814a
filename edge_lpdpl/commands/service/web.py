"""The commands of the page in the browser: serve it, print a link to it, or run it beside the service."""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from edge_lpdpl.commands.program import number_up_to
from edge_lpdpl.errors import ConfigError, how_to_install
from edge_lpdpl.files.text import print_result, remark

PORT = 8017
_HERE = "127.0.0.1"
_START = """
import sys
from pathlib import Path
from edge_lpdpl.commands.program import run_command
from edge_lpdpl.web.run import run
socket, address, port, keep, config = sys.argv[1:]
serve = lambda: run(Path(socket), address, int(port), (), Path(keep), config or None, beside=sys.stdin.fileno()) or 0
sys.exit(run_command("edge-lpdpl", serve))
"""


def web(arguments: argparse.Namespace) -> int:
    """Serve the page in the browser, which shows what the running service sees; --link lets a browser in."""
    from edge_lpdpl.web.tokens import make_token, state_folder

    if arguments.link:
        from edge_lpdpl.web.links import link_to

        token = make_token(state_folder())
        address = "0.0.0.0" if arguments.address == _HERE and not arguments.name else arguments.address
        link = link_to(arguments.name[0] if arguments.name else address, arguments.port, token)
        text = f"{link}\nIt lets one person in and shuts out who was in before. It is not printed again."
        print_result(arguments.json, {"link": link}, text)
        return 0
    _check_installed()
    from edge_lpdpl.live.place import default_socket
    from edge_lpdpl.web.run import run

    keep = arguments.keep or page_file(arguments.config)
    run(arguments.socket or default_socket(), arguments.address, arguments.port, arguments.name, keep, arguments.config)
    return 0


def page_file(config: str | None) -> Path:
    """The file that "keep" writes: in the page's own folder where systemd gave it one, or else a drop-in."""
    from edge_lpdpl.live.config.loading import DROP_INS, PAGE_FILE, SYSTEM_FILE

    if folder := os.environ.get("STATE_DIRECTORY", "").partition(":")[0]:
        return Path(folder) / PAGE_FILE
    return Path(config or SYSTEM_FILE).absolute().parent / DROP_INS / PAGE_FILE


@contextmanager
def page_beside(config: str | None, changes: dict[str, dict[str, Any]], port: int) -> Iterator[dict[str, Any]]:
    """Run the page in a process of its own while the block runs the service; yields the changes of its configuration.

    Raises:
        ConfigError: the configuration cannot be used, or a package is missing.
    """
    from edge_lpdpl.live.config.loading import config_files, load_config
    from edge_lpdpl.live.place import socket_path

    _check_installed()
    _check_free(port)
    with ExitStack() as opened:
        path = socket_path(load_config(config_files(config), changes).publish.socket)
        if path is None:
            path = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="edge-lpdpl-"))) / "socket"
            changes = {**changes, "publish": {**changes.get("publish", {}), "socket": str(path)}}
        options = [str(path), _HERE, str(port), str(page_file(config)), config or ""]
        # The end of its standard input ends the page, however this process ends.
        page = subprocess.Popen([sys.executable, "-c", _START, *options], stdin=subprocess.PIPE)
        ending = threading.Event()
        watching = threading.Thread(target=_tell_its_end, args=(page, ending))
        watching.start()
        opened.callback(watching.join)
        opened.callback(page.terminate)
        opened.callback(ending.set)
        yield changes


def _tell_its_end(page: "subprocess.Popen[bytes]", ending: threading.Event) -> None:
    page.wait()
    if not ending.is_set():
        again = "to see the page again, end this with Ctrl-C and start it anew"
        remark(f"the page has ended, and recognition goes on; {again}")


def _check_free(port: int) -> None:
    """Raises ConfigError where somebody else listens already."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((_HERE, port))
        except OSError as error:
            fault = f"cannot be listened on ({error.strerror}); name another port with --web-port"
            raise ConfigError(f"{_HERE}:{port}: {fault}") from error


def add_web_command(parser: argparse.ArgumentParser) -> None:
    """Add the options of `web`."""
    text = "make a new token, print the link that lets a browser in, and end"
    parser.add_argument("--link", action="store_true", help=text)
    text = "to listen on; beyond this machine a token is needed (%(default)s)"
    parser.add_argument("--address", default=_HERE, metavar="ADDRESS", help=text)
    parser.add_argument("--port", type=number_up_to(65535), default=PORT, metavar="N", help="%(default)s")
    text = "by which browsers call this machine, if not its own; repeatable"
    parser.add_argument("--name", action="append", default=[], metavar="HOST", help=text)
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="what the page's keep writes; found by itself as a rule"
    )


def _check_installed() -> None:
    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"the page needs aiohttp ({error}): {how_to_install('web')}") from None
