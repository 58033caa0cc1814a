"""The file of the log: what is added is read again, within the quota, whatever happens to file, disk or power."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from bounded_errors import check_line
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_lpdpl.errors import LogError
from edge_lpdpl.live.log.database import MOST_BATCH, SCHEMA, Entry, LogDatabase
from edge_lpdpl.live.log.reading import read_log
from edge_lpdpl.live.publish.message import as_line

pytestmark = pytest.mark.slow

QUOTA = 8 << 20
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # nothing waits for a disk there


def entry(number, size=0, text="五", second=0):
    """A decision with `size` bytes of crop."""
    line = as_line({"number": number, "text": text})
    return Entry(f"2026-11-20T10:15:{second % 60:02}.000Z", line, size, min(size, 1), bytes(size))


def numbers(path):
    return [kept.message["number"] for kept in read_log(path)]


def bytes_of(path):
    """Bytes of the file and of those beside it."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def fault_of(database, batches):
    """Add batches until one is refused."""
    try:
        for batch in batches:
            database.add(batch)
    except LogError as error:
        check_line(error)
        return str(error)
    return ""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "decisions.sqlite"


@pytest.fixture
def database(path):
    opened = LogDatabase(path, QUOTA)
    yield opened
    opened.close()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.characters(blacklist_categories=["Cs"]), max_size=40), st.binary(max_size=40)), min_size=1
    )
)
def test_what_is_added_is_read_again(added):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "decisions.sqlite")
        database = LogDatabase(path, QUOTA)
        database.add([Entry(entry(0).time, as_line({"text": text}), len(crop), 1, crop) for text, crop in added])
        read = [(kept.message["text"], kept.crop) for kept in read_log(path)]
        database.close()
    assert read == [(text, (1, len(crop), crop) if crop else None) for text, crop in added]


def test_file_and_folder_are_made_for_this_user_alone(path, database):
    database.add([entry(1)])
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@settings(deadline=None, max_examples=4)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 4000)), min_size=30, max_size=40))
def test_the_quota_holds_at_every_moment_and_the_newest_are_kept(batches):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path, added = Path(folder, "decisions.sqlite"), 0
        database = LogDatabase(path, QUOTA)
        for count, size in batches * 4:
            count = min(count * 8, MOST_BATCH // entry(0, size).size)
            database.add([entry(added + place, size) for place in range(count)])
            added += count
            assert bytes_of(path) <= QUOTA
        kept = numbers(path)
        database.close()
    assert kept == list(range(added - len(kept), added))


def test_it_is_full_before_anything_is_deleted(path, database):
    for batch in range(40):
        database.add([entry(batch * 25 + place, 4000) for place in range(25)])
    kept = numbers(path)
    assert len(kept) * 4000 > 0.7 * (QUOTA - (4 << 20))
    assert kept[-1] == 999


def test_with_a_lower_quota_the_file_shrinks(path):
    large = LogDatabase(path, 3 * QUOTA)
    for batch in range(80):
        large.add([entry(batch, 4000)] * 50)
    large.close()
    assert bytes_of(path) > 1.5 * QUOTA
    small = LogDatabase(path, QUOTA)
    small.add([entry(99, 4000)])
    small.close()
    assert bytes_of(path) <= QUOTA
    assert numbers(path)[-1] == 99


def test_a_reader_that_never_ends_does_not_let_the_files_grow(path, database):
    database.add([entry(0)])
    with sqlite3.connect(path, isolation_level=None) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM decisions").fetchall()
        fault = fault_of(database, ([entry(number, 4000)] * 20 for number in range(1000)))
        assert "another program has been reading it for too long" in fault
        assert bytes_of(path) <= QUOTA
        reader.execute("COMMIT")
    database.add([entry(2000)])
    assert numbers(path)[-1] == 2000


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"no database at all, but rather long" * 99, "file is not a database"),
        (b"", None),
    ],
    ids=["other bytes", "empty"],
)
def test_a_file_that_is_no_database_is_left_as_it_is(path, database, content, fault):
    path.parent.mkdir()
    path.write_bytes(content)
    if fault is None:  # as it is made
        database.add([entry(1)])
        assert numbers(path) == [1]
        return
    with pytest.raises(LogError, match=fault) as caught:
        database.add([entry(1)])
    check_line(caught.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("other", ["CREATE TABLE notes (text)", SCHEMA.replace("crop", "picture")])
def test_a_database_of_another_program_gets_no_decisions(path, database, other):
    path.parent.mkdir()
    with sqlite3.connect(path) as theirs:
        theirs.execute(other)
    with pytest.raises(LogError, match="is no log of this program; name another file"):
        database.add([entry(1)])


def test_a_full_disk_is_said_and_it_goes_on_when_there_is_room(path, database):
    database.add([entry(1)])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))  # the kernel refuses, as it does for a full disk
    try:
        with pytest.raises(LogError) as caught:
            database.add([entry(2, 4000)] * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    check_line(caught.value)
    database.add([entry(3)])
    assert numbers(path) == [1, 3]  # of a batch all or nothing


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="File exists"):
        LogDatabase(tmp_path / "file" / "decisions.sqlite", QUOTA).add([entry(1)])


WRITER = """
import sys
from pathlib import Path
from edge_lpdpl.live.log.database import Entry, LogDatabase
database = LogDatabase(Path(sys.argv[1]), 8 << 20)
for number in range(100_000):
    line = b'{"number": %d}' % number
    database.add([Entry("2026-11-20T10:15:00.000Z", line, 4000, 1, bytes(4000))] * 20)
    print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_whole_batches(path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(path)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    said = [int(writer.stdout.readline()) for _ in range(60)]
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    kept = numbers(path)
    assert kept[-1] >= said[-1]
    assert all(kept.count(number) == 20 for number in set(kept[20:]))


def test_sql_of_others_finds_the_messages(path, database):
    database.add([entry(7)])
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reader:
        (text,) = reader.execute("SELECT message FROM decisions").fetchone()
    assert json.loads(text)["number"] == 7
