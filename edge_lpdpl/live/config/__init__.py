"""The configuration. `default.toml` explains every setting and is the schema of all configuration files.

In: TOML files. Out: one checked `Config`. Open `default.toml`, then `loading.py`.
"""
