"""The unit's sandbox on its own kernel: no container around it, real devices and limits."""

from probe import MAY, MAY_ALONE, TRIES
from probe_devices import DEVICES


def test_it_can_do_what_it_needs_and_nothing_else(boots):
    found = boots["after_cut"].steps["sandbox"]["inside"]
    assert set(found) == {*TRIES, *DEVICES}
    assert {name for name, result in found.items() if result == "ok"} == MAY | MAY_ALONE | {"open a camera"}


def test_without_the_sandbox_all_of_it_can_be_done(boots):
    """Except a connection, which nobody accepts. So the sandbox causes all other refusals inside."""
    found = boots["after_cut"].steps["sandbox"]["outside"]
    refused = {name: result.split(":")[0] for name, result in found.items() if result != "ok"}
    assert refused == {"connect to this machine": "ConnectionRefusedError"}


def test_a_process_over_the_memory_limit_is_killed(boots):
    assert boots["after_cut"].steps["sandbox"]["greedy"]["Result"] == "oom-kill"
