"""Scenes: synthetic camera frames of numerals on paper, with ground truth, to develop and measure locating.

`inks` takes characters from a data set and `layout` places them. `paper` and `clutter` add everything else on the page,
`camera` simulates the way to the sensor. `compose` makes a scene of all this, `folder` writes and reads
scenes, and `scoring` shows how well a model reads them. `number_texts` says how people write a number.
All random numbers come from `synthetic.dice`: the same options give the same scenes, and scene 7 does not depend on how
many are asked for.

The package itself imports nothing, because the command line imports `options` without the extra `train`.
"""
