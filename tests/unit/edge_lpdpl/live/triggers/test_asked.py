"""The trigger `asked` reads a frame for each request."""

import numpy as np

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.triggers.asked import AskedTrigger


def wanted(trigger, *exposed_ms):
    """Whether a trigger wants the frames exposed at these times."""
    return [trigger.wants(Frame(np.zeros((8, 8), np.uint8), 0, ms * 1_000_000)) for ms in exposed_ms]


def test_a_frame_that_was_exposed_before_the_request_is_not_read():
    trigger = AskedTrigger()
    trigger.ask(5_000_000)
    trigger.ask(6_000_000)
    assert wanted(trigger, 4, 5, 6, 7) == [False, True, True, False]  # the second request came after a frame
    trigger.ask(15_000_000)
    trigger.ask(16_000_000)
    assert wanted(trigger, 14, 17, 18) == [False, True, False]  # one frame after both requests answers both


def test_frequent_requests_do_not_delay_answers_to_others():
    trigger, answered = AskedTrigger(), 0
    for ms in range(1000):
        trigger.ask(ms * 1_000_000)
        if ms % 33 == 0:
            answered += wanted(trigger, ms - 20)[0]  # a frame comes 20 ms after its exposure
    assert answered >= 15


def test_pending_requests_are_answered_after_a_reload():
    trigger = AskedTrigger()
    trigger.ask(100_000_000)
    trigger.look_again()
    assert wanted(trigger, 50, 150, 160) == [False, True, False]
    trigger.look_again()
    assert wanted(trigger, 170) == [False]
