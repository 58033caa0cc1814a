"""The token: printed once, kept hashed, replaced whole."""

import stat

import pytest

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.web.tokens import TokenFile, make_token


def test_only_its_hash_is_kept_for_its_owner_and_group(tmp_path):
    token = make_token(tmp_path / "state")
    kept = tmp_path / "state" / "token"
    assert token not in kept.read_text()
    assert len(token) >= 43  # 256 bits
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert TokenFile(tmp_path / "state").admits(token)


def test_a_new_one_replaces_the_old_one_at_once(tmp_path):
    old = make_token(tmp_path)
    tokens = TokenFile(tmp_path)
    assert tokens.admits(old)
    new = make_token(tmp_path)
    assert (tokens.admits(old), tokens.admits(new)) == (False, True)


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 64, bytes(2000)])
def test_a_damaged_file_lets_nobody_in(content, tmp_path):
    (tmp_path / "token").write_bytes(content)
    for token in ("", "x", content.decode("latin-1")):
        assert not TokenFile(tmp_path).admits(token)


def test_a_file_that_is_gone_lets_nobody_in(tmp_path):
    token = make_token(tmp_path)
    tokens = TokenFile(tmp_path)
    assert tokens.admits(token)
    (tmp_path / "token").unlink()
    assert not tokens.admits(token)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        make_token(tmp_path / "file")
