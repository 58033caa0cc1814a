"""Every kind of fault that can be injected into a running service, and how it is undone."""

import json
import os
import random
import shutil
import socket
import time
from contextlib import suppress

import numpy as np
from service_bench import Bench

from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.live.frames.frame import Frame

FRAME_FAULTS = ("black", "white", "noise", "torn", "small", "floats", "stale", "none", "raises")
OTHER_FAULTS = (
    "reader", "nonsense", "hang_up", "silent", "endless", "bad_set", "good_set", "recognise", "many_clients",
    "bad_config", "no_config", "hostile_model", "good_reload",
)  # fmt: skip
FAULTS = FRAME_FAULTS + OTHER_FAULTS
_SILENT_CLIENTS = 8
_REQUESTS = ({"request": "status"}, {"request": "recognise"}, {"request": "set", "set": {"trigger.sensitivity": 8}})
_ODD_NAMES = ("\ud800", "\udfff\ud800", "\0", "\u2028", "\U0010ffff", "x" * 3000, "", 10**3000, -1, True, None)


class Faults:
    """Injects faults into the service of a bench, one after the other. A frame fault lasts one frame."""

    def __init__(self, bench: Bench, seed: int = 0) -> None:
        self.bench = bench
        self.random = random.Random(seed)
        self.injected = dict.fromkeys(FAULTS, 0)
        self._noise = np.random.default_rng(seed)
        self._never_read: list[socket.socket] = []
        self._good_config = bench.file.read_text()
        self._model = bench.folder / "model.safetensors"
        self._next_frame = None
        bench.scenes.fault = self._frame

    def inject(self) -> str:
        """Inject a random fault. Returns its name."""
        name = self.random.choice(FAULTS)
        self.injected[name] += 1
        if name in FRAME_FAULTS:
            self._next_frame = name
        else:
            getattr(self, f"_{name}")()
        return name

    def close(self) -> None:
        for connection in self._never_read:
            connection.close()

    def _frame(self, frame):
        name, self._next_frame = self._next_frame, None
        if name is None:
            return frame
        if name == "none":
            return None
        if name == "raises":
            raise RuntimeError("an event loop of somebody else")
        if name == "stale":
            return frame._replace(exposed_ns=frame.exposed_ns - 2_000_000_000)
        return frame._replace(grey=self._spoilt(name, frame))

    def _spoilt(self, name, frame: Frame):
        grey = frame.grey
        if name == "torn":
            return np.roll(grey, grey.shape[0] // 2, axis=0).copy()
        return {
            "black": lambda: np.zeros_like(grey),
            "white": lambda: np.full_like(grey, 255),
            "noise": lambda: self._noise.integers(0, 256, grey.shape, np.uint8),
            "small": lambda: grey[:17, :19].copy(),
            "floats": lambda: grey.astype(np.float32),
        }[name]()

    def _reader(self):
        """The next reading fails."""
        reader = self.bench.service._setup.reader
        read = type(reader).read.__get__(reader)

        def fail(grey):
            reader.read = read
            raise ValueError("a kernel that failed")

        reader.read = fail

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(5)
        connection.connect(str(self.bench.socket))
        return connection

    def _nonsense(self):
        """Send nonsense, or a request with an odd id."""
        if self.random.random() < 0.5:
            self._ask(self.random.choice(_REQUESTS) | {"id": self.random.choice(_ODD_NAMES)})
            return
        with self._connect() as connection:
            connection.sendall(self.random.randbytes(self.random.randrange(1, 3000)) + b"\n")

    def _hang_up(self):
        with self._connect() as connection:
            connection.sendall(b'{"request": "sta')

    def _silent(self):
        """A client that never reads."""
        self._never_read.append(self._connect())
        if len(self._never_read) > _SILENT_CLIENTS:
            self._never_read.pop(0).close()

    def _endless(self):
        with self._connect() as connection, suppress(OSError):
            connection.sendall(b"x" * 100_000)

    def _ask(self, request):
        with self._connect() as connection:
            connection.sendall(json.dumps(request).encode() + b"\n")

    def _bad_set(self):
        self._ask({"request": "set", "set": {"trigger.kind": "magic", "page.region": [1]}})

    def _good_set(self):
        self._ask({"request": "set", "set": {"trigger.sensitivity": self.random.choice((7, 8, 9))}})

    def _recognise(self):
        self._ask({"request": "recognise"})

    def _many_clients(self):
        connections = [self._connect() for _ in range(20)]
        for connection in connections:
            connection.close()

    def _reload(self):
        self.bench.reloader.reload()

    def _bad_config(self):
        cut = self.random.randrange(len(self._good_config))
        self.bench.file.write_text(f"{self._good_config[:cut]}\nnonsense")
        self._reload()
        self._settle()

    def _no_config(self):
        os.unlink(self.bench.file)
        self._reload()
        self._settle()

    def _hostile_model(self):
        data = bytearray(shipped_model("chinese15").read_bytes())
        for _ in range(self.random.randrange(1, 50)):
            data[self.random.randrange(len(data))] = self.random.randrange(256)
        self._model.write_bytes(data[: self.random.randrange(1, len(data))])
        self.bench.file.write_text(f'{self._good_config}[model]\nfile = "{self._model}"\n')
        self._reload()
        self._settle()

    def _good_reload(self):
        shutil.copy(shipped_model("chinese15"), self._model)
        self.bench.file.write_text(f'{self._good_config}[model]\nfile = "{self._model}"\n')
        self._reload()
        self._settle()

    def _settle(self):
        """Wait until the reload is over, then restore the file."""
        statistics = self.bench.service.statistics
        before, end = statistics.reloads + statistics.refused_reloads, time.monotonic() + 60
        while statistics.reloads + statistics.refused_reloads == before:
            assert time.monotonic() < end, "a reload does not end"
            time.sleep(0.005)
        self.bench.file.write_text(self._good_config)
