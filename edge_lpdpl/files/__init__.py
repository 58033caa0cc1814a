"""Files and terminals: atomic writing, pictures, grey arrays, tables of text. Open the file named after the thing."""
