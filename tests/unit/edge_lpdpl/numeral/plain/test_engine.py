"""The NumPy engine decides like the kernels, and imports nothing but NumPy."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from project import PROJECT
from small_models import small_model
from stroke_pictures import stroke_picture

from edge_lpdpl.errors import BackendError
from edge_lpdpl.files.grey import INK_AUTO, INK_DARK, INK_LIGHT
from edge_lpdpl.model.files import write_model
from edge_lpdpl.model.settings import PAPER, HogSettings, Preprocessing, Profile
from edge_lpdpl.numeral.buffers import HEIGHT, WIDTH
from edge_lpdpl.numeral.engine import STAGES, Engine, make_engine
from edge_lpdpl.numeral.weights import BEST, MARGIN

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engines() -> tuple[Engine, Engine]:
    model = small_model()
    return make_engine(model, "numba"), make_engine(model, "numpy")


def assert_same(engines: tuple[Engine, Engine], picture: np.ndarray, polarity: int) -> None:
    pixels, others = (engine.recognise(picture, polarity) for engine in engines)
    assert pixels == others
    if pixels == 0:
        return
    (kernels, scored), (arrays, rescored) = ((engine.buffers, engine.responses) for engine in engines)
    size = kernels.found[HEIGHT] * kernels.found[WIDTH]
    np.testing.assert_array_equal(arrays.found, kernels.found)
    np.testing.assert_array_equal(arrays.ink[:size], kernels.ink[:size])
    np.testing.assert_array_equal(arrays.square, kernels.square)
    np.testing.assert_array_equal(arrays.features, kernels.features)
    np.testing.assert_allclose(rescored.scores, scored.scores, rtol=1e-4, atol=1e-4)
    if scored.decision[MARGIN] > 1e-3:  # with a smaller margin the last bits decide
        assert rescored.decision[BEST] == scored.decision[BEST]
    np.testing.assert_allclose(rescored.decision[MARGIN:], scored.decision[MARGIN:], rtol=1e-3, atol=1e-3)


class TestAgreement:
    @settings(max_examples=60)
    @given(
        seed=st.integers(0, 2**32 - 1),
        height=st.integers(16, 300),
        width=st.integers(16, 300),
        paper=st.sampled_from([0, 90]),
        noise=st.sampled_from([0, 4, 40]),
        polarity=st.sampled_from([INK_LIGHT, INK_DARK, INK_AUTO]),
    )
    def test_on_strokes(self, engines, seed, height, width, paper, noise, polarity):
        picture = stroke_picture(seed, height, width, paper=paper, noise=noise)
        assert_same(engines, picture, polarity)
        assert_same(engines, 255 - picture, polarity)

    @settings(max_examples=60)
    @given(
        seed=st.integers(0, 2**32 - 1),
        shape=st.tuples(st.integers(8, 180), st.integers(8, 180)),
        density=st.sampled_from([0.1, 0.3, 0.4, 0.6]),
        polarity=st.sampled_from([INK_LIGHT, INK_DARK, INK_AUTO]),
    )
    def test_on_mazes(self, engines, seed, shape, density, polarity):
        """Noise near the percolation density: parts with many arms and holes."""
        random = np.random.default_rng(seed)
        grey = random.integers(1, 256, size=shape, dtype=np.uint8)
        assert_same(engines, np.where(random.random(shape) < density, grey, 0).astype(np.uint8), polarity)

    @pytest.mark.parametrize(
        "profile",
        [
            Profile("odd", Preprocessing(aspect_power=0.25, margin=0), HogSettings(smoothing=2)),
            Profile("box", Preprocessing(by_moments=False, paper_window=0.0), HogSettings(square_root=False)),
            Profile("otsu", PAPER.preprocessing, HogSettings(smoothing=0)),
        ],
        ids=lambda profile: profile.name,
    )
    def test_with_other_settings_of_the_ink_and_the_square(self, profile):
        model = small_model(profile)
        engines = make_engine(model, "numba"), make_engine(model, "numpy")
        for seed in range(20):
            assert_same(engines, stroke_picture(seed, noise=4), INK_LIGHT)

    def test_step_by_step(self, engines):
        picture = stroke_picture(0)
        _, engine = engines
        engine.recognise(picture, INK_AUTO)
        features, scores = engine.buffers.features.copy(), engine.responses.scores.copy()
        engine.recognise(stroke_picture(1), INK_AUTO)
        stages = engine.stages(picture, INK_AUTO)
        assert tuple(stages) == STAGES
        for stage in stages.values():
            stage()
        np.testing.assert_array_equal(engine.buffers.features, features)
        np.testing.assert_array_equal(engine.responses.scores, scores)


@pytest.mark.parametrize(
    "profile",
    [
        PAPER,
        Profile("small", Preprocessing(side=28), HogSettings()),
        Profile("hard", Preprocessing(), HogSettings(soft_bins=False)),
        Profile("contrast", Preprocessing(), HogSettings(contrast=2)),
    ],
    ids=lambda profile: profile.name,
)
def test_a_model_with_another_histogram_is_refused(profile):
    model = small_model(profile)
    with pytest.raises(BackendError) as caught:
        make_engine(model, "numpy")
    what = f"random-{profile.name} has the profile {profile.name}"
    to_do = "install numba, or fit the model with the profile edge"
    assert str(caught.value) == f"the numpy backend reads models of the profile edge, and {what}: {to_do}"


def test_stages_of_the_compiled_engine_are_its_path(engines):
    compiled, _ = engines
    picture = stroke_picture(0)
    compiled.recognise(picture, INK_AUTO)
    scores = compiled.responses.scores.copy()
    compiled.recognise(stroke_picture(1), INK_AUTO)
    for stage in compiled.stages(picture, INK_AUTO).values():
        stage()
    np.testing.assert_array_equal(compiled.responses.scores, scores)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small.safetensors"
    write_model(path, small_model())
    return path


class TestAlone:
    """Run a script in another process."""

    @staticmethod
    def run(script: str, *arguments: object) -> str:
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        command = [sys.executable, "-c", script, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def test_imports_no_compiler(self, model):
        script = """
import sys
from pathlib import Path
import numpy as np
from edge_lpdpl import Recogniser
recogniser = Recogniser.load(sys.argv[1], "numpy")
recogniser.self_test()
recogniser.recognise(np.eye(64, dtype=np.uint8) * 255)
print(*sorted({"numba", "llvmlite", "scipy", "skimage", "sklearn", "matplotlib", "train_host"} & set(sys.modules)))
"""
        assert self.run(script, model).split() == []

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
    def test_stays_under_sixty_megabytes(self, model):
        script = """
import sys
from pathlib import Path
import numpy as np
import PIL.Image
from edge_lpdpl import Recogniser
recogniser = Recogniser.load(sys.argv[1], "numpy")
for side in (64, 300, 2000):
    picture = np.asarray(PIL.Image.linear_gradient("L").resize((side, side)))
    recogniser.recognise(picture)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
        assert int(self.run(script, model)) < 60 * 1024

    def test_a_large_picture_is_not_copied_whole(self, model):
        script = """
import sys, tracemalloc
import numpy as np
from edge_lpdpl import Recogniser
recogniser = Recogniser.load(sys.argv[1], "numpy")
picture = np.zeros((4096, 4096), np.uint8)
picture[1000:3000, 2000:2300] = 255
tracemalloc.start()
recogniser.recognise(picture)
print(tracemalloc.get_traced_memory()[1])
"""
        assert int(self.run(script, model)) < 2 * 2**20

    def test_is_taken_where_numba_is_absent(self, model):
        script = """
import sys
from pathlib import Path
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as if they were not installed
from edge_lpdpl import Recogniser
from edge_lpdpl.errors import BackendError
print(Recogniser.load(sys.argv[1]).backend)
try:
    Recogniser.load(sys.argv[1], "numba")
except BackendError as error:
    print(error)
"""
        backend, error = self.run(script, model).splitlines()
        assert backend == "numpy"
        assert error.startswith("numba cannot be imported")


def test_there_are_two_backends():
    with pytest.raises(BackendError, match="no backend 'cuda': use auto, numba or numpy"):
        make_engine(small_model(), "cuda")
