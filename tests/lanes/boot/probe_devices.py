"""The probe of the systemd lane, with what can only be tried on a machine of one's own: its devices.

It takes the place of the service, as that does; see `probe.py` beside it.
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
