"""Where `lpdpl-train` begins, and `python -m train_host`. It imports nothing at first: Ctrl-C while the program loads
leaves no traceback.
"""

import sys


def start() -> int:
    """Load the program and run the command of `sys.argv`; returns its exit status, 130 after Ctrl-C."""
    try:
        from train_host.commands.main import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(start())
