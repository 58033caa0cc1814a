"""What a viewer sees of the running service: frames, cut-outs of numerals, the steps of a decision.

In: what the loop has read, and requests of clients. Out: answers, most with bytes behind them. While nobody asks it
costs the loop one comparison a frame. Open `viewing.py` first.
"""
