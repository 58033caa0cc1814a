"""A machine on which no model was installed."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def no_installed_model(tmp_path_factory):
    """The service reads an installed model before the shipped one; what an owner installed must not decide a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATE_DIRECTORY", str(tmp_path_factory.mktemp("state")))
        yield
