"""What comes with the package: trained models and pictures that the project drew itself."""

from pathlib import Path

from edge_lpdpl.errors import ModelError

_FOLDER = Path(__file__).parent


def shipped_models() -> list[str]:
    """Names of the shipped models.

    >>> "chinese15" in shipped_models()
    True
    """
    return sorted(path.stem for path in (_FOLDER / "models").glob("*.safetensors"))


def shipped_model(name: str) -> Path:
    """File of the shipped model `name`.

    Raises:
        ModelError: no such model is shipped.
    """
    path = _FOLDER / "models" / f"{name}.safetensors"
    if not path.is_file():
        raise ModelError(f"no model {name!r} is shipped: there are {', '.join(shipped_models())}")
    return path


def shipped_pictures() -> list[Path]:
    """Pictures to try a model on, named `SCRIPT_VALUE_LOOK.png`."""
    return sorted((_FOLDER / "pictures").glob("*.png"))
