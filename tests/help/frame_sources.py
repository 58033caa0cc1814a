"""Frames from files, taken at once."""

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.frame import EndOfFrames
from edge_lpdpl.live.frames.sources import open_frames


def source(path, complain=lambda text: None, **settings):
    """A source of frames of 64 x 64; each picture is shown twice."""
    values = {"source": str(path), "width": 64, "height": 64, "rate": 10, "picture_ms": 200, "unpaced": True} | settings
    return open_frames(load_config((), {"frames": values}), complain)


def all_frames(frames, limit=100):
    """The frames of a source until it ends, at most `limit`."""
    taken = []
    while len(taken) < limit:
        try:
            frame = frames.take()
        except EndOfFrames:
            return taken
        if frame is not None:
            taken.append(frame._replace(grey=frame.grey.copy()))
    return taken
