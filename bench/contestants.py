"""The peers: libraries that a user could choose instead, each as a call that handles one image.

A builder imports its library, does the preparation that a user does once, and returns the calls to time. A peer has the
settings with which it is fastest and still does the job.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle

import numpy as np
import pictures
from contestant import Contestant
from networks import DEPTHWISE_16K, LENET_5, steps

from train_host.baselines.small_networks import INPUT_SHAPE, Layer

SIDE = 32  # pixels; all peers start from the 32x32 picture, only our whole pipeline starts from the scan
VARIETY = 32  # different images, so that branch predictors cannot learn a single one


Builder = Callable[[], list[Contestant]]


def in_turn(function: Callable[[np.ndarray], object], images: Sequence[np.ndarray]) -> Callable[[], object]:
    """A call without arguments that calls the function with the next image each time."""
    following = cycle(images)
    return lambda: function(next(following))


def scikit_image_hog() -> list[Contestant]:
    from skimage.feature import hog

    def describe(picture: np.ndarray) -> np.ndarray:
        described: np.ndarray = hog(picture, orientations=9, pixels_per_cell=(3, 3), cells_per_block=(1, 1))
        return described

    images = [picture / np.float32(255) for picture in pictures.strokes(VARIETY, SIDE)]
    settings = "32x32 float32, 9 orientations, 3x3 cells, 1x1 blocks, L2-Hys: 900 numbers"
    return [Contestant(name="scikit-image hog", settings=settings, call=in_turn(describe, images))]


def opencv_hog() -> list[Contestant]:
    """OpenCV's HOG. Its blocks must fill the window: 3x3 cells fill the inner 30x30 pixels, 4x4 cells all 32x32."""
    import cv2

    if not hasattr(cv2, "HOGDescriptor"):
        raise ImportError(f"OpenCV {cv2.__version__} has no HOGDescriptor: pip install 'opencv-python-headless<5'")
    cv2.setNumThreads(1)
    images = pictures.strokes(VARIETY, SIDE)
    inner = [np.ascontiguousarray(image[1:31, 1:31]) for image in images]

    def entry(images: list[np.ndarray], cell: int, block: int) -> Contestant:
        side = images[0].shape[0]
        hog = cv2.HOGDescriptor((side, side), (block, block), (cell, cell), (cell, cell), 9)
        return Contestant(
            name=f"OpenCV HOGDescriptor, {cell}x{cell} cells" + (", 2x2 blocks" if block > cell else ""),
            settings=f"{side}x{side} uint8, 9 bins, blocks of {block}x{block}: {hog.getDescriptorSize()} numbers",
            call=in_turn(hog.compute, images),
        )

    return [entry(inner, cell=3, block=3), entry(images, cell=4, block=4), entry(images, cell=4, block=8)]


def litert_lenet() -> list[Contestant]:
    return _litert("LeNet-5", LENET_5, int8=False)


def litert_depthwise() -> list[Contestant]:
    return _litert("depthwise CNN", DEPTHWISE_16K, int8=False)


def litert_depthwise_int8() -> list[Contestant]:
    return _litert("depthwise CNN int8", DEPTHWISE_16K, int8=True)


def _litert(name: str, layers: Sequence[Layer], *, int8: bool) -> list[Contestant]:
    """The network as a user calls it (set the picture, invoke, get the scores), and `invoke` alone."""
    from litert_models import Network, tflite

    network = steps(layers)
    model = Network(tflite(network, int8=int8))
    grey = [picture.reshape(INPUT_SHAPE) for picture in pictures.strokes(VARIETY, SIDE)]
    images = [(g ^ 0x80).view(np.int8) if int8 else g / np.float32(255) for g in grey]
    parameters, multiply_adds = sum(s.parameters for s in network), sum(s.multiply_adds for s in network)
    kind = "int8" if int8 else "float32"
    settings = f"32x32 {kind}, LiteRT + XNNPACK, {parameters:,} parameters, {multiply_adds:,} multiply-adds"
    return [
        Contestant(name=name, settings=settings, call=in_turn(model.scores, images)),
        Contestant(
            name=f"{name}, invoke alone", settings="the same, without setting and getting tensors", call=model.invoke
        ),
    ]


def straight_equation_12(m: int) -> Builder:
    """A builder for equation 12 with m atoms per class. HOG is not timed."""

    def build() -> list[Contestant]:
        from straight_equation_12 import Dictionaries

        model = Dictionaries.random(m=m)
        features = list(np.random.default_rng(1).random((VARIETY, 900), dtype=np.float32))
        megabytes = (model.D.nbytes + model.P.nbytes) / 1e6
        settings = f"NumPy float32, n=900, Q=15, {megabytes:.1f} MB of dictionaries, HOG not counted"
        return [Contestant(name=f"eq. 12 straight, m={m}", settings=settings, call=in_turn(model.classify, features))]

    return build


def rivals() -> list[Contestant]:
    from rivals import build

    return build()


PEERS: dict[str, Builder] = {
    "other methods": rivals,
    "scikit-image": scikit_image_hog,
    "OpenCV": opencv_hog,
    "LeNet-5": litert_lenet,
    "depthwise CNN": litert_depthwise,
    "depthwise CNN int8": litert_depthwise_int8,
    "eq. 12, m=30": straight_equation_12(30),
    "eq. 12, m=340": straight_equation_12(340),
}


def build(builders: dict[str, Builder]) -> Iterator[tuple[str, list[Contestant] | ImportError]]:
    """The contestants of each builder, or the ImportError that says what is missing."""
    for name, builder in builders.items():
        try:
            yield name, builder()
        except ImportError as missing:
            yield name, missing
