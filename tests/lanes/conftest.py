"""The folder of this file goes onto the path, so that every lane finds `debian`."""
