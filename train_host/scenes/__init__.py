"""Camera frames with numerals on paper, made by the project, with their truth: to develop and to measure locating.

`inks` takes characters from a data set, `layout` says where they stand, `paper` and `clutter` are what else is there,
`light` and `camera` what happens on the way to the sensor; `compose` puts it together, `folder` writes and reads it,
`scoring` and `failures` tell how well a model reads it. All chance comes from `synthetic.dice`: the same options give
the same scenes, and scene 7 does not depend on how many are asked for.

The package itself imports nothing: the command line asks `options` what there is, without the extra `train` too.
"""
