"""Install the Debian packages that the lanes of emulated cores and of machines need on this computer.

PYTHONPATH=bench python tests/lanes/ready.py
"""

from arm.machine import TOOLS, install
from debian import LaneError, require_host

if __name__ == "__main__":
    install(TOOLS)
    try:
        require_host()
    except LaneError as error:
        raise SystemExit(str(error)) from None
