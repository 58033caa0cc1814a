"""Where the project is."""

from pathlib import Path

PROJECT = Path(__file__).parents[2]
"""The folder of pyproject.toml."""
