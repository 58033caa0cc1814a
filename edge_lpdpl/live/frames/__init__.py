"""Where frames come from: the camera, pictures, or a recording, all of which give grey frames one by one."""

from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.frames.sources import open_frames

__all__ = ["EndOfFrames", "Frame", "FrameSource", "open_frames"]
