"""A machine without an installed model and without a hand."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def no_installed_model(tmp_path_factory):
    """The service prefers an installed model to the shipped one; a test must not depend on what is installed here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATE_DIRECTORY", str(tmp_path_factory.mktemp("state")))
        patch.setenv("HANDS_DIRECTORY", str(tmp_path_factory.mktemp("hands")))
        yield
