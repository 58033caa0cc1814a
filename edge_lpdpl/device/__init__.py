"""The report of one device: what a Raspberry Pi really takes, in a file that can be sent and put into a table.

- `board` the state that a timing depends on: governor, clock, temperature, throttling; one core for oneself
- `starts` from nothing to the first decision, with kernels to compile and without
- `timing` many pictures, many frames, and ten minutes without a pause
- `report` all of it, in order, as one file
"""
