"""What every trigger does."""

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import UNTOUCHED, Sight


class Trigger:
    """Looks at every frame, and says which frames are to be read."""

    kind: str
    sight: Sight = UNTOUCHED
    """What it saw move before the frame that it wanted last; nothing, if it does not look for that."""

    def wants(self, frame: Frame) -> bool:
        """Whether this frame is to be read."""
        raise NotImplementedError

    def missed(self) -> None:
        """Want another frame, because the one that was wanted last could not be read."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Treat the scene as new, because another model reads it. No-op for triggers that wait for somebody to ask."""

    def close(self) -> None:
        """Release the hardware. No-op for triggers that have none."""
