"""A configuration file is loaded and printed as the same again, or refused in a line."""

from bounded_errors import in_a_file, refused_in_a_line

from edge_lpdpl.live.config.loading import as_toml, load_config

LONGEST = 8192


def check(data: bytes) -> None:
    with in_a_file(data) as path, refused_in_a_line():
        config = load_config([path])
        with in_a_file(as_toml(config).encode()) as printed:
            assert load_config([printed]) == config
