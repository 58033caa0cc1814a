"""`python -m train_host` is `lpdpl-train`."""

import sys

from train_host.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
