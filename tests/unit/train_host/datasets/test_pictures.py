"""Picture files become grey bytes, or an error before they cost memory or time."""

import io
import struct
import zlib

import numpy as np
import pytest
from dataset_files import encoded, pixels, png, result_or_error
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.files.pictures import decode_picture
from train_host.datasets.pictures import decode

LOSSLESS = ["PNG", "BMP", "PPM"]


@pytest.mark.parametrize("picture_format", LOSSLESS)
def test_grey_stays_as_it_is(picture_format):
    np.testing.assert_array_equal(decode(encoded(pixels(0), picture_format), "a"), pixels(0))


def test_colour_becomes_luminance():
    colour = np.zeros((8, 8, 3), np.uint8)
    colour[..., 1] = 200
    assert (decode(png(colour), "a") == 117).all()


def test_16_bits_keep_their_upper_byte():
    deep = np.linspace(0, 0xFFFF, 64).astype(np.uint16).reshape(8, 8)
    np.testing.assert_array_equal(decode(png(deep), "a"), deep >> 8)


def test_one_bit_becomes_black_and_white():
    buffer = io.BytesIO()
    Image.fromarray(pixels(0) > 127).save(buffer, "PNG")
    np.testing.assert_array_equal(decode(buffer.getvalue(), "a"), np.where(pixels(0) > 127, 255, 0))


def with_transparency() -> bytes:
    """Black ink on a transparent background, as drawing programs save it."""
    coloured = np.zeros((16, 16, 4), np.uint8)
    coloured[4:12, 7:9, 3] = 255
    return png(coloured)


def turned() -> bytes:
    """A horizontal bar, with an EXIF note that the camera was upright."""
    grey, buffer = np.zeros((16, 24), np.uint8), io.BytesIO()
    grey[7:9, 2:] = 255
    notes = Image.Exif()
    notes[0x0112] = 6
    Image.fromarray(grey).save(buffer, "PNG", exif=notes)
    return buffer.getvalue()


@pytest.mark.parametrize("make", [with_transparency, turned])
def test_the_trainer_sees_what_the_device_sees(make):
    data = make()
    seen = decode(data, "a")
    np.testing.assert_array_equal(seen, decode_picture(data))
    assert seen.shape == ((16, 16) if make is with_transparency else (24, 16))
    assert len(np.unique(seen)) == 2


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


@pytest.mark.parametrize("side", [4097, 30_000, 2**31 - 1])
def test_the_size_is_checked_before_anything_is_decoded(side, recwarn):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    with pytest.raises(DatasetError, match=r"'huge\.png'"):
        decode(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b""), "huge.png")
    assert not recwarn.list


@pytest.mark.parametrize("data", [b"", b"text", png(pixels(0))[:-40], encoded(pixels(0, 32), "JPEG")[:-60]])
def test_what_cannot_be_decoded_is_named(data):
    with pytest.raises(DatasetError, match=r"'a\.png': is (no picture|damaged)"):
        decode(data, "a.png")


def test_formats_that_run_other_programs_are_not_even_tried():
    with pytest.raises(DatasetError, match="is no picture of a kind that is read"):
        decode(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n", "a.png")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(encoded(pixels(0), draw(st.sampled_from(["PNG", "JPEG", "BMP", "GIF", "PPM", "WEBP"]))))
    for _ in range(draw(st.integers(1, 4))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@given(mutated() | st.binary(max_size=40))
def test_any_bytes_are_a_picture_or_an_error(data):
    picture = result_or_error(decode, data, "mutant")
    if isinstance(picture, DatasetError):
        assert "'mutant'" in str(picture)
    else:
        assert (picture.dtype, picture.ndim) == (np.uint8, 2)
