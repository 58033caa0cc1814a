"""The probe of the systemd lane, and what only a machine of its own can try: devices.

It runs in place of the service; see `probe.py`, which is copied beside it.
"""

import json
import os

from probe import TRIES, attempt


def open_device(path):
    os.close(os.open(path, os.O_RDWR))


DEVICES = {
    "open a camera": lambda: open_device("/dev/video0"),
    "open the disk": lambda: open_device("/dev/vda"),
    "open the console": lambda: open_device("/dev/ttyAMA0"),
    "open the input": lambda: open_device("/dev/input/event0"),
}

if __name__ == "__main__":
    print(json.dumps({name: attempt(action) for name, action in {**DEVICES, **TRIES}.items()}))
