"""Everything this project raises on purpose: one root, leaves that also are the builtin a caller would expect."""


class EdgeError(Exception):
    """Root of all errors that are the input's fault, not the program's; the commands print it as one line."""


class ImageError(EdgeError, ValueError):
    """A picture that cannot be used: unreadable, too small, too large, wrong type."""


class ModelError(EdgeError, ValueError):
    """A model file that cannot be believed."""


class DatasetError(EdgeError, ValueError):
    """A data set that cannot be opened or contradicts itself."""


class TrainingError(EdgeError, RuntimeError):
    """Training that must not go on: a model that would not decide as it was trained to."""


class BackendError(EdgeError, RuntimeError):
    """A compute backend that this machine does not have."""


class ConfigError(EdgeError, ValueError):
    """A configuration that cannot be used."""


class CameraError(EdgeError, RuntimeError):
    """A camera that is missing, busy, or gives no frames."""


class RecordingError(EdgeError, ValueError):
    """A recording that cannot be replayed or made."""


class PublishError(EdgeError, RuntimeError):
    """A way to publish that cannot be opened."""


class ServiceError(EdgeError, RuntimeError):
    """A running service that cannot be asked, or refuses what it was asked."""
