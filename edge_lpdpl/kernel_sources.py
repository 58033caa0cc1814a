"""What the kernels are compiled from, and its digest: machine code belongs to one version of these files.

    python3 -I edge_lpdpl/kernel_sources.py

prints the digest. That needs nothing but Python, so that who packs machine code can tell what it was compiled from.
"""

import hashlib
from pathlib import Path

KERNEL_SOURCES = (
    *("settings", "workspace", "classify_weights", "state", "intrinsics", "bits", "views", "shrink", "opening"),
    *("paper", "bitmap", "faint_strokes", "binarise", "registers", "normalise", "octants", "hog"),
    *("classify", "pipeline"),
    *("locate.parts_table", "locate.limits", "locate.buffers", "locate.state", "locate.views", "locate.reduce"),
    *("locate.runs", "locate.contrast", "locate.parts", "locate.numerals", "locate.lifting", "locate.kernels"),
)
"""Modules that have kernels, or numbers that kernels are compiled with."""

MAKERS = ("kernel_sources", "compiled", "cross", "machine_code")
"""Modules that say how they are compiled."""


def kernel_digest() -> str:
    """Twelve hexadecimal digits that change when any kernel source does.

    >>> len(kernel_digest())
    12
    """
    folder = Path(__file__).parent
    names = (*KERNEL_SOURCES, *MAKERS)
    sources = b"".join((folder / f"{name.replace('.', '/')}.py").read_bytes() for name in names)
    return hashlib.sha256(sources).hexdigest()[:12]


if __name__ == "__main__":
    print(kernel_digest())
