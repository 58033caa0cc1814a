"""Commands of this program in processes of their own: the service, and its page."""

import contextlib
import os
import socket
import subprocess
import sys

from project import PROJECT
from service_bench import wait_until

COMMAND = [sys.executable, "-c", "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())"]
"""`edge-lpdpl`, wherever it is installed."""


class Program:
    """A command in a process of its own, which can be stopped and started again. Its state is in `folder`."""

    def __init__(self, folder, *arguments):
        self._command, self._log = [*COMMAND, *map(str, arguments)], folder / f"{arguments[0]}.log"
        self._folder, self.process = folder, None
        self.start()

    def start(self):
        environment = os.environ | {"PYTHONPATH": str(PROJECT), "XDG_STATE_HOME": str(self._folder / "state")}
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, cwd=self._folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


@contextlib.contextmanager
def service_of(folder, pictures, *settings):
    """A service that shows pictures again and again; `socket` is the path of its socket."""
    (folder / "config.toml").write_text("")
    socket_file = folder / "s"
    settings = [f"publish.socket={socket_file}", "publish.stdout=false", "frames.repeat=true", *settings]
    sets = [word for setting in settings for word in ("--set", setting)]
    program = Program(folder, "run", "--config", folder / "config.toml", "--frames", pictures, *sets)
    program.socket = socket_file
    try:
        wait_until(lambda: socket_file.exists() or program.process.poll() is not None, 400)
        yield program
    finally:
        program.stop()


@contextlib.contextmanager
def page_of(folder, service):
    """The page of a service; `address` is where it is."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = Program(folder, "web", "--socket", service.socket, "--port", port, "--config", folder / "config.toml")
    program.address = f"http://127.0.0.1:{port}/"
    try:
        wait_until(lambda: _answers(port))
        yield program
    finally:
        program.stop()


def _answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
