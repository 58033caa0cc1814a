"""A file is the old one or the new one, wherever writing stops."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import check_drawing, check_place, write_atomically, write_result

OLD, NEW = b"old" * 1000, b"new" * 2000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model"
    target.write_bytes(OLD)
    return target


def files_beside(path: Path) -> list[str]:
    return sorted(name for name in os.listdir(path.parent) if name != path.name)


def test_new_content_takes_the_place_of_the_old(path):
    write_atomically(path, NEW)
    assert path.read_bytes() == NEW
    assert files_beside(path) == []


def test_there_need_not_be_an_old_file(tmp_path):
    write_atomically(tmp_path / "fresh", NEW)
    assert (tmp_path / "fresh").read_bytes() == NEW


def test_a_name_as_long_as_names_may_be(tmp_path):
    write_atomically(tmp_path / ("x" * 255), NEW)


def test_a_reader_of_the_old_file_keeps_it(path):
    with path.open("rb") as file:
        write_atomically(path, NEW)
        assert file.read() == OLD


def test_the_service_may_read_what_the_installer_wrote(path):
    before = os.umask(0o027)
    try:
        write_atomically(path, NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_is_replaced_and_its_target_is_left_alone(path):
    link = path.with_name("link")
    link.symlink_to(path)
    write_atomically(link, NEW)
    assert not link.is_symlink()
    assert path.read_bytes() == OLD


def test_the_file_is_on_the_disk_before_it_has_its_name_and_the_name_before_we_return(path, monkeypatch):
    steps: list[str] = []

    def noted(name, function):
        def call(*arguments):
            folder = name == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            steps.append("fsync folder" if folder else name)
            return function(*arguments)

        monkeypatch.setattr(os, name, call)

    noted("fsync", os.fsync)
    noted("replace", os.replace)
    write_atomically(path, NEW)
    assert steps == ["fsync", "replace", "fsync folder"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_step_that_fails_leaves_the_old_file_and_no_litter(step, error, path, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(path, NEW)
    assert path.read_bytes() == OLD
    assert files_beside(path) == []


def test_a_disk_that_fills_up_while_writing(path):
    """With a real limit on the size of files, in another process."""
    script = (
        "import resource, signal, sys; from edge_lpdpl.files.atomic import write_atomically;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024));"
        f"write_atomically(sys.argv[1], bytes({len(NEW)}))"
    )
    result = subprocess.run([sys.executable, "-B", "-c", script, path], capture_output=True, text=True)
    assert "File too large" in result.stderr
    assert path.read_bytes() == OLD
    assert files_beside(path) == []


@pytest.mark.parametrize(("step", "survivor"), [("fsync", OLD), ("replace", OLD), ("open", NEW)])
def test_a_writer_killed_at_a_step_leaves_one_whole_file(step, survivor, path):
    """Killed before the data are flushed, before the rename, or after it (the folder is opened to flush it)."""
    script = (
        "import os, signal, sys; from edge_lpdpl.files.atomic import write_atomically;"
        f"os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL);"
        f"write_atomically(sys.argv[1], b'new' * 2000)"
    )
    result = subprocess.run([sys.executable, "-B", "-c", script, path])
    assert result.returncode == -signal.SIGKILL
    assert path.read_bytes() == survivor


def test_a_folder_that_cannot_be_flushed_is_an_error_only_if_it_should_be_able_to(path, monkeypatch):
    fsync = os.fsync

    def failing(code):
        def call(handle):
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                raise OSError(code, os.strerror(code))
            fsync(handle)

        return call

    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))
    write_atomically(path, NEW)
    assert path.read_bytes() == NEW
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    with pytest.raises(OSError, match=r"it was replaced, but .*Input/output"):
        write_atomically(path, OLD)
    assert path.read_bytes() == OLD
    assert files_beside(path) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "model", NEW)


def test_a_target_that_is_a_folder(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "folder", NEW)
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_a_target_that_is_a_pipe_or_a_link_to_one_stays_it(tmp_path, name):
    """A device is written to. If it were renamed over, /dev/null would become a regular file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for write in (write_atomically, write_result, lambda path, _: check_place(path)):
        with pytest.raises((OSError, EdgeError), match="no ordinary file"):
            write(tmp_path / name, NEW)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.parametrize("output", ["model", "link", "link/../model", "data/new", "data/class/new"])
def test_a_place_among_the_inputs_is_refused(path, output):
    (path.parent / "link").symlink_to("model")
    (path.parent / "data" / "class").mkdir(parents=True)
    with pytest.raises(EdgeError, match="which is read; name another place"):
        check_place(path.parent / output, "digits", path.parent / "data", path)


def test_a_drawing_has_the_name_of_a_picture(tmp_path):
    check_drawing(tmp_path / "a.PNG")
    with pytest.raises(EdgeError, match=r"a\.gif: is written as PNG; give it a name that ends in \.png"):
        check_drawing(tmp_path / "a.gif")
    with pytest.raises(EdgeError, match="which is read; name another place"):
        check_drawing(tmp_path / "a.png", tmp_path)


def test_a_place_beside_the_inputs_or_with_the_name_of_a_data_set_is_free(path):
    (path.parent / "data").mkdir()
    for output in ("data.model", "model.new", "digits"):
        check_place(path.parent / output, "digits", path.parent / "data", path)
