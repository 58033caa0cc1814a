"""Instructions of all cores are decoded and have their cycles; an unknown word is named."""

import pytest
from arm.cores import CORES
from arm.cycles import block_cycles, disassemble

ADD, RETURN = "8b020020", "d65f03c0"
OF_THE_A76 = {
    "6e829420": "udot\tv0.4s, v1.16b, v2.16b",
    "f8bfc020": "ldapr\tx0, [x1]",
    "4e421420": "fadd\tv0.8h, v1.8h, v2.8h",
}
NONE = "ffffffff"


def test_blocks_keep_their_instructions():
    one, other = ADD + RETURN, ADD
    assert disassemble([one, other, one]) == {one: ["add\tx0, x1, x2", "ret"], other: ["add\tx0, x1, x2"]}


def test_instructions_of_the_newest_core_are_read():
    assert disassemble(OF_THE_A76) == {word: [text] for word, text in OF_THE_A76.items()}
    (model,) = CORES["cortex-a76"].models
    assert all(least > 0 and most > 0 for least, most in block_cycles(OF_THE_A76, model).values())


@pytest.mark.parametrize("model", [model for core in CORES.values() for model in core.models])
def test_a_chain_takes_longer_than_its_units_do(model):
    chain = "9b020000" * 4  # mul x0, x0, x2: each waits for the previous one
    least, most = block_cycles([chain], model)[chain]
    assert 0 < least < most


def test_a_word_that_is_no_instruction_is_named():
    with pytest.raises(SystemExit, match="reads 1 of 2 instructions, but not 0xff 0xff 0xff 0xff"):
        disassemble([ADD + NONE])
