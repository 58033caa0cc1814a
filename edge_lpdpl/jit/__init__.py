"""How kernels are compiled, kept and loaded, and the instructions that numba lacks.

In: functions with `@kernel`. Out: C functions that take the address of a record. Open `compiler.py`, then `loader.py`.
"""
