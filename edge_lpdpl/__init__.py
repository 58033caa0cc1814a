"""Handwritten numerals read on a Raspberry Pi."""
