"""What a model file may hold, number by number: ranges, sizes and bounds are part of the format.

A file that was valid stays valid, and one that was refused stays refused, so each number is written down twice: here
and where it is used. To change one is to make a new schema.
"""

import dataclasses

import numpy as np
import pytest
from model_fields import fields, numbers, paper_fields, with_novelty

from edge_lpdpl.errors import EdgeError, ModelError
from edge_lpdpl.model import container, labels, metadata, shapes
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.model.settings import NEW_IN_SCHEMA_4, HogSettings, Preprocessing, parse_settings

RANGES = {
    Preprocessing: {
        "side": (8, 64, 32),
        "low_ratio": (0.05, 1, 0.2),
        "speck_share": (0, 0.1, 1 / 2048),
        "least_contrast": (1, 255, 10.0),
        "paper_window": (0, 0.5, 0.2),
        "ink_percentile": (0, 100, 50),
        "moment_width": (2, 8, 4.5),
        "aspect_power": (0, 1, 0.5),
        "margin": (0, 3, 1),
        "longest_side": (32, 160, 160),
        "most_growth": (0, 10, 1.0),
        "least_speck": (1, 100, 2),
        "most_ink": (0.1, 1, 0.78),
        "faint_peak": (0, 1, 0.5),
        "faint_share": (0, 0.1, 3 / 4096),
        "faint_reach": (0, 2, 0.5),
        "photograph_level": (0, 255, 8),
        "photograph_percentile": (0, 100, 25),
        "pixel_spread": (0.01, 1, 1 / 12),
    },
    HogSettings: {
        "cell": (2, 16, 4),
        "bins": (4, 18, 8),
        "smoothing": (0, 4, 1),
        "contrast": (0, 2, 0),
        "least_norm": (1e-6, 1, 1e-5),
    },
}
"""Least, most, and what a model of the profile `edge` has."""
TRUTHS = {Preprocessing: {"by_moments"}, HogSettings: {"signed", "soft_bins", "soft_cells", "square_root"}}
settings = pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, ranges in RANGES.items() for name in ranges], ids=str
)


class TestSettings:
    @pytest.mark.parametrize("kind", RANGES)
    def test_all_have_a_range_or_are_true_or_false(self, kind):
        assert set(kind._fields) == RANGES[kind].keys() | TRUTHS[kind]
        assert all(getattr(kind(), name) is True for name in TRUTHS[kind])

    @settings
    def test_both_ends_of_a_range_are_inside_and_the_default_too(self, kind, name):
        for value in RANGES[kind][name]:
            assert getattr(parse_settings(kind, kind()._asdict() | {name: value}), name) == value
        assert getattr(kind(), name) == RANGES[kind][name][2]

    @settings
    def test_what_lies_next_to_an_end_is_outside(self, kind, name):
        low, high, default = RANGES[kind][name]
        step = 1 if isinstance(default, int) else 1e-7
        for value in (low - step, high + step):
            with pytest.raises(EdgeError, match=f"^setting {name} = .* is outside "):
                parse_settings(kind, kind()._asdict() | {name: value})

    def test_of_two_wrong_names_the_error_tells_which_is_unknown_and_which_is_missing(self):
        values = HogSettings()._asdict() | {"colour": 1}
        del values["cell"]
        with pytest.raises(EdgeError, match=r"unknown \['colour'\], missing \['cell'\]$"):
            parse_settings(HogSettings, values)

    def test_older_files_are_read_with_values_that_never_change(self):
        assert NEW_IN_SCHEMA_4 == {
            "longest_side": 160,
            "most_growth": 1.0,
            "least_speck": 2,
            "most_ink": 0.78,
            "faint_peak": 0.5,
            "faint_share": 3 / 4096,
            "faint_reach": 0.5,
            "photograph_level": 8,
            "photograph_percentile": 25,
            "pixel_spread": 1 / 12,
            "least_norm": 1e-5,
        }


class TestArrays:
    def test_the_length_of_every_axis(self):
        assert shapes.LIMITS == {
            "features": (1, 8192),
            "dimensions": (1, 4096),
            "inputs": (1, 4096),
            "rank": (1, 4096),
            "atoms": (1, 4096),
            "classes": (2, 64),
            "forms": (2, 65),
            "points": (2, 64),
            "samples": (1, 32),
            "height": (8, 64),
            "width": (8, 64),
            "factors": (1, 64),
        }

    def test_the_largest_number_of_every_array(self):
        assert shapes.BOUNDS == {
            "selftest_features": 512,
            "projection": 64,
            "vectors": 64,
            "projection_offset": 1e6,
            "squares": 1e6,
            "linears": 1e6,
            "novelty_means": 1e6,
            "novelty_weights": 1e6,
            "novelty_factors": 1e6,
        }

    @pytest.mark.parametrize("dimensions", [899, 901])
    def test_without_a_projection_there_are_as_many_dimensions_as_features(self, dimensions):
        changed = paper_fields() | {"dimensions": dimensions, "vectors": numbers(dimensions, 32, 15)}
        with pytest.raises(ModelError, match=r"^without a projection there are 900 dimensions and no constant$"):
            Model(**changed)

    def test_without_a_projection_there_is_no_constant(self):
        with pytest.raises(ModelError, match=r"^without a projection there are 900 dimensions and no constant$"):
            Model(**paper_fields() | {"constant": 0.5, "vectors": numbers(901, 32, 15)})

    def test_the_rank_may_be_that_of_the_numbers_that_are_classified_and_no_more(self):
        wide = {"squares": numbers(81, 15), "linears": numbers(81, 15), "vectors": numbers(81, 81, 15), "rank": 81}
        assert Model(**fields(**wide)).rank == 81
        wide = {"squares": numbers(82, 15), "linears": numbers(82, 15), "vectors": numbers(81, 82, 15), "rank": 82}
        with pytest.raises(ModelError, match="the rank 82 is above the 81 numbers"):
            Model(**fields(**wide))

    @pytest.mark.parametrize(
        ("margins", "values"), [([0, 1], [0, 1]), ([0, 1], [0.5, 0.5]), ([0.25, 0.5], [0, 0]), ([0, 9], [1, 1])]
    )
    def test_confidence_rises_or_stays_over_margins_that_increase(self, margins, values):
        model = Model(**fields(confidence_margins=np.float32(margins), confidence_values=np.float32(values)))
        assert model.confidence_margins.tolist() == margins

    @pytest.mark.parametrize("margins", [[-1, 1], [0, 0], [1, 0.5], [0, 0.5, 0.25]])
    def test_margins_that_do_not_increase_from_0_are_refused(self, margins):
        curve = {"confidence_values": np.linspace(0, 1, len(margins), dtype=np.float32)}
        with pytest.raises(ModelError, match="confidence_margins do not increase from 0 or above"):
            Model(**fields(confidence_margins=np.float32(margins), **curve))

    @pytest.mark.parametrize("values", [[-0.1, 1], [0, 1.1], [0.5, 0.25], [0, 0.5, 0.25]])
    def test_confidence_that_falls_or_is_no_share_is_refused(self, values):
        curve = {"confidence_margins": np.arange(len(values), dtype=np.float32)}
        with pytest.raises(ModelError, match=r"confidence_values fall, or leave 0..1"):
            Model(**fields(confidence_values=np.float32(values), **curve))

    def test_a_weight_of_a_distance_is_0_or_more(self):
        novelty = with_novelty()["novelty"]
        for least in (0, -1e-6):
            weights = novelty.weights.copy()
            weights[3, 5] = least
            made = fields(novelty=novelty._replace(weights=weights))
            if least == 0:
                assert Model(**made).novelty.weights[3, 5] == 0
            else:
                with pytest.raises(ModelError, match="novelty_weights holds numbers below 0"):
                    Model(**made)

    def test_an_array_of_another_size_than_its_shape_is_named_with_both_sizes(self):
        metadata_text, tensors = "", {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)}
        data = container.join(metadata_text, tensors).replace(b'"shape":[3]', b'"shape":[4]')
        with pytest.raises(ModelError, match=r"^tensor 'b' has 12 bytes, its shape needs 16"):
            container.split(data)

    def test_an_array_of_a_file_has_one_to_four_axes(self):
        for axes in (1, 2, 3, 4):
            data = container.join("", {"a": np.zeros([2] * axes, np.float32)})
            assert container.split(data)[1]["a"].shape == (2,) * axes
        for axes in (0, 5):
            with pytest.raises(ModelError, match="tensor 'a' has no sensible shape"):
                container.split(container.join("", {"a": np.zeros([2] * axes, np.float32)}))


class TestTexts:
    def test_sizes_of_a_file(self):
        assert (container.MAX_FILE_BYTES, container.MAX_HEADER_BYTES) == (32 * 1024**2, 1024**2)
        assert container.MAX_METADATA_BYTES == 256 * 1024

    def test_a_file_of_the_largest_size_is_read_and_a_larger_one_is_not(self):
        others = len(container.join("", {"a": np.zeros(1 << 24, np.uint8)})) - (1 << 24)
        fitting = container.join("", {"a": np.zeros(container.MAX_FILE_BYTES - others, np.uint8)})
        assert len(fitting) == container.MAX_FILE_BYTES
        assert container.split(fitting)[1]["a"].size == container.MAX_FILE_BYTES - others
        with pytest.raises(ModelError, match=r"^has 33554433 bytes, a model has at most 33554432$"):
            container.split(fitting + b"\0")

    def test_a_header_of_the_largest_size_is_read_and_a_larger_one_is_not(self):
        data = container.join("", {"a": np.ones(8, np.uint8)})
        header, arrays = data[8:-8], data[-8:]
        most = container.MAX_HEADER_BYTES
        assert container.split(most.to_bytes(8, "little") + header.ljust(most) + arrays)[1]["a"].tolist() == [1] * 8
        with pytest.raises(ModelError, match=r"^the header is 1048584 bytes long, more than 1048576$"):
            container.split((most + 8).to_bytes(8, "little") + header.ljust(most + 8) + arrays)

    def test_metadata_of_the_largest_size_are_read_and_larger_ones_are_not(self):
        array = {"a": np.ones(8, np.uint8)}
        text = "x" * container.MAX_METADATA_BYTES
        assert container.split(container.join(text, array))[0] == text
        with pytest.raises(ModelError, match=r"^the metadata is longer than 262144 bytes$"):
            container.split(container.join(text + "x", array))

    def test_versions_of_the_format(self):
        first, novelty, share = metadata.FIRST_SCHEMA, metadata.NOVELTY_SCHEMA, metadata.SHARE_SCHEMA
        assert (first, novelty, share, metadata.PICTURES_SCHEMA, metadata.SCHEMA) == (1, 2, 3, 4, 5)

    def test_a_name_has_64_characters_at_most(self):
        assert Model(**fields(name="a" * 64)).name == "a" * 64
        for name in ("", "a" * 65):
            with pytest.raises(ModelError, match="is not 1 to 64 of a-z, 0-9 and -"):
                Model(**fields(name=name))

    def test_a_text_of_a_report_has_1000_characters_at_most(self):
        training = fields()["training"]
        assert Model(**fields(training=training | {"data": "x" * 1000})).training["data"] == "x" * 1000
        with pytest.raises(ModelError, match=r"^training holds unprintable or overlong text 'xxxxxxxxxxxxxxxxxxxx'$"):
            Model(**fields(training=training | {"data": "x" * 1001}))

    def test_counts_fit_in_64_bits(self):
        training = fields()["training"]
        for count in (0, 2**63 - 1):
            assert Model(**fields(training=training | {"images": count})).training["images"] == count
        for count in (-1, 2**63):
            with pytest.raises(ModelError, match=r"training: images = .* is outside 0..9223372036854775807"):
                Model(**fields(training=training | {"images": count}))

    def test_a_character_has_8_code_points_at_most_and_a_value_is_at_most_a_million_million(self):
        model = Model(**fields())
        widest = (Label("x" * 8, 10**12), *model.labels[1:])
        assert dataclasses.replace(model, labels=widest).labels == widest
        assert dataclasses.replace(model, labels=(Label("x", 0), *model.labels[1:])).labels[0].value == 0

    @pytest.mark.parametrize("name", ["value", "std"])
    def test_an_accuracy_is_a_share_and_only_its_spread_may_be_unknown(self, name):
        accuracy = fields()["accuracy"]
        for share in (0.0, 1.0):
            assert Model(**fields(accuracy=accuracy | {name: share})).accuracy[name] == share
        for wrong in (-0.001, 1.001, *([None] if name == "value" else [])):
            with pytest.raises(ModelError, match=f"^accuracy: {name} = "):
                Model(**fields(accuracy=accuracy | {name: wrong}))


def test_characters_that_a_stroke_or_a_frame_looks_like():
    assert "".join(sorted(labels.BARS)) == "1١一三二"
    assert ({"四"}, {"٠"}) == (labels.FRAMED, labels.DOTS)
    assert "".join(sorted(labels.TWO_HALVES)) == "".join(sorted("亿億伍佰仟拾陸陆捌"))
