"""Requests that change the hand of the service: they write its file, and the reloader puts it in place."""

import os
from collections.abc import Callable
from typing import Any

from edge_lpdpl.errors import DoubtError, HandError
from edge_lpdpl.library.hands import OFF, changing, check_clearable, hand_file, load_hand
from edge_lpdpl.library.teaching import Teacher
from edge_lpdpl.live.publish.requests import Reply, RequestError, Respond
from edge_lpdpl.live.setup import Setup
from edge_lpdpl.live.view.viewing import CutOut
from edge_lpdpl.numeral.hand import MOST_SAMPLES, Hand, hand_bytes, write_hand
from edge_lpdpl.numeral.taught import check_teachable

Apply = Callable[[Callable[[Reply], None], str], None]
"""Puts the hand that is on the disk in place and calls back with the answer; the text says who asks."""


class Teaching:
    """Answers `teach`, `forget`, `hand` and `wear`, in the thread that asks: the loop goes on meanwhile.

    Args:
        apply: `edge_lpdpl.live.reload.Reloader.take_hand`.
    """

    def __init__(self, apply: Apply) -> None:
        self._apply = apply
        self._teacher: Teacher | None = None

    def teach(self, setup: Setup, cut_out: CutOut, request: dict[str, Any], respond: Respond, by: str = "") -> None:
        """Teach a cut-out; a doubt is an answer with `ok` false. Of several models, one that knows the label judges it,
        the one that read the cut-out first.

        Args:
            by: who asks, for the journal.

        Raises:
            EdgeError: it cannot be taught.
        """
        label, sure = request.get("label"), request.get("sure", False)
        if not isinstance(label, str) or not isinstance(sure, bool):
            raise RequestError('teach needs {"request": "teach", "decision": N, "numeral": N, "label": "七"}')
        models = sorted(setup.models, key=lambda model: model is not cut_out.model)
        knowing = (model for model in models if label in (one.character for one in model.labels))
        judge = next(knowing, models[0])
        if self._teacher is None or self._teacher.model is not judge:
            self._teacher = Teacher(judge, setup.reader.recogniser.backend)
        with changing(setup.config.model.hand) as file:
            hand = load_hand(setup.config.model.hand)
            try:
                more = self._teacher.teach(hand, cut_out.picture, label, polarity="light", sure=sure)
            except DoubtError as doubt:
                why = {"doubt": str(doubt), "alike": doubt.alike, "turned": doubt.turned}
                respond({"ok": False, **why, "note": 'send it again with "sure": true to teach it'})
                return
            write_hand(file, more)
        read = self._teacher.reads(more, cut_out.picture, "light").label
        facts = {"sample": more.samples[-1].id if more is not hand else None, "read": read}
        self._wear(more, facts, respond, by)

    def forget(self, setup: Setup, request: dict[str, Any], respond: Respond, by: str = "") -> None:
        """Forget a sample, or all of them; a damaged hand can be forgotten as a whole.

        Raises:
            EdgeError: there is no such sample, or the file cannot be written.
        """
        sample = request.get("sample")
        is_all = request.get("all") is True and sample is None
        if not is_all and not (isinstance(sample, str) and "all" not in request):
            raise RequestError('forget needs {"request": "forget", "sample": ID} or "all": true')
        with changing(setup.config.model.hand) as file:
            if is_all:
                check_clearable(file)
            left = Hand() if is_all else load_hand(setup.config.model.hand).without([str(sample)])
            write_hand(file, left)
        self._wear(left, {}, respond, by)

    def hand(self, setup: Setup, request: dict[str, Any], respond: Respond) -> None:
        """Tell the samples; behind the line are their pictures of 32x32 bytes, light ink on black, or else the bytes of
        a file, as `edge-lpdpl hand export` writes it.

        Raises:
            EdgeError: the hand is damaged.
        """
        if not isinstance(request.get("file", False), bool):
            raise RequestError('hand takes {"request": "hand", "file": true}')
        hand = load_hand(setup.config.model.hand)
        samples = [{"sample": one.id, "label": one.label} for one in hand.samples]
        told = {"hand": setup.config.model.hand, "samples": samples, "most": MOST_SAMPLES}
        pictures = b"".join(one.picture.tobytes() for one in hand.samples)
        respond(told, hand_bytes(hand) if request.get("file") else pictures)

    def wear(self, setup: Setup, request: dict[str, Any], respond: Respond, by: str = "") -> None:
        """Read with the hand as it is on the disk now, if it is in the file that a client has changed. A file that a
        client names is not opened.

        Raises:
            EdgeError: the request is not valid, or too many changes wait.
        """
        named, own = request.get("hand"), hand_file(setup.config.model.hand)
        if not isinstance(named, str):
            raise RequestError('wear needs {"request": "wear", "hand": FILE}')
        if own is None or os.path.realpath(own) != named:
            respond({"ok": False, "note": "reads with another hand"})
            return
        self._apply(respond, by)

    def _wear(self, hand: Hand, facts: Reply, respond: Respond, by: str) -> None:
        self._apply(lambda answer: respond(facts | {"samples": len(hand)} | answer), by)


def can_be_taught(setup: Setup) -> bool:
    """Whether there is a hand to teach: `model.hand` may be off, and some models wear none. Further models wear that of
    the first."""
    try:
        check_teachable(setup.model)
    except HandError:
        return False
    return setup.config.model.hand != OFF


def hand_status(setup: Setup) -> Reply:
    """What `status` tells about the hand."""
    problem = setup.hand_problem
    return {"name": setup.config.model.hand, "samples": len(setup.hand), "problem": problem}
