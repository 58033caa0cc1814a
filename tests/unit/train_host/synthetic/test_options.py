"""Options of `synthetic` are parsed or refused in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError
from train_host.synthetic.options import Options, parse_options


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("pages=3", "pages=3.*is not one of"),
            ("writers", "is not one of"),
            ("writers=3,,samples=2", "is not one of"),
            ("writers=3,writers=3", "given twice"),
            ("writers=0", "from 1 to 1000"),
            ("writers=1001", "from 1 to 1000"),
            ("writers=-3", "from 1 to 1000"),
            ("writers=1e2", "from 1 to 1000"),
            ("writers=٣", "from 1 to 1000"),
            ("samples=101", "from 1 to 100"),
            ("size=15", "from 16 to 256"),
            ("size=257", "from 16 to 256"),
            ("seed=" + "9" * 5000, "whole number"),
            ("script=runes", "chinese, traditional, cheque, arabic-indic, latin"),
            ("writers=1000,samples=100", "GiB"),
        ],
    )
    def test_errors_say_what_is_wrong(self, text, says):
        with pytest.raises(DatasetError, match=says) as caught:
            parse_options(text)
        assert len(str(caught.value)) < 200

    @pytest.mark.parametrize("text", ["", "  "])
    def test_nothing_means_the_defaults(self, text):
        assert parse_options(text) == Options()

    @given(
        st.fixed_dictionaries(
            {},
            optional={
                "writers": st.integers(1, 50),
                "samples": st.integers(1, 10),
                "seed": st.integers(0, 2**63 - 1),
                "script": st.sampled_from(["chinese", "arabic-indic", "latin"]),
                "size": st.integers(16, 256),
            },
        ),
        st.randoms(),
    )
    def test_what_is_asked_is_what_is_read(self, asked, random):
        pairs = [f"{key}={value}" for key, value in asked.items()]
        random.shuffle(pairs)
        assert parse_options(",".join(pairs)) == Options(**asked)

    @given(st.text() | st.text(alphabet="writersampledcnz=,0123456789- "))
    def test_any_text_gives_options_or_one_error(self, text):
        try:
            options = parse_options(text)
        except DatasetError:
            return
        assert 1 <= options.writers <= 1000
