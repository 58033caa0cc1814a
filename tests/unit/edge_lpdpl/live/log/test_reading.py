"""Reading a log believes nothing of it: any bytes and any database end in decisions or in one line."""

import os
import sqlite3
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bounded_errors import check_line, refused_in_a_line
from deadline import within
from hypothesis import given, settings
from hypothesis import strategies as st
from other_users import nobody

from edge_lpdpl.errors import LogError
from edge_lpdpl.live.log.database import SCHEMA, Entry, LogDatabase
from edge_lpdpl.live.log.place import log_path
from edge_lpdpl.live.log.reading import parse_since, read_log
from edge_lpdpl.live.publish.message import as_line

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # nothing waits for a disk there
TIME = "2026-11-20T10:15:00.000Z"


def filled(path, count=400, size=600):
    """A log with this many decisions, and nothing beside it."""
    database = LogDatabase(path, 8 << 20)
    database.add([Entry(TIME, as_line({"number": number}), size, 1, bytes(size)) for number in range(count)])
    database.close()
    return path


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A sound log of some levels, whose bytes are short in reports."""
    return filled(tmp_path_factory.mktemp("log") / "decisions.sqlite")


def with_row(folder, schema=SCHEMA, *, others=(), **changes):
    """A database with one row, by somebody else."""
    path = Path(folder, "decisions.sqlite")
    row = {"id": 1, "time": TIME, "message": "{}", "width": 0, "height": 0, "crop": b""} | changes
    with sqlite3.connect(path) as theirs:
        for statement in (schema, *others):
            theirs.execute(statement)
        if schema == SCHEMA:
            theirs.execute("INSERT INTO decisions VALUES (:id, :time, :message, :width, :height, :crop)", row)
    theirs.close()
    return path


class TestDamage:
    @settings(deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6))
    def test_changed_bytes_end_in_decisions_or_in_one_line(self, sound, changes):
        data = bytearray(sound.read_bytes())
        for place, given_bytes in changes:
            place %= len(data)
            data[place : place + len(given_bytes)] = given_bytes
        self.check(bytes(data))

    @settings(deadline=None)
    @given(st.binary(max_size=300), st.integers(0, 1 << 20))
    def test_so_do_a_shorter_file_and_any_wal(self, sound, wal, length):
        data = sound.read_bytes()
        self.check(data[: length % len(data)], wal)

    def check(self, data, wal=None):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder, within(20), refused_in_a_line():
            path = Path(folder, "decisions.sqlite")
            path.write_bytes(data)
            if wal is not None:
                Path(folder, "decisions.sqlite-wal").write_bytes(wal)
            assert sum(1 for _ in read_log(path)) <= 400

    def test_a_tree_that_leads_in_circles_ends(self, sound, tmp_path):
        (tmp_path / "copy").write_bytes(sound.read_bytes())
        with sqlite3.connect(tmp_path / "copy") as copy:
            (root,) = copy.execute("SELECT rootpage FROM sqlite_master").fetchone()
        data, page = bytearray(sound.read_bytes()), (root - 1) * 4096
        assert data[page] == 5, "the root leads to other pages"
        data[page + 8 : page + 12] = root.to_bytes(4, "big")  # the last page under the root is the root
        self.check(bytes(data))


class TestRowsOfOthers:
    @pytest.mark.parametrize(
        "changes",
        [
            {"time": "now"},
            {"time": TIME + "\n"},
            {"time": 7},
            {"message": "[1]"},
            {"message": "{"},
            {"message": "[" * 100_000},
            {"message": b"{}"},
            {"message": "7" * 5000},
            {"crop": "text"},
            {"width": 3, "height": 2, "crop": b"12345"},
            {"width": -1, "height": -1, "crop": b"1"},
            {"width": 1 << 40},
        ],
        ids=str,
    )
    def test_a_row_that_is_no_decision_is_damage(self, tmp_path, changes):
        with pytest.raises(LogError, match="is damaged; move it away") as caught:
            list(read_log(with_row(tmp_path, **changes)))
        check_line(caught.value)

    @pytest.mark.parametrize(
        "data", [b"hello, this is a log of another program\n" * 9, b"\x89PNG\r\n\x1a\n" + bytes(200)]
    )
    def test_a_file_of_another_kind_is_not_called_damaged_alone(self, tmp_path, data):
        path = tmp_path / "other.log"
        path.write_bytes(data)
        with pytest.raises(LogError) as caught:
            list(read_log(path))
        fault = "is no log of this program, or its beginning is damaged; name another file, or move this one away"
        assert str(caught.value) == f"{path}: {fault}"

    def test_a_row_too_large_is_not_read(self, tmp_path):
        with pytest.raises(LogError, match="too big"):
            list(read_log(with_row(tmp_path, crop=bytes(3 << 20))))

    @pytest.mark.parametrize(
        ("schema", "others"),
        [
            (
                "CREATE VIEW decisions AS WITH RECURSIVE n(id) AS (VALUES(1) UNION ALL SELECT id+1 FROM n) "
                "SELECT id, '' AS time, '' AS message, 0 AS width, 0 AS height, x'' AS crop FROM n",
                (),
            ),
            (SCHEMA, ("CREATE TRIGGER t AFTER INSERT ON decisions BEGIN DELETE FROM decisions; END",)),
            (SCHEMA, ("CREATE VIEW v AS SELECT load_extension('x')",)),
            (SCHEMA.replace("crop BLOB NOT NULL", "crop AS (zeroblob(1000000000))"), ()),
            ("CREATE TABLE other (id)", ()),
        ],
        ids=["view", "trigger", "two", "computed", "other"],
    )
    def test_a_database_with_anything_else_in_it_is_not_read(self, tmp_path, schema, others):
        with within(10), pytest.raises(LogError, match="is no log of this program"):
            list(read_log(with_row(tmp_path, schema, others=others)))


class TestPlaces:
    def test_a_name_without_a_slash_is_in_the_folder_of_the_user(self, tmp_path):
        assert log_path("a.sqlite", {"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "edge-lpdpl/log/a.sqlite"

    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/passwd")])
    def test_what_is_no_ordinary_file_is_refused(self, tmp_path, make):
        make(tmp_path / "decisions.sqlite")
        with within(5), pytest.raises(LogError, match="is no ordinary file"):
            list(read_log(tmp_path / "decisions.sqlite"))

    @pytest.mark.parametrize("name", ["a?mode=rwc.sqlite", "a#b.sqlite", "a%41.sqlite"])
    def test_a_name_is_a_name(self, tmp_path, name):
        path = filled(tmp_path / name, 3)
        assert len(list(read_log(path))) == 3

    def test_a_file_that_is_missing_is_not_made(self, tmp_path):
        with pytest.raises(LogError, match="No such file"):
            list(read_log(tmp_path / "decisions.sqlite"))
        assert not list(tmp_path.iterdir())

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
    def test_root_reads_in_a_folder_of_others_what_they_may_read(self):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            secret = filled(Path(folder, "secret.sqlite"), 3)
            os.chown(folder, 65534, 65534)
            with pytest.raises(LogError, match="cannot be read"):
                list(read_log(secret))
            os.chown(secret, 65534, 65534)
            assert len(list(read_log(secret))) == 3
            assert os.geteuid() == os.getegid() == 0
            assert {path.stat().st_uid for path in Path(folder).iterdir()} == {65534}

    def test_somebody_else_may_not_read_it(self, tmp_path):
        path = filled(tmp_path / "decisions.sqlite", 3)
        if os.geteuid() != 0:
            path.chmod(0)
        with nobody(), pytest.raises(LogError, match="cannot be read"):
            list(read_log(path))


class TestSince:
    NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("text", "time"),
        [
            ("30s", "2026-11-20T11:59:30.000Z"),
            ("90m", "2026-11-20T10:30:00.000Z"),
            ("12h", "2026-11-20T00:00:00.000Z"),
            ("7d", "2026-11-13T12:00:00.000Z"),
            ("2026-11-20T10:15Z", "2026-11-20T10:15:00.000Z"),
            ("2026-11-20 10:15:30.5+02:00", "2026-11-20T08:15:30.500Z"),
        ],
    )
    def test_a_time_or_how_long_ago(self, text, time):
        assert parse_since(text, self.NOW) == time

    def test_without_a_zone_it_is_the_time_of_this_machine(self):
        assert parse_since("2026-11-20") == parse_since(datetime(2026, 11, 20).astimezone().isoformat())

    @given(st.one_of(st.text(), st.from_regex(r"\d{1,12}[smhd]"), st.datetimes().map(str)))
    def test_any_text_is_a_time_or_one_line(self, text):
        with refused_in_a_line():
            assert len(parse_since(text)) == len(TIME)

    def test_earlier_decisions_are_left_out(self, tmp_path):
        database = LogDatabase(tmp_path / "d.sqlite", 8 << 20)
        times = [f"2026-11-2{day}T10:00:00.000Z" for day in range(5)]
        database.add([Entry(time, as_line({"time": time})) for time in times])
        kept = [one.message["time"] for one in read_log(tmp_path / "d.sqlite", parse_since("2026-11-22T10:00Z"))]
        database.close()
        assert kept == times[2:]
