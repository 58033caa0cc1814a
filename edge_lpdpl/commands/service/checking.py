"""What a configuration names of this machine, and whether it is there: models, packages, files, addresses, programs."""

import contextlib
import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from edge_lpdpl.errors import ConfigError, ModelError, how_to_install
from edge_lpdpl.files.text import printable
from edge_lpdpl.form.fields import find_unreadable
from edge_lpdpl.library.models import find_model
from edge_lpdpl.live.config.conflicts import Conflict, conflict_of
from edge_lpdpl.live.config.loading import Checked
from edge_lpdpl.live.config.schema import Name
from edge_lpdpl.live.config.sections import Config, FieldConfig
from edge_lpdpl.live.log.place import log_path
from edge_lpdpl.live.place import SERVICE_SOCKET, listen_path, socket_path
from edge_lpdpl.live.setup import check_numbers, model_paths
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import constraints_of, find_contradictions

_LONGEST_SOCKET = 107  # bytes of a path, a limit of the kernel


def file_faults(checked: Checked) -> Iterator[str]:
    """What is wrong with what a configuration names of this machine: models and what they lack, packages, files for the
    broker, places to listen at, the log, and the programs of actions.

    >>> from edge_lpdpl.live.config.loading import check_files
    >>> list(file_faults(check_files(())))
    []
    """
    if checked.config is not None:
        conflicts = _conflicts_of_files(checked.config)
        yield from (checked.blame(one) for one in conflicts if not one.depends_on(checked.unknown))


def _conflicts_of_files(config: Config) -> Iterator[Conflict]:
    usual = list[Model]()
    named = [("file", config.model.file), *(("also", one) for one in config.model.also)]
    for key, name in named:
        try:
            usual.append(read_model(model_paths(name)[0] if key == "file" else find_model(name)))
        except ModelError as error:
            yield Conflict("model", key, str(error))
    if len(usual) == len(named) and not config.field:
        yield from _unreadable_numbers(config, usual)
    for place, field in enumerate(config.field):
        try:
            model = read_model(find_model(field.model)) if field.model else usual[0] if usual else None
        except ModelError as error:
            yield Conflict("field", "model", str(error), place)
            continue
        if model is not None:
            yield from _unreadable_field(field, place, model)
    yield from _missing_packages(config)
    if config.mqtt.host:
        from edge_lpdpl.live.broker.credentials import credential_faults  # ssl is not for every start

        yield from (Conflict("mqtt", key, text) for key, text in credential_faults(config.mqtt))
    yield from _unusable_address(config)
    yield from _unusable_socket(config)
    yield from _unusable_log(config)
    for place, action in enumerate(config.action):
        program = (*action.command, "")[0]
        if program.startswith("/") and shutil.which(program) is None:
            yield Conflict("action", "command", f"{printable(program)[:200]} is no program; check the path", place)


def _unreadable_numbers(config: Config, models: Sequence[Model]) -> Iterator[Conflict]:
    try:
        check_numbers(config, models)
    except ConfigError as error:
        of_models = Name("model", "file"), Name("model", "also")
        yield conflict_of("numbers", str(error))._replace(because=of_models)


def _unreadable_field(field: FieldConfig, place: int, model: Model) -> Iterator[Conflict]:
    if any(find_contradictions(field.known)):
        return
    because = Name("model", "file"), *(Name("field", key, place) for key in ("model", "boxes", *field.known._fields))
    for text in find_unreadable(constraints_of(field.known), field.boxes or field.length, model.labels, model.name):
        yield conflict_of("field", text, place)._replace(because=because)


def _missing_packages(config: Config) -> Iterator[Conflict]:
    needed = (
        ("mqtt", "host", config.mqtt.host, "paho", "paho-mqtt"),
        ("metrics", "port", config.metrics.port, "prometheus_client", "prometheus-client"),
    )
    for section, key, is_on, module, package in needed:
        if is_on and find_spec(module) is None:
            yield Conflict(section, key, f"needs {package}: {how_to_install(section)}")


def _unusable_address(config: Config) -> Iterator[Conflict]:
    """An address of [metrics] at which this machine cannot listen."""
    if not config.metrics.port:
        return
    address = config.metrics.address
    try:
        family, _, _, _, place = socket.getaddrinfo(address, config.metrics.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((place[0], 0, *place[2:]))  # the service may have the port already
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        fault = f"is {address[:60]!r}, where this machine cannot listen ({why})"
        yield Conflict("metrics", "address", fault, because=(Name("metrics", "port"),))


def _unusable_socket(config: Config) -> Iterator[Conflict]:
    """A socket that cannot be made. The folder of the service's own one is there while it runs, and of a folder that
    this user may not enter only the service knows."""
    path = None if config.publish.socket == "auto" else socket_path(config.publish.socket)
    if path is None or path.parent == SERVICE_SOCKET.parent:
        return
    shown = printable(str(path))[:200]
    if len(os.fsencode(listen_path(path))) > _LONGEST_SOCKET:
        yield Conflict("publish", "socket", "is too long for a socket; name a shorter path")
        return
    with contextlib.suppress(PermissionError):
        if not path.parent.is_dir():
            yield Conflict("publish", "socket", f"{shown} is in no folder that is there; make it, or name another")
        elif os.path.lexists(path) and not path.is_socket():
            yield Conflict("publish", "socket", f"{shown} is something else than a socket; name another path")


def _unusable_log(config: Config) -> Iterator[Conflict]:
    """A log that cannot be a file. The service makes folders that are missing; where this user may not look, only the
    service knows."""
    if not config.log.file:
        return
    path = log_path(config.log.file)
    with contextlib.suppress(PermissionError):
        above = next(one for one in path.absolute().parents if os.path.lexists(one))
        if not above.is_dir():
            shown = printable(str(above))[:200]
            yield Conflict("log", "file", f"is below {shown}, which is no folder; name another path")
        elif path.is_dir():
            yield Conflict("log", "file", f"{printable(str(path))[:200]} is a folder; name a file")
