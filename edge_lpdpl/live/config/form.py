"""The fields of the configuration as those of a form."""

from collections.abc import Iterator

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.form.fields import Fault, Field, find_faults
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.live.config.sections import Config, FieldConfig
from edge_lpdpl.number.constraints import constraints_of


def paper_of(config: Config) -> str | None:
    """The paper whose marks are looked for; None where fields are at the same pixels of each frame."""
    return config.form.paper if config.form.align == "marks" else None


def fields_of(config: Config) -> list[Field]:
    """The fields of a configuration without faults.

    >>> from edge_lpdpl.live.config.loading import load_config
    >>> fields_of(load_config((), {"field": [{"name": "age", "region": [30, 40, 24, 12], "maximum": 130}]}))[0].area
    Area(x=30, y=40, width=24, height=12)
    """
    return [_field(one) for one in config.field]


def faults_of_fields(config: Config) -> Iterator[Fault]:
    """What is wrong with the fields: regions, names and constraints. The frame of pictures and recordings may have
    another size than that of the camera, so regions in pixels are held against the frame when it is known."""
    faults = [fault for place, one in enumerate(config.field) if (fault := _fault_of_field(place, one)) is not None]
    yield from faults or find_faults(fields_of(config), paper_of(config))


def _fault_of_field(place: int, one: FieldConfig) -> Fault | None:
    if not one.region:
        return Fault(place, "region", "is missing: give [x, y, width, height]")
    try:
        _field(one)
    except ConfigError as error:
        key, _, text = str(error).partition(" ")
        return Fault(place, key, text)
    return None


def _field(one: FieldConfig) -> Field:
    constraints = constraints_of(one.length, one.minimum, one.maximum, one.decimals, one.check)
    return Field(one.name, Area(*one.region), constraints, one.boxes or one.length, one.model)
