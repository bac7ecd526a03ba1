"""What the words mean by which traces call their processors: one answer, wherever it is asked."""

from __future__ import annotations

import pytest

from inst.arch.registry import byte_order, is_wide, local_entry, producer
from inst.errors import InstError
from inst.formats.rst import FORMAT as RST
from inst.offline.driver import target_for
from inst.simulation.machine import Machine
from inst.simulation.memory import KnownMemory

WORDS = {
    "sparc": ("sparc", 32, "big", 0),
    "sparc-v8": ("sparc", 32, "big", 0),
    "sparc64": ("sparc", 64, "big", 0),
    "SPARC-V9": ("sparc", 64, "big", 0),
    "": ("sparc", 64, "big", 0),  # RST was made for it
    "ppc": ("powerpc", 32, "big", 0),
    "powerpc": ("powerpc", 32, "big", 0),
    "ppc64": ("powerpc", 64, "big", 0),
    "ppc970": ("powerpc", 64, "big", 0),
    "ppc64le": ("powerpc", 64, "little", 8),
    "PPC64LE": ("powerpc", 64, "little", 8),
    "powerpc64le": ("powerpc", 64, "little", 8),
}
"""Word -> instruction set, width, byte order, distance of the second entry of functions."""


@pytest.mark.parametrize("word", WORDS)
def test_each_word_has_one_meaning(word: str) -> None:
    width = 64 if is_wide(word) else 32
    assert (producer(word).name, width, byte_order(word), local_entry(word)) == WORDS[word]
    assert Machine(word, KnownMemory())._width == width // 8


@pytest.mark.parametrize("asked", [producer, is_wide, byte_order, local_entry, target_for])
def test_an_unknown_word_has_no_meaning(asked: object) -> None:
    assert callable(asked)
    with pytest.raises(InstError, match="unknown instruction set `mips`") as error:
        asked("mips")
    assert error.value.hint == "known are sparc, powerpc"


def test_a_format_and_the_registry_agree_on_traces_that_name_none() -> None:
    assert RST.usual_arch == producer("").unnamed
