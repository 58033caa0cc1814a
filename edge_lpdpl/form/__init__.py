"""Forms: a frame and named fields in, the number of each field out.

`sheet.py` says where the marks of a printed form are, `marks.py` finds them in a frame, `homography.py` maps the sheet
to the frame, and `reader.py` reads the fields; open that one first. `printing.py` writes the form as PDF.
"""
