"""Where the numerals are: a camera frame or a photograph of a page becomes boxes, in reading order.

`reduce` makes the frame small, `contrast` takes the paper off, `parts` finds what hangs together, `numerals` puts
parts together and throws out what no pen has written, `reading_order` says which one is read first, `lifting` is what
the recogniser gets. The modules called `numpy_*` do the same without a compiler.

>>> import numpy as np
>>> frame = np.full((480, 640), 200, np.uint8)
>>> frame[200:300, 100:108] = frame[200:300, 300:308] = 40
>>> Locator(480, 640).locate(frame)
[Box(x=100, y=200, width=8, height=100), Box(x=300, y=200, width=8, height=100)]
"""

from edge_lpdpl.locate.box import Box
from edge_lpdpl.locate.locator import Locator
from edge_lpdpl.locate.settings import LocateSettings
from edge_lpdpl.locate.strokes import Strokes

__all__ = ["Box", "LocateSettings", "Locator", "Strokes"]
