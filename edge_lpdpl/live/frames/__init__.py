"""Sources of frames: the camera, a folder of pictures, a recording.

In: the section `[frames]`. Out: one `Frame` after the other. Open `sources.py` first.
"""
