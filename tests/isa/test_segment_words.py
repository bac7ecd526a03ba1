"""What code that records inline, C and readers agree on has the words that assemblers make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_transfers import assembled

from inst.arch.powerpc.sites import SEGMENTS as POWERPC
from inst.arch.powerpc.words.recorded import RECORDED as POWERPC_WORDS
from inst.arch.sparc.sites import SEGMENTS as SPARC
from inst.arch.sparc.sites import SITES
from inst.arch.sparc.words.recorded import RECORDED as SPARC_WORDS
from inst.words.model import KeptLink

ASSEMBLERS = {
    "powerpc": {
        32: ["powerpc-linux-gnu-as", "-mppc"],
        64: ["powerpc64-linux-gnu-as", "-mpower8"],
    },
    "sparc": {
        32: ["sparc64-linux-gnu-as", "-Av8", "-32"],
        64: ["sparc64-linux-gnu-as", "-Av9", "-64", "-no-undeclared-regs"],
    },
}


def words_of(isa: str, bits: int, lines: list[str], directory: Path) -> list[int]:
    text = "".join(f"\t{line}\n" for line in lines)
    return assembled(text, ASSEMBLERS[isa][bits], directory).tolist()


@pytest.mark.parametrize("bits", [32, 64])
def test_powerpc_segments(bits: int, tmp_path: Path) -> None:
    one = POWERPC[bits]
    kept, thread = one.kept[1:], one.thread[1:]
    lines = [
        f"{one.load} 7,-16({thread})",
        f"{one.store} 7,-16({thread})",
        f"{one.update} 7,48({kept})",
        f"{one.compare} 6,7,8",
    ]
    words = words_of("powerpc", bits, lines, tmp_path)
    load, store, update, compare = words
    macros = one.macros()
    at = 7 << 21 | macros["THREAD"] << 16 | 0xFFF0
    assert (load, store) == (macros["LOAD"] | at, macros["STORE"] | at)
    assert update == macros["UPDATE"] | 7 << 21 | macros["POINTER"] << 16 | 48
    assert update & macros["FORM"] == macros["UPDATE"] & macros["FORM"]
    assert compare == macros["COMPARE"] | 6 << 23 | 7 << 16 | 8 << 11
    column = np.array(words, "i8")
    assert [POWERPC_WORDS.thread_word(word, bits) for word in words] == [-16, None, None, None]
    assert POWERPC_WORDS.thread_word(load, 96 - bits) is None
    assert POWERPC_WORDS.stored(column).tolist() == [-1, 7, 7, -1]
    assert [POWERPC_WORDS.reserves(column, 1, size) for size in (48, 40)] == [3, 0]


@pytest.mark.parametrize("bits", [32, 64])
def test_sparc_segments(bits: int, tmp_path: Path) -> None:
    one = SPARC[bits]
    lines = [f"{one.load} [%{one.thread}-16],%o1", f"{one.store} %o1,[%{one.thread}-16]"]
    load, store = words_of("sparc", bits, lines, tmp_path)
    macros = one.macros()
    at = 9 << 25 | macros["THREAD"] << 14 | 0x1FF0
    assert (load, store) == (macros["LOAD"] | at, macros["STORE"] | at)
    assert [SPARC_WORDS.thread_word(word, bits) for word in (load, store)] == [-16, None]
    assert SPARC_WORDS.thread_word(load, 96 - bits) is None


@pytest.mark.parametrize(
    ("abi", "bits", "kept"),
    [("v8", 32, KeptLink("g6")), ("v9", 64, KeptLink("o6", 2223, 192))],
)
def test_sparc_sites_keep_the_link(abi: str, bits: int, kept: KeptLink, tmp_path: Path) -> None:
    word = words_of("sparc", bits, [*SITES[abi].keep], tmp_path)[-1]
    assert SPARC_WORDS.kept_links[word] == kept
