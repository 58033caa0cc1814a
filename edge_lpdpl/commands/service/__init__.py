"""Commands around the live service: run it, ask it, see it in a browser, read its log."""
