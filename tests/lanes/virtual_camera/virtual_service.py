"""`edge-lpdpl` inside the root, on libcamera's virtual camera: real picamera2 on real libcamera.

    python virtual_service.py run --config config.toml

Nothing of picamera2 is changed; three things that the virtual camera lacks are put around it. It has no raw stream, so
it is asked for what a camera without one answers. It wants its buffers from libcamera itself. And it does not keep a
pace, so each frame waits until it is due.
"""

import sys
import time
import types

PERIOD = 1 / 30  # seconds


class AnyName:
    def __getattr__(self, name):
        return name


def main(arguments):
    screens = sys.modules["pykms"] = types.ModuleType("pykms")  # imported by picamera2 for screens only
    screens.PixelFormat = AnyName()
    answer_for_raw_streams()
    use_virtual_camera()
    from edge_lpdpl.commands.main import main as command

    return command(arguments)


def answer_for_raw_streams():
    import libcamera

    generate = libcamera.Camera.generate_configuration
    raw, other = libcamera.StreamRole.Raw, libcamera.StreamRole.Viewfinder
    libcamera.Camera.generate_configuration = lambda camera, roles: generate(
        camera, [other if role == raw else role for role in roles]
    )


def use_virtual_camera():
    import picamera2
    from picamera2.allocators import Allocator, LibcameraAllocator

    class VirtualCamera(picamera2.Picamera2):
        def __init__(self, number):
            super().__init__(number, allocator=Allocator())
            self.allocator = LibcameraAllocator(self.camera)
            self.due = 0.0
            self.post_callback = self.keep_pace

        def keep_pace(self, request):
            self.due = max(self.due + PERIOD, time.monotonic())
            time.sleep(self.due - time.monotonic() if self.due > time.monotonic() else 0)

    picamera2.Picamera2 = VirtualCamera


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
