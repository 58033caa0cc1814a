"""The methods that LpDPL is compared with, one module a method; `methods` is the table of all."""
