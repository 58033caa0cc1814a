"""Synthetic numerals, drawn by this project, so that everything runs on a machine without any data.

`strokes.toml` describes the numerals and `writers` how people differ; `trace` computes the path of the pen and
`drawing` turns it into pixels. All random numbers come from `dice`, and only exact arithmetic is done on them, so the
same options give the same bytes on every machine and with every release of NumPy. A writer or sample does not depend on
how many are asked for: writers 1 to 10 of a large set are the same as those of a set of ten.
"""
