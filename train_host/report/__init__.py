"""The report: one page that `lpdpl-train report` writes from the records of `lpdpl-train compare`.

Open `write` first.
"""
