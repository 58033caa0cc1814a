"""The camera, through picamera2: fresh grey frames with the time of their exposure, and clear errors when it fails.

Every wait is bounded: a camera whose cable came loose no longer answers, not even to `stop`.
"""

import errno
import logging
import os
import threading
import time
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import CameraError, ConfigError
from edge_lpdpl.live.config.sections import CameraConfig, FramesConfig
from edge_lpdpl.live.frames.frame import Frame, FrameSource

BUFFERS = 4
"""Frames in flight: with fewer, frames are lost; more cost contiguous memory, which is scarce."""
_WAIT = 0.5  # seconds for one frame, before it is requested again
_CLOSING = 2.0  # seconds for the camera to stop
_GREY_FORMATS = ("YUV420", "YVU420", "NV12", "NV21")  # all begin with the Y plane
_CONTINUOUS_FOCUS, _MANUAL_FOCUS = 2, 0  # libcamera's AfMode
_NO_MEMORY = (errno.ENOMEM, errno.ENOSPC)  # of contiguous memory
_INSTALL = (
    "sudo apt install python3-picamera2 and use a virtual environment made with --system-site-packages; "
    "without a camera: edge-lpdpl run --frames FOLDER_OF_PICTURES"
)


class CameraFrames(FrameSource):
    """A source of frames.

    Raises:
        ConfigError: picamera2 is not installed.
        CameraError: the camera does not exist, is busy or cannot give such frames, or memory is exhausted.
    """

    def __init__(self, frames: FramesConfig, camera: CameraConfig) -> None:
        self.name = f"camera {camera.number}"
        self.height, self.width = frames.height, frames.width
        self._patience, self._period_us = frames.timeout_s, round(1_000_000 / frames.rate)
        self._grey = np.zeros((self.height, self.width), np.uint8)
        self._sequence = -1
        self._last_frame: float | None = None  # time before the first request for a frame does not count
        self._mapped = _import_picamera2().MappedArray
        self._camera: Any = _open(camera.number)
        try:
            self._start(camera)
        except BaseException:
            self.close()
            raise

    def take(self) -> Frame | None:
        request = self._next_request()
        if request is None:
            return None
        try:
            metadata = request.get_metadata()
            self._copy_grey(request)
        finally:
            request.release()  # at once: a camera without free buffers drops frames
        self._last_frame = time.monotonic()
        self._sequence += 1
        return Frame(self._grey, self._sequence, _exposure_start(metadata))

    def adjust(self, camera: CameraConfig) -> None:
        self._camera.set_controls(self._controls(camera))

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is None:
            return
        camera.cancel_all_and_flush()
        # In another thread, because `stop` waits for an event loop that may be dead.
        closing = threading.Thread(target=camera.close, name="close camera", daemon=True)
        closing.start()
        closing.join(_CLOSING)

    def _start(self, settings: CameraConfig) -> None:
        camera = self._camera
        size, field = (self.width, self.height), (2 * self.width, 2 * self.height)
        largest = camera.sensor_resolution
        if field[0] > largest[0] or field[1] > largest[1]:
            field = size
        try:
            configuration = camera.create_video_configuration(
                # Twice the size, because some sensors crop their field of view for small pictures.
                main={"size": field, "format": "YUV420"},
                lores={"size": size, "format": "YUV420"},
                raw=None,
                buffer_count=BUFFERS,
                queue=False,  # a queued frame may be of any age
                controls=self._controls(settings),
                **_turned(settings.rotate),
            )
            camera.configure(configuration)
            self._read_layout()
            camera.start()
        except (MemoryError, OSError, RuntimeError) as error:
            if isinstance(error, MemoryError) or getattr(error, "errno", None) in _NO_MEMORY:
                fault = f"there is no memory left for the camera ({error}): make frames smaller, or give CMA more"
            else:
                fault = f"the camera cannot be started ({error}); see `rpicam-hello --list-cameras`"
            raise CameraError(fault) from error

    def _controls(self, settings: CameraConfig) -> dict[str, Any]:
        """Controls of libcamera; 0 makes exposure and gain automatic again."""
        controls: dict[str, Any] = {
            "FrameDurationLimits": (self._period_us, self._period_us),
            "ExposureTime": min(settings.exposure_us, self._period_us),
            "AnalogueGain": settings.gain,
        }
        available = self._camera.camera_controls
        if "AfMode" in available:
            controls["AfMode"] = _MANUAL_FOCUS if settings.focus else _CONTINUOUS_FOCUS
            if settings.focus:
                controls["LensPosition"] = settings.focus
        return {name: value for name, value in controls.items() if name in available}

    def _read_layout(self) -> None:
        """Check the format that the camera really gives."""
        stream = self._camera.stream_configuration("lores")
        if stream["format"] not in _GREY_FORMATS or tuple(stream["size"]) != (self.width, self.height):
            width, height = stream["size"]
            wanted, got = f"{self.width}x{self.height} YUV420", f"{width}x{height} {stream['format']}"
            raise CameraError(f"{self.name}: gives {got}, not {wanted}; set frames.width and frames.height to that")
        self._stride = int(stream["stride"])

    def _next_request(self) -> Any:
        """The next completed request; None if none came in time.

        Raises:
            CameraError: none came for too long, or the camera failed.
        """
        job = self._camera.capture_request(wait=False)
        if self._last_frame is None:
            self._last_frame = time.monotonic()
        left = self._last_frame + self._patience - time.monotonic()
        try:
            return job.get_result(timeout=min(_WAIT, max(left, 0.0)))
        except TimeoutError:
            self.timeouts += 1
            # The abandoned job would take the next frame and never return its buffer.
            self._camera.cancel_all_and_flush()
        except Exception as error:
            raise CameraError(f"{self.name}: failed ({error}); start again") from error
        try:
            return job.get_result(timeout=_WAIT)  # it came at the last moment
        except (CancelledError, TimeoutError):
            pass
        silent = time.monotonic() - self._last_frame
        if silent >= self._patience:
            raise CameraError(f"{self.name}: gives no frame for {silent:.1f} s; check its cable and start again")
        return None

    def _copy_grey(self, request: Any) -> None:
        with self._mapped(request, "lores", reshape=False, write=False) as mapped:
            self._copy_rows(mapped.array)  # no view of the buffer may remain, or some allocators cannot unmap it

    def _copy_rows(self, buffer: NDArray[np.uint8]) -> None:
        rows = buffer[: self._stride * self.height].reshape(self.height, self._stride)
        np.copyto(self._grey, rows[:, : self.width])  # bytes beyond the width are undefined


def _import_picamera2() -> Any:
    os.environ.setdefault("LIBCAMERA_LOG_LEVELS", "*:WARN")
    logging.getLogger("picamera2").addHandler(logging.NullHandler())  # errors are reported here, once
    try:
        import picamera2  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise ConfigError(f"the camera needs picamera2 ({error}): {_INSTALL}") from None
    return picamera2


def _open(number: int) -> Any:
    picamera2 = _import_picamera2()
    try:
        return picamera2.Picamera2(number)
    except (OSError, RuntimeError, IndexError) as error:
        cause = error.__cause__ or error
        if not picamera2.Picamera2.global_camera_info():
            remedy = "check its cable, then `rpicam-hello --list-cameras`; without one: edge-lpdpl run --frames"
            raise CameraError(f"there is no camera: {remedy} FOLDER_OF_PICTURES") from None
        if "busy" in str(cause).lower():
            raise CameraError(f"camera {number} is busy: stop what uses it (fuser -v /dev/video*)") from error
        raise CameraError(f"camera {number} cannot be opened ({cause}); see `rpicam-hello --list-cameras`") from error


def _exposure_start(metadata: dict[str, Any]) -> int:
    """Monotonic time when the exposure began. `SensorTimestamp` is the start of readout, the end of the exposure."""
    end = metadata.get("SensorTimestamp")
    if end is None:
        return time.monotonic_ns()
    return int(end) - 1000 * int(metadata.get("ExposureTime", 0))


def _turned(upside_down: bool) -> dict[str, Any]:
    if not upside_down:
        return {}
    from libcamera import Transform  # type: ignore[import-not-found,unused-ignore]

    return {"transform": Transform(hflip=1, vflip=1)}
