"""The machines of this lane."""

import pytest
from debian import LaneError, require_host
from machines import box, checkout, fresh, pi, provisioned  # noqa: F401


def pytest_sessionstart(session: pytest.Session) -> None:
    """A lane that cannot run fails and says so."""
    try:
        require_host()
    except LaneError as error:
        pytest.exit(str(error), returncode=2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First what needs no provisioned machine: it runs on one core while that is made on the other."""
    items.sort(key=lambda item: "provisioned" in getattr(item, "fixturenames", ()))
