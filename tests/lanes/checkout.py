"""A copy of the project without build products and leftovers."""

import shutil
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def copy_checkout(folder: Path) -> Path:
    """Copies tracked and new files to `folder`, which every user may enter."""
    folder.chmod(0o755)
    listed = ["git", "-c", "safe.directory=*", "-C", str(CHECKOUT), "ls-files", "-z"]
    listed += ["--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)
    return folder
