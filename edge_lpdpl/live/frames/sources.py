"""The source of frames that `frames.source` names. The camera is imported only if it is named."""

import glob
import os
from collections.abc import Callable
from pathlib import Path

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.pictures import ENDINGS
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.frame import FrameSource

CAMERA, STREAM = "camera", "-"


def open_frames(config: Config, complain: Callable[[str], None]) -> FrameSource:
    """Open the source that the configuration names.

    Args:
        complain: is told which pictures are skipped.

    Raises:
        ConfigError: the file does not exist, or the folder holds no picture.
        CameraError: there is no camera, or it is busy.
        RecordingError: the recording or the stream cannot be read.
    """
    source = config.frames.source
    if source == CAMERA:
        from edge_lpdpl.live.frames.camera import CameraFrames

        return CameraFrames(config.frames, config.camera)
    if source == STREAM:
        from edge_lpdpl.live.frames.stream import StreamedFrames

        return StreamedFrames(patience=config.frames.timeout_s, paced=not config.frames.unpaced)
    if source.endswith(".npy"):
        from edge_lpdpl.live.frames.recording import ReplayedFrames

        return ReplayedFrames(Path(source), repeat=config.frames.repeat, paced=not config.frames.unpaced)
    from edge_lpdpl.live.frames.pictures import PictureFrames

    return PictureFrames(find_pictures(source), config.frames, complain)


def find_pictures(source: str) -> list[Path]:
    """Pictures of a folder or a glob, sorted by name; or the file that is named.

    Raises:
        ConfigError: there are none, or this user may not read the folder.

    >>> find_pictures("nowhere")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ConfigError: nowhere: is no file, no folder and no glob; name pictures, a recording, camera or -
    """
    if not source:
        raise ConfigError("frames.source is empty; name pictures, a recording, camera or -")
    path, shown = Path(source), printable(source)
    try:
        if path.is_file():
            return [path]
        if path.is_dir():
            found = [entry for entry in path.iterdir() if entry.suffix.lower() in ENDINGS]
        else:
            found = [Path(name) for name in glob.glob(source)]
    except PermissionError:
        remedy = "give everybody the right: chmod -R a+rX"
        raise ConfigError(f"{shown}: may not be read by user {os.geteuid()}; {remedy}") from None
    except OSError as error:
        raise ConfigError(f"{shown[:80]}: cannot be opened ({error.strerror}); check the path") from None
    if not (found or path.is_dir() or glob.has_magic(source)):
        raise ConfigError(f"{shown}: is no file, no folder and no glob; name pictures, a recording, camera or -")
    if not found:
        raise ConfigError(f"{shown}: holds no pictures ({', '.join(ENDINGS)}); folders inside it are not looked into")
    return sorted(found)
