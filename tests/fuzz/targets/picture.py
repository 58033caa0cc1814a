"""A picture is decoded to a grey array of a size that can be read, or refused in a line."""

from bounded_errors import refused_in_a_line

from edge_lpdpl.files.grey import LARGEST_SIDE, SMALLEST_SIDE
from edge_lpdpl.files.pictures import decode_picture

LONGEST = 4096


def check(data: bytes) -> None:
    with refused_in_a_line():
        grey = decode_picture(data)
        assert grey.dtype == "u1"
        assert grey.flags.c_contiguous
        assert min(grey.shape) >= SMALLEST_SIDE
        assert max(grey.shape) <= LARGEST_SIDE
