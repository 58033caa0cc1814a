"""Model files such as somebody might send who means harm.

Every one but those about the digest carries the digest that belongs to it, so that nothing is caught by accident.
"""

import json
import math
import pickle
import struct
from collections.abc import Callable

import numpy as np
from forged_models import (
    a_zip,
    as_bfloat16,
    not_a_number,
    with_array,
    with_entry,
    with_flipped_bit,
    with_header,
    with_hidden_bytes,
    with_offsets_beyond_the_end,
    with_pictures,
    with_repeated_tensor,
    with_shifted_numbers,
    with_text,
    with_value,
    with_zeros,
    without_arrays,
    without_key,
)
from model_bytes import (
    CLASSES,
    DIMENSIONS,
    FEATURES,
    NOVELTY,
    build,
    contain,
    digest,
    good_arrays,
    good_file,
    good_metadata,
    header_of,
    picture_arrays,
    with_novelty,
)

Maker = Callable[[], bytes]

CONTAINERS: dict[str, tuple[Maker, str]] = {
    "empty": (lambda: b"", "0 bytes"),
    "seven bytes": (lambda: b"\x10" + bytes(6), "too short"),
    "eight bytes": (lambda: bytes(8), "not strict JSON"),
    "a pickle": (lambda: pickle.dumps({"vectors": [1.0] * 99}), "header"),
    "a zip": (a_zip, "header"),
    "a picture": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(99), "header"),
    "a text": (lambda: b"#!/bin/sh\nrm -rf /\n", "header"),
    "header of 2^63 bytes": (lambda: struct.pack("<Q", 1 << 63) + good_file()[8:], "9223372036854775808 bytes long"),
    "header of 2^64 - 1 bytes": (lambda: b"\xff" * 8 + good_file()[8:], "18446744073709551615 bytes long"),
    "header longer than the file": (lambda: struct.pack("<Q", len(good_file())) + good_file()[8:], "header"),
    "header above its cap": (lambda: contain(b" " * (1 << 20) + b"{}", b""), "more than 1048576"),
    "header not UTF-8": (lambda: contain(b'{"\xff\xfe": 1}', b""), "not UTF-8"),
    "header in UTF-16": (lambda: contain('{"a": 1}'.encode("utf-16"), b""), "not UTF-8"),
    "header with a byte order mark": (lambda: contain(b"\xef\xbb\xbf{}", b""), "BOM"),
    "header not JSON": (lambda: contain("{'a': 1}", b""), "not strict JSON"),
    "header cut off": (lambda: contain('{"vectors": {"dtype"', b""), "not strict JSON"),
    "header a list": (lambda: contain("[1, 2]", b""), "not a JSON table"),
    "header a number": (lambda: contain("1", b""), "not a JSON table"),
    "header nested": (lambda: contain("[" * 100_000 + "]" * 100_000, b""), "nested too deeply"),
    "header of opening brackets": (lambda: contain('{"a":' * 200_000, b""), "nested too deeply"),
    "header of escaped quotes": (lambda: contain('"' + '\\"' * 500_000, b""), "not strict JSON"),
    "header with a long number": (lambda: contain('{"a": ' + "9" * 100_000 + "}", b""), "not strict JSON"),
    "header with NaN": (lambda: with_entry("vectors", shape=[math.nan, 2, 3]), "no sensible shape"),
    "tensor twice": (with_repeated_tensor, "repeated key 'vectors'"),
    "header not aligned": (lambda: struct.pack("<Q", 3) + b"{} " + bytes(5), "aligned"),
    "no metadata": (lambda: with_header(lambda header: header.pop("__metadata__") and None), "metadata"),
    "metadata of somebody else": (lambda: with_header(lambda h: h | {"__metadata__": {"format": "pt"}}), "metadata"),
    "a second metadata text": (lambda: with_header(lambda h: h["__metadata__"].update(more="")), "metadata"),
    "metadata a table": (lambda: with_header(lambda h: h | {"__metadata__": {"edge_lpdpl": {}}}), "not one text"),
    "metadata a list": (lambda: with_header(lambda h: h | {"__metadata__": []}), "metadata"),
    "metadata above its cap": (lambda: with_text(lambda text: text + " " * (256 << 10)), "longer than 262144"),
    "tensor a list": (lambda: with_header(lambda h: h | {"vectors": []}), "not described"),
    "tensor with a further key": (lambda: with_entry("vectors", url="file:///etc/passwd"), "not described"),
    "tensor without shape": (lambda: with_header(lambda h: h["vectors"].pop("shape") and None), "not described"),
    "shape a text": (lambda: with_entry("vectors", shape="4"), "no sensible shape"),
    "shape of fractions": (lambda: with_entry("vectors", shape=[4.0, 2.0, 3.0]), "no sensible shape"),
    "shape of truths": (lambda: with_entry("vectors", shape=[True, True]), "no sensible shape"),
    "shape negative": (lambda: with_entry("vectors", shape=[-4, -2, 3]), "no sensible shape"),
    "shape zero": (lambda: with_entry("vectors", shape=[0, 2, 3], data_offsets=[0, 0]), "no sensible shape"),
    "shape of no axes": (lambda: with_entry("vectors", shape=[]), "no sensible shape"),
    "shape of 1000 axes": (lambda: with_entry("vectors", shape=[1] * 1000), "no sensible shape"),
    "shape whose product overflows": (lambda: with_entry("vectors", shape=[2**32, 2**32, 24]), "its shape needs"),
    "shape larger than its bytes": (lambda: with_entry("vectors", shape=[5, 2, 3]), "its shape needs"),
    "offsets beyond the end": (with_offsets_beyond_the_end, "the file has"),
    "shape of 4000 digits": (lambda: with_entry("vectors", shape=[10**4000] * 4), "no sensible shape"),
    "offsets beyond 64 bits": (lambda: with_entry("vectors", data_offsets=[0, 2**63]), "no sensible offsets"),
    "offsets negative": (lambda: with_entry("analysis", data_offsets=[-96, 0]), "starts at offset -96"),
    "offsets backwards": (lambda: with_entry("analysis", data_offsets=[96, 0]), "its shape needs"),
    "offsets of numbers that are not aligned": (with_shifted_numbers, "no sensible offsets"),
    "offsets three": (lambda: with_entry("analysis", data_offsets=[0, 96, 192]), "no sensible offsets"),
    "offsets overlapping": (lambda: with_entry("classifier", data_offsets=[24, 96]), "the one before ends at"),
    "bytes hidden between tensors": (with_hidden_bytes, "the one before ends at"),
    "one byte too few": (lambda: good_file()[:-1], "the file has"),
    "one byte too many": (lambda: good_file() + b"\0", "the file has"),
    "only the header": (lambda: contain(json.dumps(header_of(good_arrays(), "")), b""), "the file has"),
    "F64": (lambda: with_array("squares", lambda array: array.astype(np.float64)), "'F64', not F32"),
    "F16": (lambda: with_array("squares", lambda array: array.astype(np.float16)), "'F16', not F32"),
    "I32": (lambda: with_array("squares", lambda array: array.astype(np.int32)), "'I32', not F32"),
    "BF16": (as_bfloat16, "'BF16', not F32"),
    "dtype unheard of": (lambda: with_entry("squares", dtype="Q" * 10_000), "not F32"),
}

METADATA: dict[str, tuple[Maker, str]] = {
    "text not JSON": (lambda: with_text(lambda text: text[:-1]), "the metadata is not strict JSON"),
    "text empty": (lambda: with_text(lambda text: ""), "the metadata is not strict JSON"),
    "text a list": (lambda: with_text(lambda text: f"[{text}]"), "the metadata is not a table"),
    "text nested": (lambda: with_text(lambda text: "[" * 60_000), "nested too deeply"),
    "text with NaN": (lambda: with_text(lambda text: text.replace("0.995", "NaN")), "accuracy is not plain JSON"),
    "text with Infinity": (
        lambda: with_text(lambda text: text.replace("0.995", "-Infinity")),
        "accuracy is not plain JSON",
    ),
    "text with 1e999": (lambda: with_text(lambda text: text.replace("0.995", "1e999")), "accuracy is not plain JSON"),
    "threshold not a number": (
        lambda: with_text(lambda t: t.replace('"threshold":0.5', '"threshold":NaN')),
        "threshold",
    ),
    "setting infinite": (lambda: with_text(lambda t: t.replace('"moment_width":4.5', '"moment_width":1e999')), "width"),
    "training NaN deep inside": (lambda: with_text(lambda t: t.replace("0.0001", "[NaN]")), "training is not plain"),
    "text with a key twice": (lambda: with_text(lambda t: t.replace('"seed"', '"images":1,"seed"')), "repeated key"),
    "schema 6": (lambda: with_value("schema", 6), "upgrade"),
    "schema 5 without leads": (lambda: with_value("schema", 5), "lacks ['least_lead', 'unsure_share', 'usual_lead']"),
    "schema 4 without a share": (lambda: with_value("schema", 4), "lacks ['unsure_share']"),
    "schema 3 without a share": (lambda: with_value("schema", 3), "lacks ['unsure_share']"),
    "schema 0": (lambda: with_value("schema", 0), "schema"),
    "schema true": (lambda: with_value("schema", True), "schema"),
    "schema a text": (lambda: with_value("schema", "1"), "schema"),
    "unknown key": (lambda: with_value("on_load", "import os"), "unknown keys ['on_load']"),
    "missing key": (lambda: without_key("calibration"), "lacks ['calibration']"),
    "no digest": (lambda: build(good_metadata(), good_arrays(), sign=False), "lacks ['digest']"),
    "name a path": (lambda: with_value("name", "../../etc/passwd"), "name"),
    "name with a line after it": (lambda: with_value("name", "good\n"), "name"),
    "profile empty": (lambda: with_value("profile", ""), "profile"),
    "labels a text": (lambda: with_value("labels", "abc"), "labels"),
    "labels in threes": (lambda: with_value("labels.0", ["一", 1, 1]), "labels"),
    "one label": (lambda: with_value("labels", [["一", 1]]), "labels = 1 is outside"),
    "65 labels": (lambda: with_value("labels", [[str(value), value] for value in range(65)]), "labels = 65 is outside"),
    "labels fewer than classes": (lambda: with_value("labels", [["一", 1], ["二", 2]]), "forms = 3, not 2"),
    "label character twice": (lambda: with_value("labels.1.0", "一"), "same character"),
    "label value twice": (lambda: with_value("labels.1.1", 1), "same value"),
    "label empty": (lambda: with_value("labels.0.0", ""), "1 to 8 characters"),
    "label a number": (lambda: with_value("labels.0.0", 1), "1 to 8 characters"),
    "label too long": (lambda: with_value("labels.0.0", "123456789"), "1 to 8 characters"),
    "label of 100,000 characters": (lambda: with_value("labels.0.0", "x" * 100_000), "1 to 8 characters"),
    "label of 10 MB": (lambda: with_value("labels.0.0", "x" * 10_000_000), "more than 1048576"),
    "label a space": (lambda: with_value("labels.0.0", " "), "unprintable"),
    "label with a control character": (lambda: with_value("labels.0.0", "\x1b[2J"), "unprintable"),
    "label with a new line": (lambda: with_value("labels.0.0", "1\n2"), "unprintable"),
    "label written backwards": (lambda: with_value("labels.0.0", "\u202e12"), "unprintable"),
    "label isolating direction": (lambda: with_value("labels.0.0", "\u206712\u2069"), "unprintable"),
    "label half a character": (lambda: with_value("labels.0.0", "\ud800"), "unprintable"),
    "label value negative": (lambda: with_value("labels.0.1", -1), "outside 0..1000000000000"),
    "label value too large": (lambda: with_value("labels.0.1", 10**12 + 1), "outside 0..1000000000000"),
    "label value a truth": (lambda: with_value("labels.0.1", True), "not a whole number"),
    "label value a fraction": (lambda: with_value("labels.0.1", 1.0), "not a whole number"),
    "setting out of range": (lambda: with_value("preprocessing.side", 10_000), "side"),
    "setting infinitesimal": (lambda: with_value("preprocessing.low_ratio", 1e-300), "low_ratio"),
    "setting unknown": (lambda: with_value("hog.plugin", "x"), "plugin"),
    "setting unknown and long": (lambda: with_value("hog." + "x" * 90_000, 1), "unknown"),
    "setting missing": (lambda: without_key("hog.bins"), "bins"),
    "setting of another type": (lambda: with_value("preprocessing.by_moments", 1), "by_moments"),
    "setting a text": (lambda: with_value("hog.bins", "4"), "bins"),
    "setting of schema 4 in schema 1": (lambda: with_value("preprocessing.most_ink", 0.78), "unknown ['most_ink']"),
    "setting of schema 4 missing": (
        lambda: with_pictures(lambda metadata, _: metadata["preprocessing"].pop("most_ink")),
        "missing ['most_ink']",
    ),
    "pictures larger than the buffers": (
        lambda: with_pictures(lambda metadata, _: metadata["preprocessing"].update(longest_side=161)),
        "longest_side = 161 is outside 32..160",
    ),
    "strokes without a width": (
        lambda: with_pictures(lambda metadata, _: metadata["preprocessing"].update(pixel_spread=0)),
        "pixel_spread = 0 is outside",
    ),
    "settings a list": (lambda: with_value("hog", [4, 4]), "not a table"),
    "settings for other features": (lambda: with_value("hog.bins", 5), "features"),
    "settings for no features": (lambda: with_value("hog.cell", 16), "features"),
    "folding form unknown": (lambda: with_value("folding.form", "eval"), "form"),
    "folding a text": (lambda: with_value("folding", "factored"), "not a table"),
    "rank 0": (lambda: with_value("folding.rank", 0), "rank"),
    "rank huge": (lambda: with_value("folding.rank", 2**62), "rank"),
    "rank above the inputs": (lambda: with_value("folding.rank", 5), "rank"),
    "rank of other arrays": (lambda: with_value("folding.rank", 3), "rank"),
    "dimensions of other arrays": (lambda: with_value("folding.dimensions", 4), "dimensions"),
    "atoms of other arrays": (lambda: with_value("folding.atoms", 3), "atoms"),
    "constant negative": (lambda: with_value("folding.constant", -1.0), "constant"),
    "constant a truth": (lambda: with_value("folding.constant", True), "constant"),
    "constant too large": (lambda: with_value("folding.constant", 1e38), "constant"),
    "constant taken away": (lambda: with_value("folding.constant", 0.0), "inputs"),
    "constant without a projection": (lambda: without_arrays("projection", "projection_offset"), "no constant"),
    "threshold 2": (lambda: with_value("rejection.threshold", 2), "threshold"),
    "threshold a text": (lambda: with_value("rejection.threshold", "0.5"), "threshold"),
    "false rejects below 0": (lambda: with_value("rejection.false_rejects", -0.1), "false_rejects"),
    "calibration a list": (lambda: with_value("calibration", []), "calibration"),
    "calibration error missing": (lambda: without_key("calibration.expected_calibration_error"), "calibration"),
    "training images negative": (lambda: with_value("training.images", -1), "images"),
    "training seed a text": (lambda: with_value("training.seed", "7"), "seed"),
    "training data a number": (lambda: with_value("training.data", 7), "training: data is not a text"),
    "training settings missing": (lambda: without_key("training.settings"), "training: settings is not a table"),
    "training text for a terminal": (lambda: with_value("training.data", "\x1b]0;owned\x07"), "unprintable"),
    "training key for a terminal": (lambda: with_value("training.\u202e", 1), "unprintable"),
    "training text overlong": (lambda: with_value("training.data", "x" * 1001), "overlong"),
    "accuracy a number": (lambda: with_value("accuracy", 0.99), "accuracy"),
    "accuracy above 1": (lambda: with_value("accuracy.value", 99.5), "accuracy"),
    "accuracy of no protocol": (lambda: without_key("accuracy.protocol"), "protocol"),
    "accuracy std negative": (lambda: with_value("accuracy.std", -1), "std"),
}

SHAPE_AXES = {
    "projection": "features",
    "projection_offset": "dimensions",
    "vectors": "inputs",
    "squares": "rank",
    "linears": "rank",
    "synthesis": "forms",
    "analysis": "forms",
    "classifier": "forms",
    "confidence_values": "points",
    "selftest_scores": "samples",
}

ARRAYS: dict[str, tuple[Maker, str]] = {
    **{
        f"{name} one longer": (
            lambda name=name: with_array(name, lambda array: np.concatenate([array, array[-1:]])),
            axis,
        )
        for name, axis in SHAPE_AXES.items()
    },
    **{
        f"{name} of one axis more": (lambda name=name: with_array(name, lambda array: array[None]), "axes")
        for name in good_arrays()
    },
    **{
        f"{value} in {name}": (lambda name=name, v=value: with_array(name, not_a_number(-1, v)), f"{name} holds")
        for name in good_arrays()
        for value in (np.nan, np.inf, -np.inf)
    },
    **{
        f"{name} missing": (lambda name=name: without_arrays(name), f"missing arrays: {name}") for name in good_arrays()
    },
    "vectors turned": (lambda: with_array("vectors", lambda array: array.transpose(2, 1, 0)), "inputs"),
    "selftest of 33": (
        lambda: with_zeros(selftest_features=(33, FEATURES), selftest_scores=(33, CLASSES)),
        "samples = 33 is outside",
    ),
    "one point of confidence": (
        lambda: with_zeros(confidence_margins=(1,), confidence_values=(1,)),
        "points = 1 is outside",
    ),
    "margins not increasing": (lambda: with_array("confidence_margins", lambda a: a * 0), "margins do not increase"),
    "margins from below 0": (lambda: with_array("confidence_margins", lambda a: a - 1), "margins do not increase"),
    "confidence falling": (lambda: with_array("confidence_values", lambda a: a[::-1]), "confidence_values"),
    "confidence above 1": (lambda: with_array("confidence_values", lambda a: a * 2), "confidence_values"),
    "novelty in schema 1": (lambda: with_novelty(1), "its arrays are those of schema 2, but it says 1"),
    "schema 2 without novelty": (lambda: with_value("schema", 2), "its arrays are those of schema 1, but it says 2"),
    "novelty without factors": (
        lambda: with_zeros(novelty_means=NOVELTY["novelty_means"]),
        "missing arrays: novelty_f",
    ),
    **{
        f"{name} of other {axis}": (
            lambda name=name, at=at: with_novelty(
                **{name: np.ones([size + (place == at) for place, size in enumerate(NOVELTY[name])], np.float32)}
            ),
            axis,
        )
        for name, shape in NOVELTY.items()
        for at, axis in enumerate(("classes", "dimensions", "factors")[: min(2, len(shape))])
    },
    **{
        f"{value} in {name}": (
            lambda name=name, v=value: with_novelty(**{name: np.full(NOVELTY[name], v, np.float32)}),
            f"{name} holds",
        )
        for name in NOVELTY
        for value in (np.nan, np.inf)
    },
    **{
        f"{name} so large that a score overflows": (
            lambda name=name: with_array(name, lambda array: np.full_like(array, 3e38)),
            f"{name} holds numbers that are not finite or beyond {bound}",
        )
        for name, bound in (
            ("projection", "64"),
            ("projection_offset", "1e+06"),
            ("vectors", "64"),
            ("squares", "1e+06"),
            ("linears", "1e+06"),
        )
    },
    **{
        f"{name} so large that it overflows": (
            lambda name=name: with_novelty(**{name: np.full(NOVELTY[name], 3e38, np.float32)}),
            f"{name} holds numbers that are not finite or beyond 1e+06",
        )
        for name in NOVELTY
    },
    "self-test of no histogram": (
        lambda: with_array("selftest_features", lambda array: array + 1000),
        "selftest_features holds numbers that are not finite or beyond 512",
    ),
    "pictures of float32": (
        lambda: with_pictures(lambda _, a: a.update(selftest_pictures=a["selftest_pictures"].astype(np.float32))),
        "selftest_pictures is not a uint8 array",
    ),
    "weights of uint8": (
        lambda: with_array("squares", lambda array: np.ones(array.shape, np.uint8)),
        "squares is not a float32 array",
    ),
    **{
        f"pictures of {sides}": (
            lambda sides=sides: with_pictures(lambda _, a: a.update(selftest_pictures=np.zeros((2, *sides), np.uint8))),
            f"{axis} is outside 8..64",
        )
        for sides, axis in (
            ((65, 8), "height = 65"),
            ((8, 65), "width = 65"),
            ((7, 8), "height = 7"),
            ((8, 7), "width = 7"),
        )
    },
    "one picture more than scores": (
        lambda: with_pictures(lambda _, a: a.update(selftest_pictures=np.zeros((3, 8, 8), np.uint8))),
        "selftest_pictures: samples = 3, not 2",
    ),
    "pictures in schema 1": (
        lambda: build(good_metadata(), picture_arrays()),
        "unexpected arrays: 'selftest_distances', 'selftest_pictures'",
    ),
    "features in schema 4": (
        lambda: with_pictures(lambda _, a: a.update(selftest_features=good_arrays()["selftest_features"])),
        "unexpected arrays: 'selftest_features'",
    ),
    **{
        f"{name} missing in schema 4": (
            lambda name=name: with_pictures(lambda _, arrays: arrays.pop(name)),
            f"missing arrays: {name}",
        )
        for name in ("selftest_pictures", "selftest_distances", "selftest_scores")
    },
    "65 factors": (
        lambda: with_novelty(novelty_factors=np.ones((CLASSES, DIMENSIONS, 65), np.float32)),
        "factors = 65 is outside",
    ),
    "novelty weights negative": (
        lambda: with_novelty(novelty_weights=np.full((CLASSES, DIMENSIONS), -1, np.float32)),
        "novelty_weights holds numbers below 0",
    ),
    "unexpected array": (lambda: with_zeros(__reduce__=(2,)), "unexpected arrays: '__reduce__'"),
    "another model's digest": (
        lambda: build(good_metadata() | {"digest": digest(good_metadata(), good_arrays(1))}, good_arrays(), sign=False),
        "digest",
    ),
    "digest a list": (lambda: build(good_metadata() | {"digest": []}, good_arrays(), sign=False), "digest"),
    "digest of nothing": (lambda: build(good_metadata() | {"digest": ""}, good_arrays(), sign=False), "digest"),
    "seed changed after signing": (lambda: with_text(lambda text: text.replace('"seed":7', '"seed":8')), "digest"),
    "one bit flipped": (with_flipped_bit, "digest"),
}

HOSTILE = CONTAINERS | METADATA | ARRAYS
