"""The live service: frames -> trigger -> reading -> publishers, in one thread that never waits for a receiver."""

import gc
import time
from collections.abc import Sequence
from typing import Any

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.library.shipped import shipped_models
from edge_lpdpl.library.slots import word_file
from edge_lpdpl.library.trials import Trials
from edge_lpdpl.live.collect.collecting import Collecting
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.journal import ERROR, Journal
from edge_lpdpl.live.notify import Notifier
from edge_lpdpl.live.publish.message import as_line, make_message, summary
from edge_lpdpl.live.publish.publisher import Publisher, SeeingPublisher
from edge_lpdpl.live.publish.requests import CHANGEABLE, Peer, Reply, Respond
from edge_lpdpl.live.reload import Reloader
from edge_lpdpl.live.scene import UNTOUCHED, StandingDecision, view_of
from edge_lpdpl.live.setup import Setup
from edge_lpdpl.live.statistics import Statistics
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.make import make_trigger
from edge_lpdpl.live.triggers.trigger import Trigger
from edge_lpdpl.live.view.explaining import Explainer
from edge_lpdpl.live.view.teaching import Teaching, can_be_taught, hand_status
from edge_lpdpl.live.view.viewing import Viewing
from edge_lpdpl.model.model import Model

_STATUS_EVERY = 2.0  # seconds
_PAUSE = 0.05  # seconds to wait after a frame could not be taken
_ASKED = ("button", "request")


class Service:
    """Reads frames and publishes decisions until there are no more frames, or until it is stopped.

    Args:
        setup: as from `edge_lpdpl.live.setup.prepare`.
        frames: the source of frames; closed by `run`.
        reloader: prepares requested changes.
        trials: is told once the model has read a frame.

    Raises:
        ConfigError: the trigger cannot be used on this machine.
    """

    def __init__(
        self,
        setup: Setup,
        frames: FrameSource,
        reloader: Reloader,
        notifier: Notifier,
        journal: Journal,
        trials: Trials | None = None,
    ) -> None:
        self.statistics = Statistics()
        self._setup, self._frames, self._reloader = setup, frames, reloader
        self._notifier, self._journal = notifier, journal
        self._trigger: Trigger = make_trigger(setup.config.trigger)
        self._asked = AskedTrigger()
        self._standing = StandingDecision(setup.config.trigger.sensitivity)
        self._viewing, self._explainer, self._teaching = Viewing(), Explainer(), Teaching(reloader.take_hand)
        self._collecting = Collecting(setup.config.collect, journal.complain)
        self._publishers: list[Publisher] = []
        self._seeing: list[SeeingPublisher] = []
        self._last = "nothing yet"
        self._stopping = False
        self._fed = self._told = 0.0
        self._ready = False
        self._trials = trials or Trials(None)
        self._word = word_file()
        if self._word is not None:
            self._word.unlink(missing_ok=True)  # the word of a service that has ended
        self._confirmed: Model | None = None

    def run(self, publishers: list[Publisher]) -> None:
        """Read frames until the end.

        Raises:
            CameraError: the camera no longer gives frames.
            BrokenPipeError: nobody reads standard output.
        """
        self._publishers = publishers
        self._seeing = [publisher for publisher in publishers if isinstance(publisher, SeeingPublisher)]
        # Everything loaded so far, such as a compiler, is excluded from garbage collection: searching it takes tens of
        # milliseconds each time, while a frame waits.
        gc.collect()
        gc.freeze()
        try:
            while not self._stopping:
                self._turn()
        except EndOfFrames:
            counted = self.statistics
            rest = "" if counted.decisions else f", and none of {counted.frames} led to a decision"
            self._journal.say(f"{self._frames.name}: that was the last frame{rest}")
        finally:
            gc.unfreeze()
            self._notifier.stopping()
            self._trigger.close()
            self._frames.close()
            self._collecting.close()

    def stop(self) -> None:
        """End after the current frame; may be called in any thread and in a signal handler."""
        self._stopping = True

    def handle(self, request: dict[str, Any], reply: Respond, peer: Peer | None = None) -> None:
        """Answer a request of a client; called in another thread. The journal says who changed what.

        Raises:
            EdgeError: the request is refused.
        """
        name, by = request["request"], "" if peer is None else str(peer)
        if name == "status":
            reply({"status": self.status()})
        elif name == "recognise":
            reply({"ok": True})  # before the decision, so that the client knows which decision it is
            self._asked.ask(time.monotonic_ns())
        elif name == "set":
            self._reloader.change(request, reply, by)
        elif name == "settings":
            reply(self._settings())
        elif name == "watch":
            self._viewing.watch(reply)
        elif name == "cut_outs":
            pictures = self._viewing.cut_outs(request)
            data = b"".join(picture.tobytes() for picture in pictures)
            reply({"decision": request["decision"], "sizes": [picture.shape for picture in pictures]}, data)
        elif name == "explain":
            backend = self._setup.reader.recogniser.backend
            reply({"steps": self._explainer.explain(self._viewing.cut_out(request), backend)})
        elif name == "teach":
            self._teaching.teach(self._setup, self._viewing.cut_out(request), request, reply, by)
        elif name == "forget":
            self._teaching.forget(self._setup, request, reply, by)
        elif name == "hand":
            self._teaching.hand(self._setup, request, reply)
        elif name == "wear":
            self._teaching.wear(self._setup, request, reply, by)
        elif name == "collected":
            self._collecting.tell(request, reply)
        elif name == "label":
            self._collecting.label(request, [one["label"] for one in _labels(self._setup.models)], reply)
        elif name == "discard":
            self._collecting.discard(request, reply)

    def status(self) -> Reply:
        """State of the service, ready for JSON."""
        model = self._setup.model
        return self.statistics.snapshot() | {
            "frames_from": self._frames.name,
            "timeouts": self._frames.timeouts,
            "trigger": self._setup.config.trigger.kind,
            "last": self._last,
            "dropped": {publisher.name: publisher.dropped for publisher in self._publishers},
            "refused": {publisher.name: getattr(publisher, "refused", 0) for publisher in self._publishers},
            "model": {"name": model.name, "digest": model.digest},
            "model_problem": self._setup.problem,
            "backend": self._setup.reader.recogniser.backend,
            "hand": hand_status(self._setup),
            "collect": self._collecting.status(),
            "reload_error": self._reloader.last_error,
        }

    def _settings(self) -> Reply:
        """What a client may change as it is now, the size of the frames, the models' characters, whether they can be
        taught, and what is collected."""
        values, labels = self._setup.config.values(), _labels(self._setup.models)
        size = {"width": self._frames.width, "height": self._frames.height}
        changeable = {name: values[name] for name in CHANGEABLE}
        teaches, collect = can_be_taught(self._setup), self._collecting.status()
        told = {"settings": changeable, "frame": size, "labels": labels, "models": shipped_models()}
        return told | {"teaches": teaches, "collect": collect}

    def _turn(self) -> None:
        """Process one frame, and do the work between two frames."""
        self._take_over()
        for publisher in self._publishers:
            if publisher.broken is not None:
                raise publisher.broken
        try:
            frame = self._frames.take()
        except (EndOfFrames, EdgeError):
            raise
        except Exception as error:
            self._fault("a frame could not be taken", error)
            time.sleep(_PAUSE)  # the next attempt may fail at once
            return
        if frame is None:
            self._tell()
            return
        age_ms = frame.age_ms()
        if age_ms > self._setup.config.frames.max_age_ms:
            self.statistics.stale += 1
            self._journal.complain(f"a frame is {age_ms:.0f} ms old and not read", kind="stale")
            return
        try:
            self._look_at(frame, age_ms)
            self._confirm(frame)
        except Exception as error:
            self._fault(f"frame {frame.sequence} could not be read", error)
            return
        self.statistics.frame(age_ms)
        self._viewing.offer(frame)
        self._tell_progress()

    def _confirm(self, frame: Frame) -> None:
        """Read one frame with a new model, whether a trigger wants it or not: its installation waits for this word."""
        model = self._setup.model
        if self._word is None or model is self._confirmed:
            return
        try:
            self._setup.reader.read(frame.grey)
            write_atomically(self._word, model.digest.encode())
            self._confirmed = model
            self._trials.passed()
        except Exception as error:
            self._fault("the model is not confirmed", error)

    def _fault(self, what: str, error: Exception) -> None:
        self.statistics.faults += 1
        name = type(error).__name__
        self._journal.complain(f"{what}: {name}: {error}", ERROR, kind=name)

    def _look_at(self, frame: Frame, age_ms: float) -> None:
        start = time.perf_counter_ns()
        wanted = self._trigger.wants(frame)
        asked = self._asked.wants(frame)
        if not (wanted or asked):
            return
        kind = self._asked.kind if asked else self._trigger.kind
        try:
            read = self._setup.reader.read(frame.grey)
        except Exception:
            if wanted:
                self._trigger.missed()
            if asked:
                self._asked.missed()
            raise
        self.statistics.readings += 1
        is_asked, sight = kind in _ASKED, self._trigger.sight if wanted else UNTOUCHED
        decided, is_new = self._standing.settle(read, view_of(frame.grey), sight, is_asked=is_asked)
        if not is_new and not is_asked:
            self.statistics.held_back += 1
            return
        reading = decided._replace(locate_us=read.locate_us, recognise_us=read.recognise_us)
        total_us = (time.perf_counter_ns() - start) / 1000
        message = make_message(reading, frame, kind, self._setup.model, age_ms=age_ms, total_us=total_us)
        if self._setup.problem is not None:
            message["model"]["problem"] = self._setup.problem
        line = as_line(message)
        with self._viewing.keeping(frame, self._setup.reader, decided):
            for publisher in self._publishers:
                publisher.publish(message, line)
            for publisher in self._seeing:
                publisher.see(message, frame.grey)
            self._last = summary(message)
            self.statistics.decision((time.perf_counter_ns() - start) / 1000)
        if is_new:
            self._collecting.offer(message, self._viewing.of(frame))

    def _take_over(self) -> None:
        """Put a prepared change in place, between two frames."""
        if self._reloader.signalled():
            self._notifier.reloading()
        if (change := self._reloader.done()) is None:
            return
        if change.setup is not None and change.error is None:
            try:
                self._replace(change.setup)
            except Exception as error:  # on any fault the old configuration stays
                change.refuse(error)
        if change.error is None:
            self.statistics.reloads += 1
            self._journal.say(change.report + change.origin)
        else:
            self.statistics.refused_reloads += 1
            self._journal.say(change.error + change.origin, ERROR)
        self._reloader.settle(change)
        if change.by_signal and self._ready:  # before the first frame, READY is sent after that frame as ever
            self._notifier.ready(self._status_line())

    def _replace(self, setup: Setup) -> None:
        old, new = self._setup.config, setup.config
        if new.camera != old.camera:
            self._frames.adjust(new.camera)
        if new.trigger != old.trigger:
            self._replace_trigger(old, new)
        same_eyes = setup.models == self._setup.models and setup.hand == self._setup.hand
        places = [(one.page, one.numbers, one.form, one.field) for one in (old, new)]
        if not same_eyes or places[0] != places[1]:
            self._standing.forget()
            self._trigger.look_again()
        self._setup = setup

    def _replace_trigger(self, old: Config, new: Config) -> None:
        self._trigger.close()  # a pin has one owner
        try:
            self._trigger = make_trigger(new.trigger)
        except Exception:
            self._trigger = make_trigger(old.trigger)
            self._frames.adjust(old.camera)  # the whole change is refused
            raise
        self._standing = StandingDecision(new.trigger.sensitivity)

    def _tell_progress(self) -> None:
        """Tell systemd that a fresh frame was processed; only this feeds the watchdog."""
        now = time.monotonic()
        if not self._ready:
            self._ready = True
            self._journal.say(f"reading {self._frames.name} with {self._setup.model.name}")
            self._notifier.ready(self._status_line())
        if self._notifier.watchdog_seconds is not None and now - self._fed >= self._notifier.watchdog_seconds / 4:
            self._fed = now
            self._notifier.feed_watchdog()
        self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        if self._ready and now - self._told >= _STATUS_EVERY:
            self._told = now
            self._notifier.status(self._status_line())

    def _status_line(self) -> str:
        rate, p99 = self.statistics.rate(), self.statistics.p99_us()
        dropped = sum(publisher.dropped for publisher in self._publishers)
        speed = "no rate yet" if rate is None else f"{rate:.1f} fps"
        delay = "no decision yet" if p99 is None else f"p99 {p99 / 1000:.2f} ms"
        return f"{speed}; {delay}; {dropped} dropped, {self.statistics.stale} stale; last {self._last}"


def _labels(models: Sequence[Model]) -> list[Reply]:
    """All characters that models know, each once and with the models that know it."""
    found: dict[str, Reply] = {}
    for model in models:
        for label in model.labels:
            told = found.setdefault(label.character, {"label": label.character, "value": label.value, "models": []})
            told["models"].append(model.name)
    return list(found.values())
