"""What the system's page kept is read last, and cannot do harm."""

import pytest

from edge_lpdpl.live.config import loading
from edge_lpdpl.live.config.loading import config_files, load_config


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Path of the file that the system's page keeps."""
    (tmp_path / "etc").mkdir()
    monkeypatch.setattr(loading, "SYSTEM_FILE", tmp_path / "etc" / "config.toml")
    monkeypatch.setattr(loading, "KEPT_FILE", tmp_path / "90-page.toml")
    return tmp_path / "90-page.toml"


def test_it_is_read_last(kept, tmp_path):
    (tmp_path / "etc" / "config.toml").write_text('[page]\nink = "dark"\n')
    kept.write_text('[page]\nink = "light"\n')
    assert load_config(config_files()).page.ink == "light"


@pytest.mark.parametrize(
    "text",
    [
        '[publish]\nsocket = "/tmp/mine"\n',
        '[model]\nfile = "/tmp/mine"\n',
        "[camera]\nnumber = 1\n",
        '[[action]]\nwhen = "accepted"\ncommand = ["/bin/true"]\n',
        "[page]\nregion = [0, 0, 5000, 5000]\n",
        "page = 3\n",
        "field = 3\n",
        '[form]\nalign = "none"\n[[field]]\nname = "a"\nregion = [0, 0, 99, 99]\nmodel = "/tmp/mine.safetensors"\n',
        '[form]\nalign = "none"\n[[field]]\nname = "a"\nregion = [0, 0, 99, 99]\ncheck = "luhn"\n',
        "[page",
        "\0",
    ],
)
def test_one_that_holds_more_or_is_damaged_counts_as_none(text, kept):
    kept.write_text(text)
    assert kept not in config_files()


def test_it_is_not_read_with_a_named_configuration(kept, tmp_path):
    kept.write_text('[page]\nink = "light"\n')
    named = tmp_path / "mine.toml"
    named.write_text("")
    assert config_files(named) == [named]


def test_fields_that_the_page_drew_are_read(kept):
    kept.write_text('[form]\nalign = "none"\n[[field]]\nname = "a"\nregion = [0, 0, 99, 99]\nmodel = "latin10"\n')
    assert [field.name for field in load_config(config_files()).field] == ["a"]
