"""A picture in, its numbers out: everything in one call."""

import os

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.files.pictures import PathLike, grey_of, read_large_picture
from edge_lpdpl.library.models import find_model
from edge_lpdpl.number.reader import PictureReader, Reading
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.boxes import Box


def read(picture: PathLike | Image.Image | NDArray[np.uint8], model: PathLike = "latin10") -> Reading:
    """Read the numbers in a picture. One without a side of more than 160 pixels is read as one numeral.

    Every call loads the model, in a few milliseconds. A program that reads many pictures can make a `PictureReader`.

    Args:
        picture: a file, an image of Pillow, or grey values (height, width) uint8; 8 to 4096 pixels a side. A larger
            file is scaled down; boxes are in its own pixels all the same.
        model: name of a shipped model, or a file.

    Raises:
        ImageError: the picture cannot be read.
        ModelError: there is no such model, or its file is not valid.

    >>> from edge_lpdpl import read
    >>> from edge_lpdpl.library.shipped import shipped_pictures
    >>> paths = {path.stem: path for path in shipped_pictures()}
    >>> [(number.text, number.value, number.rejected) for number in read(paths["latin_5_paper"]).numbers]
    [('5', 5, False)]
    """
    scale = 1.0
    if isinstance(picture, str | os.PathLike):
        grey, scale = read_large_picture(picture)
    elif isinstance(picture, Image.Image):
        grey = grey_of(picture)
    else:
        grey = checked_picture(picture)
    return enlarged(PictureReader(Recogniser.load(find_model(os.fspath(model)))).read(grey), scale)


def enlarged(reading: Reading, scale: float) -> Reading:
    """A reading of a picture that was scaled down, with the boxes that it has in the picture itself.

    >>> from edge_lpdpl.number.reader import Number
    >>> enlarged(Reading([Number("4", 4, 0.9, None, Box(1, 2, 3, 4), (0,))], []), 2.0).numbers[0].box
    Box(x=2, y=4, width=6, height=8)
    """
    if scale == 1:
        return reading

    def grown(box: Box) -> Box:
        left, top, right, bottom = (round(scale * side) for side in (box.x, box.y, box.right, box.bottom))
        return Box(left, top, right - left, bottom - top)

    return reading._replace(
        numbers=[one._replace(box=grown(one.box)) for one in reading.numbers],
        numerals=[one._replace(box=grown(one.box)) for one in reading.numerals],
        unread=[one._replace(box=grown(one.box)) for one in reading.unread],
    )
