"""The compiled steps from a lattice to its most probable numbers. Open `entries.py` first."""
