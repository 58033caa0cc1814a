"""Numerals that are collected to train with, if `[collect]` of the configuration says so.

In: cut-outs of decisions, and what people say they are. Out: pictures with labels, within a quota. Open
`collecting.py` first; `store.py` is the folder.
"""
