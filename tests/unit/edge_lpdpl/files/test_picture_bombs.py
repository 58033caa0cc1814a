"""Small files that would keep a decoder busy: each is refused in one line, before anything is decoded."""

import io
import resource
import struct
import time
import zlib

import pytest
from PIL import Image

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.pictures import MOST_SCANS, decode_picture

pytestmark = pytest.mark.slow


def encoded(picture, kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def jpeg_of_scans(count, side=16):
    """A progressive JPEG of one grey, whose last scan is repeated."""
    data = encoded(Image.new("L", (side, side), 128), "JPEG", progressive=True)
    scans = data.count(b"\xff\xda")
    return data[:-2] + data[data.rindex(b"\xff\xda") : -2] * (count - scans) + b"\xff\xd9"


def chunk(name, body=b""):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_with(chunks, before):
    data = encoded(Image.new("L", (16, 16)), "PNG")
    place = data.index(before) - 4
    return data[:place] + chunks + data[place:]


def gif_with(blocks):
    data = encoded(Image.new("P", (16, 16)), "GIF")
    place = 13 + (3 << ((data[10] & 7) + 1) if data[10] & 128 else 0)
    return data[:place] + blocks + data[place:]


def jpeg_with(segments):
    data = encoded(Image.new("L", (16, 16)), "JPEG")
    return data[:2] + segments + data[2:]


def bmp_of_runs():
    """A run-length BMP of 4096x4096 pixels, each a run of its own."""
    head = struct.pack("<IiiHHIIiiII", 40, 4096, 4096, 1, 8, 1, 0, 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 0, 0, 0, 54 + 1024) + head + bytes(1024) + b"\1\7" * (1 << 20)


PIECES = "consists of too many small pieces; save it again"
BOMBS = {
    "a JPEG of 3,000 scans": (lambda: jpeg_of_scans(3_000, 1024), "has more than 32 scans; .*"),
    "a JPEG of many segments": (lambda: jpeg_with(b"\xff\xe1\x00\x08Exif\0\0" * 100_000), PIECES),
    "a PNG of many chunks": (lambda: png_with(chunk(b"tIME", bytes(7)) * 100_000, b"IDAT"), PIECES),
    "a PNG of empty pixels": (lambda: png_with(chunk(b"IDAT") * 100_000, b"IDAT"), PIECES),
    "a PNG with a long tail": (lambda: png_with(chunk(b"tIME", bytes(7)) * 100_000, b"IEND"), PIECES),
    "a PNG of long text": (lambda: png_with(chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(64 << 20))), b"IDAT"), ".*"),
    "a GIF of many comments": (lambda: gif_with(b"!\xfe\x01a\0" * 100_000), PIECES),
    "a PGM of a long comment": (lambda: b"P5\n#" + bytes(8 << 20) + b"\n16 16\n255\n" + bytes(256), PIECES),
    "a BMP of many runs": (bmp_of_runs, "is a run-length BMP; save it as binary PGM or PNG"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_at_once(bomb):
    make, wrong = BOMBS[bomb]
    data = make()
    start = time.process_time()
    with pytest.raises(ImageError, match=f"^bomb.png: {wrong}$"):
        decode_picture(data, "bomb.png")
    assert time.process_time() - start < 1


def test_as_many_scans_as_allowed_are_read():
    assert decode_picture(jpeg_of_scans(MOST_SCANS)).shape == (16, 16)
    with pytest.raises(ImageError, match="scans"):
        decode_picture(jpeg_of_scans(MOST_SCANS + 1))


def test_scans_of_a_thumbnail_and_bytes_behind_the_end_do_not_count():
    thumbnail = b"Exif\0\0" + jpeg_of_scans(60)
    inside = b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail
    assert decode_picture(jpeg_with(inside) + b"\xff\xda" * 99).shape == (16, 16)


def test_the_bytes_behind_the_end_are_not_decoded():
    """A second end cannot hide scans from the count: the decoder gets nothing behind the first one."""
    plain = encoded(Image.new("L", (16, 16), 128), "JPEG", progressive=True)
    hidden = plain[: plain.rindex(b"\xff\xda")] + b"\xff\xd9" + jpeg_of_scans(3_000)[2:]
    assert decode_picture(hidden).shape == (16, 16)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_only_the_first_frame_is_decoded(kind):
    frames = [Image.new("L", (512, 512), shade % 256) for shade in range(300)]
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], lossless=True)
    start = time.process_time()
    assert decode_picture(data).max() == 0
    assert time.process_time() - start < 0.5


def test_pixels_behind_the_last_row_are_not_inflated():
    """One row is wanted, 256 MB are in the file."""
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
    head = struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND")
    start = time.process_time()
    assert decode_picture(data).shape == (16, 16)
    assert time.process_time() - start < 1


def exif_of_tags(count, size):
    """EXIF data of many tags that all have the same bytes."""
    tags = b"".join(struct.pack("<HHII", tag, 7, size, 8) for tag in range(count))
    return b"II*\0" + struct.pack("<IH", 8, count) + tags + bytes(max(size - len(tags), 4))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_tags_that_share_their_bytes_are_not_copied(kind, monkeypatch):
    """Pillow 11, which Debian 13 has, keeps a copy for each: 150 MB for the JPEG, 3 GB for the others."""
    exif = exif_of_tags(2500, 60_000) if kind == "JPEG" else exif_of_tags(3000, 1 << 20)
    data = encoded(Image.new("L", (16, 16)), kind, exif=b"Exif\0\0" + exif)
    if kind == "JPEG":
        data = data[:2] + data[data.index(b"\xff\xe1") :]  # without a density, which Pillow looks for in the EXIF data
    load = Image.Exif.load

    def load_few(self, exif):
        assert len(exif) < 100
        load(self, exif)

    monkeypatch.setattr(Image.Exif, "load", load_few)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert decode_picture(data).shape == (16, 16)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KB
