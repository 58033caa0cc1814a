"""The live service: frames -> trigger -> page -> publishers, one thread, and nothing in it waits for a reader."""

import gc
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.journal import ERROR, Journal
from edge_lpdpl.live.notify import Notifier
from edge_lpdpl.live.publish.message import as_line, make_message, summary
from edge_lpdpl.live.publish.publisher import Publisher
from edge_lpdpl.live.publish.requests import Reply
from edge_lpdpl.live.reading import Reading
from edge_lpdpl.live.reload import Reloader
from edge_lpdpl.live.scene import StandingDecision, view_of
from edge_lpdpl.live.statistics import Statistics
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.make import Trigger, make_trigger

_STATUS_EVERY = 2.0  # seconds
_PAUSE = 0.05  # seconds after a frame that could not be taken
_ASKED = ("button", "request")


class Service:
    """Runs until there are no more frames, or until it is told to stop.

    Args:
        reading: what reads; see `edge_lpdpl.live.reading.prepare`.
        frames: where frames come from; closed by `run`.
        reloader: makes another `reading` when asked to.

    Raises:
        ConfigError: the trigger cannot be had.
    """

    def __init__(
        self, reading: Reading, frames: FrameSource, reloader: Reloader, notifier: Notifier, journal: Journal
    ) -> None:
        self.statistics = Statistics()
        self._reading, self._frames, self._reloader = reading, frames, reloader
        self._notifier, self._journal = notifier, journal
        self._trigger: Trigger = make_trigger(reading.config.trigger)
        self._asked = AskedTrigger()
        self._standing = StandingDecision(reading.config.trigger.sensitivity)
        self._publishers: list[Publisher] = []
        self._last = "nothing yet"
        self._stopping = threading.Event()
        self._fed = self._told = 0.0
        self._ready = False

    def run(self, publishers: list[Publisher]) -> None:
        """Read frames until the end.

        Raises:
            CameraError: the camera gives no frames any more.
            BrokenPipeError: nobody reads standard output any more.
        """
        self._publishers = publishers
        try:
            with self._signals(), _quiet_collector():
                while not self._stopping.is_set():
                    self._turn()
        except EndOfFrames:
            self._journal.say(f"{self._frames.name}: that was the last frame")
        finally:
            self._notifier.stopping()
            self._trigger.close()
            self._frames.close()

    def stop(self) -> None:
        """End after the frame that is being read; may be called in any thread and in a signal handler."""
        self._stopping.set()

    def handle(self, request: dict[str, Any], reply: Any) -> None:
        """Answer a request of a client; called in other threads.

        Raises:
            EdgeError: it cannot be done.
        """
        if request["request"] == "status":
            reply({"status": self.status()})
        elif request["request"] == "recognise":
            reply({"ok": True})  # before what is read then
            self._asked.ask(time.monotonic_ns())
        else:
            self._reloader.change(request, reply)

    def status(self) -> Reply:
        """How the service does, ready for JSON."""
        model = self._reading.model
        return self.statistics.snapshot() | {
            "frames_from": self._frames.name,
            "timeouts": self._frames.timeouts,
            "trigger": self._reading.config.trigger.kind,
            "last": self._last,
            "dropped": {publisher.name: publisher.dropped for publisher in self._publishers},
            "model": {"name": model.name, "digest": model.digest},
            "backend": self._reading.reader.recogniser.backend,
            "reload_error": self._reloader.last_error,
        }

    def _turn(self) -> None:
        """One frame, and what there is to do between frames."""
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
            time.sleep(_PAUSE)  # it may fail at once the next time
            return
        if frame is None:
            self._tell()
            return
        age_ms = frame.age_ms()
        if age_ms > self._reading.config.frames.max_age_ms:
            self.statistics.stale += 1
            self._journal.complain(f"a frame is {age_ms:.0f} ms old and not read", kind="stale")
            return
        try:
            self._look_at(frame, age_ms)
        except Exception as error:
            self._fault(f"frame {frame.sequence} could not be read", error)
            return
        self.statistics.frame(age_ms)
        self._tell_progress()

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
            read = self._reading.reader.read(frame.grey)
        except Exception:
            for trigger, lost in ((self._trigger, wanted), (self._asked, asked)):
                if lost:
                    trigger.missed()
            raise
        self.statistics.readings += 1
        decided, is_new = self._standing.settle(read, view_of(frame.grey))
        if not is_new and kind not in _ASKED:
            self.statistics.held_back += 1
            return
        page = decided._replace(locate_us=read.locate_us, recognise_us=read.recognise_us)
        total_us = (time.perf_counter_ns() - start) / 1000
        message = make_message(page, frame, kind, self._reading.model, age_ms=age_ms, total_us=total_us)
        line = as_line(message)
        for publisher in self._publishers:
            publisher.publish(message, line)
        self._last = summary(message)
        self.statistics.decision((time.perf_counter_ns() - start) / 1000)

    def _take_over(self) -> None:
        """Put in place what a reload has prepared, between two frames."""
        if self._reloader.wanted_by_signal():
            self._notifier.reloading()
        if (done := self._reloader.done()) is None:
            return
        error = done.report if done.reading is None else None
        if done.reading is not None:
            try:
                self._replace(done.reading)
            except Exception as fault:  # whatever it is, the old one stays
                error = done.order.refusal(fault)
        if error is None:
            self.statistics.reloads += 1
            self._journal.say(done.report)
        else:
            self.statistics.refused_reloads += 1
            self._journal.say(error, ERROR)
        self._reloader.settle(done, error)
        if done.order.by_signal and self._ready:  # before, READY comes after the first frame as ever
            self._notifier.ready(self._status_line())

    def _replace(self, reading: Reading) -> None:
        old, new = self._reading.config, reading.config
        if new.camera != old.camera:
            self._frames.adjust(new.camera)
        if new.trigger != old.trigger:
            self._replace_trigger(old, new)
        if reading.model != self._reading.model or new.page != old.page:
            self._standing.forget()
            self._trigger.look_again()
        self._reading = reading

    def _replace_trigger(self, old: Config, new: Config) -> None:
        self._trigger.close()  # a pin has one owner
        try:
            self._trigger = make_trigger(new.trigger)
        except Exception:
            self._trigger = make_trigger(old.trigger)
            self._frames.adjust(old.camera)  # all that came with it is refused
            raise
        self._standing = StandingDecision(new.trigger.sensitivity)

    def _tell_progress(self) -> None:
        """A fresh frame was processed: only this feeds the watchdog."""
        now = time.monotonic()
        if not self._ready:
            self._ready = True
            self._journal.say(f"reading {self._frames.name} with {self._reading.model.name}")
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
        parts = [
            "no rate yet" if rate is None else f"{rate:.1f} fps",
            "no decision yet" if p99 is None else f"p99 {p99 / 1000:.2f} ms",
            f"{dropped} dropped, {self.statistics.stale} stale",
            f"last {self._last}",
        ]
        return "; ".join(parts)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """SIGTERM and SIGINT end the loop, SIGHUP reloads. Only the main thread can have that, and only it is asked."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {signal.SIGTERM: lambda *_: self.stop(), signal.SIGINT: lambda *_: self.stop()}
        if not (sys.stdin and sys.stdin.isatty()):  # there, it means that the window was closed
            handlers[signal.SIGHUP] = lambda *_: self._reloader.reload()
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def _quiet_collector() -> Iterator[None]:
    """What was loaded until now, a compiler among it, is not searched for garbage again: that takes tens of
    milliseconds each time, while a frame waits."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
