"""The unit's sandbox on a kernel of its own: no container stands around it, and devices and limits are real."""

from probe import MAY, MAY_ALONE, TRIES
from probe_devices import DEVICES


def test_it_can_do_what_it_needs_and_nothing_else(boots):
    found = boots["after_cut"].steps["sandbox"]["inside"]
    assert set(found) == {*TRIES, *DEVICES}
    assert {name for name, result in found.items() if result == "ok"} == MAY | MAY_ALONE | {"open a camera"}


def test_without_the_sandbox_all_of_it_can_be_done(boots):
    """But for a connection, which nobody takes: so everything else that is refused inside is the sandbox's doing."""
    found = boots["after_cut"].steps["sandbox"]["outside"]
    refused = {name: result.split(":")[0] for name, result in found.items() if result != "ok"}
    assert refused == {"connect to this machine": "ConnectionRefusedError"}


def test_whoever_takes_more_memory_than_is_allowed_is_ended(boots):
    assert boots["after_cut"].steps["sandbox"]["greedy"]["Result"] == "oom-kill"
