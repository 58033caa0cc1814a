"""The compiled steps from a grey picture to a decision. Open `entries.py` first: it calls them in order."""
