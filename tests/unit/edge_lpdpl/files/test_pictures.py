"""A picture file becomes a grey array, or one line that says what is wrong with it."""

import io
import os
import struct
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from deadline import within
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files import pictures
from edge_lpdpl.files.pictures import decode_picture, grey_of, read_large_picture, read_picture
from edge_lpdpl.library.shipped import LOOKS, SCRIPTS, shipped_pictures, specimens
from train_host.synthetic.pictures import draw_numeral

RAMP = np.linspace(0, 255, 24 * 16).astype(np.uint8).reshape(16, 24)


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG whose header claims a size and that has no pixels."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0), b"IDAT")
    written = [struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(written)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "PPM"])
def test_grey_pictures_are_unchanged(kind, tmp_path):
    (tmp_path / "a").write_bytes(encoded(Image.fromarray(RAMP), kind))
    grey = read_picture(tmp_path / "a")
    np.testing.assert_array_equal(grey, RAMP)
    assert grey.dtype == np.uint8
    assert grey.flags.c_contiguous
    assert grey.flags.writeable


@pytest.mark.parametrize(("kind", "options"), [("JPEG", {"quality": 95}), ("WEBP", {"lossless": True})])
def test_other_kinds_come_close(kind, options):
    assert np.abs(decode_picture(encoded(Image.fromarray(RAMP), kind, **options)).astype(int) - RAMP).max() <= 4


@pytest.mark.parametrize("mode", ["1", "P", "RGB", "CMYK"])
def test_colours_become_grey(mode):
    kind = "JPEG" if mode == "CMYK" else "PNG"
    grey = decode_picture(encoded(Image.new("L", (20, 10), 255).convert(mode), kind))
    assert grey.shape == (10, 20)
    assert grey.min() >= 250


def test_sixteen_bits_keep_their_upper_eight():
    wide = RAMP.astype(np.uint16) << 8 | 0x7F
    np.testing.assert_array_equal(decode_picture(encoded(Image.fromarray(wide))), RAMP)


def test_eight_bits_of_sixteen_stay_as_they_are():
    np.testing.assert_array_equal(decode_picture(encoded(Image.fromarray(RAMP.astype(np.uint16)))), RAMP)
    np.testing.assert_array_equal(grey_of(Image.fromarray(RAMP).convert("I")), RAMP)


@pytest.mark.parametrize(("ink", "paper"), [(0, 255), (255, 0)])
def test_what_is_transparent_is_white_paper_or_black_around_white_ink(ink, paper):
    drawn = Image.new("RGBA", (16, 16), (ink, ink, ink, 0))
    drawn.paste((ink, ink, ink, 255), (4, 4, 8, 8))
    grey = decode_picture(encoded(drawn))
    assert grey[5, 5] == ink
    assert grey[0, 0] == paper


def test_half_transparent_ink_is_half_grey():
    assert decode_picture(encoded(Image.new("LA", (16, 16), (0, 128))))[0, 0] in (127, 128)


def test_a_palette_may_be_transparent():
    picture = Image.new("P", (16, 16), 0)
    picture.putpalette([10, 10, 10])
    assert decode_picture(encoded(picture, "GIF", transparency=0)).min() == 255


def test_a_photograph_taken_sideways_is_turned_upright():
    exif = Image.Exif()
    exif[0x0112] = 6
    grey = decode_picture(encoded(Image.fromarray(RAMP), exif=exif))
    np.testing.assert_array_equal(grey, np.rot90(RAMP, -1))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("endian", ["<", ">"])
@pytest.mark.parametrize("orientation", range(10))
def test_every_orientation_is_turned_as_pillow_turns_it(orientation, endian, kind):
    exif = Image.Exif()
    exif.endian = endian
    exif[0x010F], exif[0x0112], exif[0x0131] = "a camera", orientation, "a program"
    data = encoded(Image.fromarray(RAMP), kind, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("L")
    np.testing.assert_array_equal(decode_picture(data), upright)


@pytest.mark.parametrize("mode", ["1", "L", "P", "I;16", "LA", "RGB", "RGBA"])
def test_an_image_in_memory_becomes_the_grey_of_its_file(mode):
    exif = Image.Exif()
    exif[0x0112] = 6
    wide = Image.fromarray(RAMP.astype(np.uint16) << 8 | 0x7F)
    data = encoded(wide if mode == "I;16" else Image.fromarray(RAMP).convert(mode), exif=exif)
    image = Image.open(io.BytesIO(data))
    np.testing.assert_array_equal(grey_of(image), decode_picture(data))
    assert (image.mode, image.size, image.getexif()[0x0112]) == (mode, (24, 16), 6)


def test_exif_data_that_end_too_soon_turn_nothing():
    exif = Image.Exif()
    exif[0x0112] = 6
    whole = encoded(Image.fromarray(RAMP), "JPEG", exif=exif)
    cut = whole.replace(exif.tobytes(), exif.tobytes()[:16] + bytes(len(exif.tobytes()) - 16))
    assert cut != whole
    assert decode_picture(cut).shape == RAMP.shape


def test_a_moving_picture_is_its_first_frame():
    frames = [Image.fromarray(RAMP), Image.fromarray(255 - RAMP)]
    np.testing.assert_array_equal(
        decode_picture(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])), RAMP
    )


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "is empty; copy it again"),
        (b"GIF", "is no picture of a kind that is read here; give it as PNG, JPEG, BMP, GIF, PPM, WEBP or HEIC"),
        (encoded(Image.new("L", (16, 16)), "TIFF"), "is no picture of a kind that is read here; .*"),
        (encoded(Image.fromarray(RAMP))[:-30], r"is damaged \(.+\); copy it again"),
        (encoded(Image.new("L", (7, 16))), "is 7x16 pixels; give one of at least 8 a side"),
        (png_header(4097, 8), "is 4097x8 pixels; scale it down to at most 4096 a side"),
        (png_header(60_000, 60_000), "claims to be far too large; scale it down to at most 4096 a side"),
        (b"P1\n8 8\n" + b"1 0 " * 32, r"is a plain PNM, .*; save it as binary PGM or PNG"),
        (b"P2 8 8 255\n" + b"1 0 " * 32, r"is a plain PNM, .*; save it as binary PGM or PNG"),
        (b"P3 8 8 255\n" + b"1 0 0 " * 64, r"is a plain PNM, .*; save it as binary PGM or PNG"),
        (b"P5 8 8 100\n" + bytes(64), r"is a plain PNM, or one whose white is neither 255 nor 65535; .*"),
        (b"Pf\n16 16\n-1.0\n" + bytes(1024), "holds fractions, .*; save it with 8 bits"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong_and_what_to_do(data, wrong, tmp_path):
    path = tmp_path / "five.png"
    path.write_bytes(data)
    with pytest.raises(ImageError, match=f"^.*five.png: {wrong}$") as caught:
        read_picture(path)
    assert "\n" not in str(caught.value)


def test_a_picture_that_would_take_minutes_is_refused():
    """Pillow searches all following bytes for the end of each comment."""
    start = time.process_time()
    with pytest.raises(ImageError, match="plain PNM"):
        decode_picture(b"P2 4096 4096 255\n" + b"#\n" * (1 << 20))
    assert time.process_time() - start < 1


def test_memory_that_runs_out_is_no_damage(monkeypatch):
    def exhaust(_):
        raise MemoryError

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", exhaust)
    with pytest.raises(MemoryError):
        decode_picture(encoded(Image.fromarray(RAMP)))


def test_a_size_is_refused_before_anything_is_decoded(monkeypatch):
    monkeypatch.setattr(Image.Image, "convert", None)
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", None)
    with pytest.raises(ImageError, match="5000x5000"):
        decode_picture(png_header(5000, 5000))


def test_a_file_larger_than_any_picture_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "LARGEST_FILE", 1 << 20)
    with (tmp_path / "a.png").open("wb") as file:
        file.truncate((1 << 20) + 1)
    with pytest.raises(ImageError, match="is larger than 1 MiB"):
        read_picture(tmp_path / "a.png")


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, wrong in [(tmp_path, "is a folder"), (tmp_path / "pipe", "is no ordinary file"), ("a\0b", "cannot be")]:
        with within(20), pytest.raises(ImageError, match=wrong):
            read_picture(name)


def test_a_name_cannot_steer_the_terminal():
    with pytest.raises(ImageError) as caught:
        read_picture("a\x1b[2J\nb.png")
    assert str(caught.value).isprintable()


GOOD = [encoded(Image.fromarray(RAMP), kind) for kind in ("PNG", "GIF", "JPEG", "BMP", "WEBP")]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.builds(
            lambda data, place, value: data[: place % len(data)] + bytes([value]) + data[place % len(data) + 1 :],
            st.sampled_from(GOOD),
            st.integers(0, 10_000),
            st.integers(0, 255),
        ),
        st.builds(lambda data, end: data[: end % len(data)], st.sampled_from(GOOD), st.integers(0, 10_000)),
    )
)
def test_any_bytes_give_a_picture_or_one_line(data):
    grey, wrong = None, ""
    try:
        grey = decode_picture(data, "a.png")
    except ImageError as error:
        wrong = str(error)
    if grey is None:
        assert wrong.startswith("a.png: ")
        assert wrong.isprintable()
    else:
        assert grey.dtype == np.uint8
        assert grey.ndim == 2
        assert 8 <= min(grey.shape) <= max(grey.shape) <= 4096


def test_every_numeral_is_shipped_in_every_look():
    assert len(shipped_pictures()) == len(specimens()) == len(LOOKS) * sum(map(len, SCRIPTS.values()))
    assert sum(path.stat().st_size for path in shipped_pictures()) < 460_000


@pytest.mark.parametrize("specimen", specimens()[::9], ids=lambda specimen: specimen.path.stem)
def test_shipped_pictures_are_what_the_generator_draws(specimen):
    paper = specimen.look == "paper"
    character, value = specimen.label
    drawn = draw_numeral(character, seed=value, size=128 if paper else 64, dark_on_light=paper)
    np.testing.assert_array_equal(read_picture(specimen.path), drawn)


def test_files_that_are_no_specimens_are_passed_over(tmp_path, monkeypatch):
    for name in ("readme.png", "chinese_five_paper.png", "chinese_5_neon.png", "roman_5_paper.png"):
        (tmp_path / name).touch()
    monkeypatch.setattr("edge_lpdpl.library.shipped.shipped_pictures", lambda: sorted(Path(tmp_path).iterdir()))
    assert specimens() == []


def test_a_larger_picture_is_scaled_down_where_that_is_allowed(tmp_path):
    path = tmp_path / "large.png"
    Image.fromarray(np.tile(RAMP, (1, 8200 // RAMP.shape[1] + 1))[:, :8192]).save(path)
    with pytest.raises(ImageError, match=f"is 8192x{RAMP.shape[0]} pixels; scale it down to at most 4096 a side"):
        read_picture(path)
    picture = read_large_picture(path)
    assert picture.grey.shape == (RAMP.shape[0] // 2, 4096)
    assert picture.scale == 2
    assert read_large_picture(path).grey.flags.c_contiguous


def test_a_small_picture_is_the_same_either_way(tmp_path):
    Image.fromarray(RAMP).save(path := tmp_path / "small.png")
    picture = read_large_picture(path)
    np.testing.assert_array_equal(picture.grey, read_picture(path))
    assert picture.scale == 1


@pytest.mark.parametrize(
    ("size", "wrong"),
    [
        ((9000, 9000), "is 9000x9000 pixels; scale it down to at most 50 million pixels"),
        ((40_960, 79), "is 40960x79 pixels; give one of at least 8 a side"),
    ],
)
def test_what_is_too_large_to_be_scaled_is_not_decoded(size, wrong, tmp_path, monkeypatch):
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", None)
    (tmp_path / "five.png").write_bytes(png_header(*size))
    with pytest.raises(ImageError, match=wrong):
        read_large_picture(tmp_path / "five.png")
