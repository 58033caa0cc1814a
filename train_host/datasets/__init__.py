"""Labelled handwriting, from the layouts in which people get it."""

from train_host.datasets.dataset import Dataset

__all__ = ["Dataset"]
