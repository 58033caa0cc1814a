"""Start the live service from its configuration, or record the frames that it would read."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from edge_lpdpl.files.atomic import check_new, spare_inputs
from edge_lpdpl.library.trials import Trials, trials_file
from edge_lpdpl.live.config.loading import Changes, config_files, load_config
from edge_lpdpl.live.frames.frame import EndOfFrames
from edge_lpdpl.live.frames.recording import picture_folder, recording
from edge_lpdpl.live.frames.sources import open_frames
from edge_lpdpl.live.journal import ERROR, Journal
from edge_lpdpl.live.notify import Notifier


def run(config_file: str | None = None, changes: Changes | None = None) -> None:
    """Run the live service until it is stopped or there are no more frames.

    Args:
        config_file: instead of /etc/edge-lpdpl/config.toml; the config.d beside it is read, too.
        changes: override the files.

    Raises:
        ConfigError, ModelError, PublishError: a part of the configuration cannot be used.
        CameraError: there is no camera, or it no longer gives frames.
        BrokenPipeError: nobody reads standard output.
    """
    config = load_config(config_files(config_file), changes)
    notifier = Notifier()
    notifier.status("opening the source of frames")
    with ExitStack() as opened:
        journal = opened.enter_context(closing(Journal()))
        trials = opened.enter_context(Trials(trials_file()))
        frames = opened.enter_context(closing(open_frames(config, journal.complain)))
        notifier.status("warming up")
        # Imported here, so that a missing camera is reported at once.
        from edge_lpdpl.live.publish.publisher import open_publishers
        from edge_lpdpl.live.reload import Reloader
        from edge_lpdpl.live.service import Service
        from edge_lpdpl.live.setup import prepare

        setup = prepare(config, frames.height, frames.width, fall_back=True, trials=trials)
        for problem in filter(None, (setup.problem, setup.hand_problem)):
            journal.say(problem, ERROR)
        reloader = Reloader(lambda: config_files(config_file), changes or {}, setup, frames.height, frames.width)
        service = Service(setup, frames, reloader, notifier, journal, trials)
        publishers = open_publishers(config, service.handle, journal.complain)
        for publisher in publishers:
            opened.callback(publisher.close)
        if config.metrics.port:
            from edge_lpdpl.live.publish.metrics import MetricsEndpoint

            opened.callback(MetricsEndpoint(config.metrics, service.status).close)
        handlers = dict.fromkeys((signal.SIGTERM, signal.SIGINT), lambda *_: service.stop())
        if not (sys.stdin and sys.stdin.isatty()):  # on a terminal, SIGHUP means that the window was closed
            handlers[signal.SIGHUP] = lambda *_: reloader.reload()
        with _handling(handlers):
            service.run(publishers)


def record(
    path: Path,
    count: int,
    config_file: str | None = None,
    changes: Changes | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> int:
    """Write frames into a recording for `frames.source`; fewer than `count` if the source ends before.

    Args:
        path: of a file *.npy, or of a folder for PNGs; nothing may be there but an empty folder.

    Returns:
        the number of frames in it.

    Raises:
        EdgeError: as for `run`, or the recording cannot be written, or exists.
        SystemExit: SIGTERM or SIGHUP came; no file is written, and PNGs stay.
    """
    config = load_config(config_files(config_file), changes)
    if config.frames.source.endswith(".npy"):
        spare_inputs(path, config.frames.source)
    check_new(path)
    written, told = 0, list[int]()
    # A signal that is ignored stays ignored, as under `nohup`.
    deadly = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) == signal.SIG_DFL]
    with (
        closing(Journal()) as journal,
        closing(open_frames(config, journal.complain)) as frames,
        _handling(dict.fromkeys(deadly, lambda number, _: told.append(number))),
        recording(path, frames.height, frames.width) if path.suffix else picture_folder(path) as append,
        suppress(EndOfFrames),  # suppressed inside: the recording is complete
    ):
        while written < count:
            if told:
                raise SystemExit(128 + told[0])  # as a shell reports it
            if (frame := frames.take()) is not None:
                append(frame)
                written += 1
                progress(written / count)
    return written


@contextmanager
def _handling(handlers: Mapping[signal.Signals, Callable[[int, Any], object]]) -> Iterator[None]:
    """Handle signals until the block ends; no-op outside of the main thread, where Python handles none."""
    ours = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if ours}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
