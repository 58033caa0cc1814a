"""One camera: a sensor thread that fills the oldest waiting request at each frame, and its faults."""

import threading
import time

import numpy as np

from libcamera_model.buffers import FrameMetadata, Request
from libcamera_model.controls import ColorFilterArrangementEnum, ControlInfo, controls, properties
from libcamera_model.manager import manager
from libcamera_model.streams import CameraConfiguration, StreamConfiguration, StreamFormats
from libcamera_model.values import PixelFormat, Rectangle, Size, StreamRole

SENSOR = (4608, 2592)
JUNK = 0xA5
"""Bytes in the padding of a row."""
STARTUP_FRAMES = 3
SHORTEST_FRAME_US = 2000  # a real sensor takes 8 to 17 ms; tests should not wait
READOUT_SECONDS = 0.002
CONTROL_DELAY = 2  # frames until a control takes effect
AUTOMATIC = {"ExposureTime": 1000, "AnalogueGain": 1.0}
"""Defaults of the camera."""

Frame, Status = FrameMetadata.Status, Request.Status


def ramp(sequence, size):
    """A picture (height, width) in which each pixel encodes its place and the frame."""
    width, height = size
    return ((np.arange(width) + np.arange(height)[:, None] + sequence) & 255).astype(np.uint8)


class Camera:
    """Args:
    picture: from sequence and (width, height) to grey levels (height, width).
    alignment: bytes that rows are padded to: 64 up to the Pi 4, 128 on the Pi 5.
    planar_format: what YUV streams become.
    only_size: the one size that YUV streams can have, if there is only one.
    """

    def __init__(self, picture=ramp, identity="/base/imx708@1a", alignment=64, planar_format="YUV420", only_size=None):
        self.id, self.picture = identity, picture
        self.alignment, self.planar_format, self.only_size = alignment, planar_format, only_size
        self.properties = {
            properties.Model: "imx708",
            properties.Location: 2,
            properties.Rotation: 180,
            properties.ColorFilterArrangement: ColorFilterArrangementEnum.BGGR,
            properties.PixelArraySize: Size(*SENSOR),
        }
        everything = Rectangle(0, 0, *SENSOR)
        self.controls = {
            controls.ExposureTime: ControlInfo(26, 112_015_096, 20_000),
            controls.AnalogueGain: ControlInfo(1.0, 16.0, 1.0),
            controls.AeEnable: ControlInfo(False, True, True),
            controls.AwbEnable: ControlInfo(False, True, True),
            controls.FrameDurationLimits: ControlInfo(SHORTEST_FRAME_US, 112_015_395, 33_333),
            controls.NoiseReductionMode: ControlInfo(0, 4, 0),
            controls.ScalerCrop: ControlInfo(Rectangle(0, 0, 64, 64), everything, everything),
            controls.AfMode: ControlInfo(0, 2, 0),
            controls.LensPosition: ControlInfo(0.0, 32.0, 1.0),
        }
        self.busy = False
        """Whether another process holds the camera."""
        self.unplugged = False
        """Pull the cable: no more frames, and waiting requests are cancelled."""
        self.stall_seconds = 0.0
        """Extra time of the next frame."""
        self.late_seconds = 0.0
        """Delay from exposure to delivery, from now on."""
        self.next_status = Frame.Success
        """Status of the next frame."""
        self.hidden_metadata = ()
        """Names of metadata that are left out."""
        self.dropped = self.delivered = 0
        self.active = {}
        self._owned = self._running = False
        self._waiting, self._lock = [], threading.Lock()

    def __repr__(self):
        return f"<libcamera.Camera {self.id}>"

    def acquire(self):
        if self._owned or self.busy:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self._owned = True

    def release(self):
        self._owned = False

    def generate_configuration(self, roles):
        configuration = CameraConfiguration(self)
        for role in roles:
            raw = role == StreamRole.Raw
            names = {"SRGGB10_CSI2P": [(1536, 864), SENSOR]} if raw else {"YUV420": [(32, 32), SENSOR]}
            stream = StreamConfiguration(StreamFormats(names), raw)
            if raw:
                stream.pixel_format, stream.size = PixelFormat("SRGGB10_CSI2P"), Size(*SENSOR)
            configuration.append(stream)
        return configuration

    def configure(self, configuration):
        self.configuration = configuration
        if configuration.validate() == CameraConfiguration.Status.Invalid:
            raise RuntimeError("Failed to configure camera: Invalid argument")
        for stream in configuration:
            stream.stream.configuration = stream
        return 0

    def create_request(self, cookie):
        return Request(cookie)

    def start(self, wanted=None):
        if self.unplugged:
            raise RuntimeError("Failed to start camera: Input/output error")
        self.active = {**AUTOMATIC, "FrameDurationLimits": (33_333, 33_333)}
        self._act(wanted or {})
        self._delayed, self._on_their_way, self._running = [], [], True
        self._thread = threading.Thread(target=self._expose, name="sensor", daemon=True)
        self._thread.start()

    def stop(self):
        self._running = False
        self._thread.join()
        for delivery in self._on_their_way:
            delivery.join()  # libcamera has completed everything when this returns
        self._cancel_waiting()

    def queue_request(self, request):
        if not self._running:
            raise RuntimeError("Failed to queue request: Permission denied")
        with self._lock:
            self._waiting.append(request)

    def _expose(self):
        with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as name:
            name.write("sensor")  # so that its cost can be separated from the service's
        due, sequence = time.monotonic(), -1
        while self._running:
            if self.unplugged:
                self._cancel_waiting()
                return
            sequence += 1
            due = self._wait_for_frame(due)
            with self._lock:
                request = self._waiting.pop(0) if self._waiting else None
            if request is None:
                self.dropped += 1  # as on a Pi: no buffer waits
            elif not self.unplugged:
                self._complete(request, sequence, int(due * 1e9))
            else:
                with self._lock:
                    self._waiting.insert(0, request)

    def _wait_for_frame(self, due):
        shortest = max(self.active["FrameDurationLimits"][0], self.active["ExposureTime"] + 200, SHORTEST_FRAME_US)
        due = max(due + shortest / 1e6, time.monotonic()) + self.stall_seconds
        self.stall_seconds = 0.0
        while self._running and not self.unplugged and (left := due - time.monotonic()) > 0:
            time.sleep(min(left, 0.01))
        return due

    def _complete(self, request, sequence, end_of_exposure):
        if len(self._delayed) >= CONTROL_DELAY:
            self._act(self._delayed.pop(0))
        self._delayed.append(dict(request.controls))
        for stream, buffer in request.buffers.items():
            self._fill(buffer, stream.configuration, sequence)
            buffer.metadata.sequence, buffer.metadata.timestamp = sequence, end_of_exposure
        status, self.next_status = self.next_status, Frame.Success
        request.finish(Status.Complete, Frame.Startup if self.delivered < STARTUP_FRAMES else status)
        request.metadata = self._metadata(end_of_exposure)
        self.delivered += 1
        delivery = threading.Timer(READOUT_SECONDS + self.late_seconds, manager.complete, (request,))
        delivery.daemon = True
        delivery.start()
        self._on_their_way = [other for other in self._on_their_way if other.is_alive()] + [delivery]

    def _metadata(self, end_of_exposure):
        found = {
            controls.SensorTimestamp: end_of_exposure,
            controls.ExposureTime: int(self.active["ExposureTime"]),
            controls.AnalogueGain: float(self.active["AnalogueGain"]),
            controls.FrameDuration: int(self.active["FrameDurationLimits"][0]),
        }
        return {control: value for control, value in found.items() if control.name not in self.hidden_metadata}

    def _fill(self, buffer, stream, sequence):
        pixels = np.frombuffer(buffer.memory, np.uint8)[: stream.frame_size]
        width, height = stream.size.width, stream.size.height
        pixels[:] = JUNK
        if stream.is_planar:
            grey = pixels[: stream.stride * height].reshape(height, stream.stride)
            grey[:, :width] = self.picture(sequence, (width, height))

    def _act(self, wanted):
        for control, value in wanted.items():
            self.active[control.name] = value
        for name, automatic in AUTOMATIC.items():
            if self.active.get(f"{name}Mode") == 0:
                self.active[name] = automatic

    def _cancel_waiting(self):
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for request in waiting:
            request.finish(Status.Cancelled, Frame.Cancelled)
            manager.complete(request)
