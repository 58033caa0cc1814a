"""The fields of the configuration as those of a form."""

from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.live.config.sections import Config, FieldConfig
from edge_lpdpl.number.constraints import constraints_of


def paper_of(config: Config) -> str | None:
    """The paper whose marks are looked for; None where fields are at the same pixels of each frame."""
    return config.form.paper if config.form.align == "marks" else None


def field_of(one: FieldConfig) -> Field:
    """A field of a configuration, without faults, as one of a form.

    >>> from edge_lpdpl.live.config.loading import load_config
    >>> field_of(load_config((), {"field": [{"name": "age", "region": [30, 40, 24, 12]}]}).field[0]).area
    Area(x=30, y=40, width=24, height=12)
    """
    return Field(one.name, Area(*one.region), constraints_of(one.known), one.boxes or one.length, one.model)
