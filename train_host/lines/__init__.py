"""What is learned about lines of writing: drawn lines in, the weights of `edge_lpdpl.number.weights` out.

Open `fit.py` first.
"""
