"""Pictures of any size, read as one numeral, as a page, or as a page from nearer."""
