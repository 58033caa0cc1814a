"""Cards with printed rules, and what a locator finds of them."""

import numpy as np
from PIL import Image, ImageDraw


class Card:
    """A sheet on which lines are drawn, tilted by some degrees about its middle."""

    def __init__(self, tilt=0.0):
        self.image = Image.new("L", (640, 480), 200)
        self.draw = ImageDraw.Draw(self.image)
        self.turn = np.array([[np.cos(np.radians(tilt)), -np.sin(np.radians(tilt))], [0, 0]])
        self.turn[1] = -self.turn[0, 1], self.turn[0, 0]

    def line(self, *points, width=4, level=60):
        turned = (np.array(points) - (320, 240)) @ self.turn.T + (320, 240)
        self.draw.line([tuple(point) for point in turned], fill=level, width=width, joint="curve")

    def frame(self, left, top, right, bottom, width=4, level=60):
        self.line((left, top), (right, top), (right, bottom), (left, bottom), (left, top), width=width, level=level)

    def pixels(self):
        return np.asarray(self.image)


def boxes(card, count, left=120, top=180, side=80, apart=0, **pen):
    for number in range(count):
        at = left + number * (side + apart)
        card.frame(at, top, at + side, top + side, **pen)


def comb(card, count, left=120, bottom=260, cell=70, tooth=40, **pen):
    """Boxes that are open above."""
    card.line((left, bottom), (left + count * cell, bottom), **pen)
    for number in range(count + 1):
        card.line((left + number * cell, bottom), (left + number * cell, bottom - tooth), **pen)


def taken_out(locator, card):
    locator.find(card.pixels())
    return [one.box for one in locator.unread() if one.reason == "rules"]


def left_of(locator, card):
    """Boxes of the ink that may be writing and is large enough for a numeral: no specks of rules."""
    return [box for box in map(locator.box, locator.find(card.pixels())) if max(box.width, box.height) >= 18]


def seven(card, left, top, width=8):
    card.line((left, top), (left + 36, top), (left + 14, top + 50), width=width, level=40)
