"""Which errors a person has to fix, and which may pass by themselves."""

import errno

import pytest

from edge_lpdpl.errors import CameraError, ConfigError, ModelError, PublishError, may_pass


def raised_from(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        CameraError("camera 0 is busy"),
        OSError(errno.ENODEV, "no such device"),
        OSError(errno.ENOENT, "/dev/video0"),
        MemoryError(),
        raised_from(ConfigError("cannot be opened"), OSError(errno.EMFILE, "too many open files")),
        raised_from(PublishError("cannot be served"), OSError(errno.EADDRINUSE, "address already in use")),
        raised_from(
            ModelError("m: cannot be mapped"), raised_from(ModelError("cannot be mapped"), OSError(errno.EIO, ""))
        ),
    ],
    ids=repr,
)
def test_what_the_machine_is_short_of_may_pass(error):
    assert may_pass(error)


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("no such key"),
        raised_from(ConfigError("cannot be opened"), OSError(errno.EACCES, "permission denied")),
        raised_from(ModelError("cannot be opened"), OSError(errno.ENOENT, "no such file")),
        raised_from(PublishError("cannot be made"), OSError("AF_UNIX path too long")),
        raised_from(ConfigError("cannot be used"), ValueError("no number")),
        TypeError("a fault of the program"),
    ],
    ids=repr,
)
def test_what_a_person_has_to_mend_does_not(error):
    assert not may_pass(error)
