"""The compiled steps that find numerals on a page. Open `entries.py` first: it calls them in order."""
