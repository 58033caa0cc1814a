"""The page in the browser, in a process of its own: a client of the service's socket like any other.

In: frames, decisions and answers of the service. Out: HTTP for people. If it dies, hangs or is flooded, recognition
does not notice. Open `server.py` first; `guard.py` decides who gets in; `page/` is what the browser loads.
"""
