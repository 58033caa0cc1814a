"""The configuration: default.toml beside this file explains every setting, and is the schema that files are held to.

>>> load_config((), {"frames": {"rate": 10}}).frames.rate
10
"""

from edge_lpdpl.config.loading import (
    acts_at_start,
    as_toml,
    config_files,
    default_text,
    load_config,
    merge_changes,
    needs_restart,
)
from edge_lpdpl.config.sections import Config

__all__ = [
    "Config",
    "acts_at_start",
    "as_toml",
    "config_files",
    "default_text",
    "load_config",
    "merge_changes",
    "needs_restart",
]
