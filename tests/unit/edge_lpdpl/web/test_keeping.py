"""What was tried on the page becomes a file that the service reads, and can be taken back."""

import tomllib

import pytest

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.web.keeping import Keeping, flat

FRAME = {"width": 640, "height": 480}


def settings(**changes):
    values = load_config((), changes).values()
    return {section: values[section] for section in ("page", "form", "field", "trigger", "camera")}


@pytest.fixture
def keeping(tmp_path):
    return Keeping(tmp_path / "config.d" / "90-page.toml")


def test_what_is_kept_is_what_the_service_reads(keeping):
    page = {"region": [10, 20, 300, 200], "ink": "dark", "columns": True}
    now = settings(page=page, camera={"gain": 2.5, "exposure_us": 9000})
    keeping.keep(flat(settings()), now, FRAME)
    loaded = load_config([keeping.path])
    assert loaded.page == ((10, 20, 300, 200), "dark", True)
    assert (loaded.camera.gain, loaded.camera.exposure_us) == (2.5, 9000)


def test_undo_goes_back_step_by_step(keeping):
    first, second = settings(page={"ink": "dark"}), settings(page={"ink": "light"})
    keeping.keep(flat(settings()), first, FRAME)
    kept = keeping.path.read_bytes()
    keeping.keep(flat(first), second, FRAME)
    assert keeping.undo()["page.ink"] == "dark"
    assert keeping.path.read_bytes() == kept
    assert keeping.undo()["page.ink"] == "auto"
    assert not keeping.path.exists()
    with pytest.raises(ConfigError, match="nothing was kept"):
        keeping.undo()


def test_what_contradicts_itself_is_not_written(keeping):
    now = settings()
    now["page"]["region"] = [0, 0, 640, 480]
    with pytest.raises(ConfigError, match=r"page\.region"):
        keeping.keep(flat(settings()), now, {"width": 320, "height": 240})
    assert not keeping.path.exists()


def test_a_file_that_cannot_be_written_is_one_line(tmp_path):
    keeping = Keeping(tmp_path / "none" / "config.d" / "90-page.toml")
    with pytest.raises(ConfigError, match=r"no folder .*none; start with --config FILE"):
        keeping.keep(flat(settings()), settings(), FRAME)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "config.d").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        keeping.keep(flat(settings()), settings(), FRAME)


def test_only_what_the_page_changed_is_kept_so_that_other_files_still_say_the_rest(keeping):
    keeping.keep({"page.ink": "auto"}, settings(page={"ink": "dark"}, trigger={"still_ms": 700}), FRAME)
    assert tomllib.loads(keeping.path.read_text()) == {"page": {"ink": "dark"}}
    keeping.keep({"camera.gain": 0}, settings(page={"ink": "dark"}, camera={"gain": 2}), FRAME)
    assert tomllib.loads(keeping.path.read_text()) == {"page": {"ink": "dark"}, "camera": {"gain": 2.0}}
    assert keeping.undo() == {"camera.gain": 0}
    assert tomllib.loads(keeping.path.read_text()) == {"page": {"ink": "dark"}}


def test_nothing_is_kept_where_nothing_was_changed(keeping):
    with pytest.raises(ConfigError, match="nothing was changed on this page"):
        keeping.keep({}, settings(), FRAME)
    assert not keeping.path.exists()


def test_only_what_the_page_changes_is_set_back():
    assert flat(settings()).keys() == {
        *("page.region", "page.ink", "page.columns", "camera.exposure_us", "camera.gain", "camera.focus"),
        *("trigger.kind", "trigger.sensitivity", "trigger.still_ms", "trigger.interval_ms"),
        *("form.align", "field"),
    }


def field(name, x=0, **more):
    return {"name": name, "region": [x, 0, 90, 90], **more}


def drawn(*fields):
    return settings(form={"align": "none"}, field=list(fields))


def test_fields_are_kept_and_taken_back(keeping):
    before, now = drawn(), drawn(field("a", model="latin10", length=3), field("金额", 100))
    keeping.keep(flat(before), now, FRAME)
    read = load_config([keeping.path])
    assert [(one.name, one.region, one.model, one.length) for one in read.field] == [
        ("a", (0, 0, 90, 90), "latin10", 3),
        ("金额", (100, 0, 90, 90), "", 0),
    ]
    assert keeping.undo()["field"] == []
    assert not keeping.path.exists()


def test_fields_of_other_files_are_not_written_twice_and_not_changed(tmp_path):
    other = tmp_path / "config.toml"
    other.write_text('[form]\nalign = "none"\n[[field]]\nname = "a"\nregion = [0, 0, 90, 90]\nmaximum = 7\n')
    keeping = Keeping(tmp_path / "90-page.toml", lambda: [other, tmp_path / "90-page.toml"])
    keeping.keep(flat(drawn()), drawn(field("a", maximum=7), field("b", 100)), FRAME)
    assert [one.name for one in load_config([other, keeping.path]).field] == ["a", "b"]
    with pytest.raises(ConfigError, match="the field a stands in another file"):
        keeping.keep(flat(drawn()), drawn(field("b", 100)), FRAME)


def test_fields_that_overlap_are_not_kept(keeping):
    with pytest.raises(ConfigError, match="region is not apart from that of a"):
        keeping.keep(flat(drawn()), drawn(field("a"), field("b", 50)), FRAME)
    assert not keeping.path.exists()
