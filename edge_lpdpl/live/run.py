"""The live service put together from its configuration, and frames recorded as it would take them."""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from edge_lpdpl.files.atomic import spare_inputs
from edge_lpdpl.live.config.loading import config_files, load_config
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.frame import EndOfFrames, FrameSource
from edge_lpdpl.live.frames.recording import recording
from edge_lpdpl.live.frames.sources import open_frames
from edge_lpdpl.live.journal import Journal
from edge_lpdpl.live.notify import Notifier

Changes = Mapping[str, Mapping[str, object]]


def run(config_file: str | None = None, changes: Changes | None = None) -> None:
    """The live service, until it is stopped or there are no more frames.

    Args:
        config_file: instead of /etc/edge-lpdpl/config.toml; its config.d counts too.
        changes: sections to keys to values, which win over the files.

    Raises:
        ConfigError, ModelError, PublishError: something of it cannot be used.
        CameraError: there is no camera, or it gives no frames any more.
        BrokenPipeError: nobody reads standard output any more.
    """
    config = load_config(config_files(config_file), changes)
    notifier = Notifier()
    notifier.status("opening the source of frames")
    with _journal() as journal, ExitStack() as opened:
        frames = open_frames(config, journal.complain)
        opened.callback(frames.close)
        notifier.status("warming up")
        service, publishers = _start(config, frames, config_file, changes or {}, notifier, journal, opened)
        service.run(publishers)


def _start(
    config: Config,
    frames: FrameSource,
    config_file: str | None,
    changes: Changes,
    notifier: Notifier,
    journal: Journal,
    opened: ExitStack,
) -> tuple[Any, list[Any]]:
    from edge_lpdpl.live.publish.publisher import open_publishers
    from edge_lpdpl.live.reading import prepare
    from edge_lpdpl.live.reload import Reloader
    from edge_lpdpl.live.service import Service

    def files() -> Sequence[Path]:
        return config_files(config_file)

    reading = prepare(config, frames.height, frames.width)
    reloader = Reloader(files, changes, reading, frames.height, frames.width)
    service = Service(reading, frames, reloader, notifier, journal)
    publishers = open_publishers(config, service.handle, journal.complain)
    for publisher in publishers:
        opened.callback(publisher.close)
    if config.metrics.port:
        from edge_lpdpl.live.publish.metrics import MetricsEndpoint

        opened.callback(MetricsEndpoint(config.metrics, service.status).close)
    return service, publishers


def record(
    path: Path,
    count: int,
    config_file: str | None = None,
    changes: Changes | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> int:
    """Write frames into a recording that `frames.source` can name; fewer where there are no more.

    Returns:
        how many there are in it.

    Raises:
        ConfigError, CameraError, RecordingError: as for `run`; the file cannot be written.
        SystemExit: SIGTERM or SIGHUP came, so there is no file.
    """
    config = load_config(config_files(config_file), changes)
    if config.frames.source.endswith(".npy"):
        spare_inputs(path, config.frames.source)
    with _journal() as journal:
        frames = open_frames(config, journal.complain)
        written = 0
        try:
            # The end of the frames is no fault of the recording, so it is suppressed inside.
            with (
                _told_to_end() as told,
                recording(path, frames.height, frames.width) as append,
                suppress(EndOfFrames),
            ):
                while written < count:
                    if told:
                        raise SystemExit(128 + told[0])  # as a shell counts it
                    frame = frames.take()
                    if frame is not None:
                        append(frame)
                        written += 1
                        progress(written / count)
        finally:
            frames.close()
    return written


@contextmanager
def _told_to_end() -> Iterator[list[int]]:
    """SIGTERM and SIGHUP as they come, where they would end this process with its work left half done. Only the main
    thread can have that; what is ignored stays so, as under `nohup`."""
    told: list[int] = []
    ours = threading.current_thread() is threading.main_thread()
    deadly = [each for each in (signal.SIGTERM, signal.SIGHUP) if ours and signal.getsignal(each) == signal.SIG_DFL]
    for each in deadly:
        signal.signal(each, lambda number, _: told.append(number))
    try:
        yield told
    finally:
        for each in deadly:
            signal.signal(each, signal.SIG_DFL)


@contextmanager
def _journal() -> Iterator[Journal]:
    journal = Journal()
    try:
        yield journal
    finally:
        journal.close()
