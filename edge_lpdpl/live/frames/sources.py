"""What `[frames] source` names becomes what gives frames; a camera is imported only where one is wanted."""

import glob
import os
from collections.abc import Callable
from pathlib import Path

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.frame import FrameSource

CAMERA = "camera"
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".webp")


def open_frames(config: Config, complain: Callable[[str], None]) -> FrameSource:
    """Open the source that the configuration names.

    Args:
        complain: is told of pictures that are left out.

    Raises:
        ConfigError: there is no such file, or no picture in the folder.
        CameraError: there is no camera, or it is busy.
        RecordingError: the recording cannot be replayed.
    """
    source = config.frames.source
    if source == CAMERA:
        from edge_lpdpl.live.frames.camera import CameraFrames

        return CameraFrames(config.frames, config.camera)
    if source.endswith(".npy"):
        from edge_lpdpl.live.frames.recording import ReplayedFrames

        return ReplayedFrames(Path(source), repeat=config.frames.repeat, paced=not config.frames.unpaced)
    from edge_lpdpl.live.frames.pictures import PictureFrames

    return PictureFrames(find_pictures(source), config.frames, complain)


def find_pictures(source: str) -> list[Path]:
    """Pictures of a folder or a glob, sorted by name; a file is itself.

    Raises:
        ConfigError: there are none, or this user may not look for them.

    >>> find_pictures("nowhere")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ConfigError: nowhere: is no file, no folder and no glob; name pictures, a recording or "camera"
    """
    try:
        return _find_pictures(source)
    except PermissionError:
        fault = f"may not be read by user {os.geteuid()}; give everybody the right: chmod -R a+rX"
        raise ConfigError(f"{printable(source)}: {fault}") from None


def _find_pictures(source: str) -> list[Path]:
    path = Path(source)
    if path.is_file():
        return [path]
    if path.is_dir():
        found = [entry for entry in path.iterdir() if entry.suffix.lower() in PICTURES]
    else:
        found = [Path(name) for name in glob.glob(source)]
        if not found and not glob.has_magic(source):
            fault = 'is no file, no folder and no glob; name pictures, a recording or "camera"'
            raise ConfigError(f"{printable(source)}: {fault}")
    if not found:
        raise ConfigError(f"{printable(source)}: holds no pictures ({', '.join(PICTURES)})")
    return sorted(found)
