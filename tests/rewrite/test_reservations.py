"""Reservations: what stands on a way to the conditional store, and what only stands between."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify, verify_rewriting

POWERPC = ("ppc32", "ppc64", "ppc64le")
COMPILED = '\t.ident "GCC: (test)"\n'

GIVES_UP = (
    "f:\tlwz 5,0(4)\n1:\tlwarx 9,0,3\n\tcmpw 0,9,5\n\tbeq 0,2f\n\tisync\n\tstw 9,0(4)\n\tli 3,1\n"
    "\tblr\n2:\tstwcx. 6,0,3\n\tmfcr 10\n\tandis. 10,10,0x2000\n\tbeq 0,1b\n\tlwz 3,0(4)\n\tblr\n"
)
"""The failure path of a compare-and-swap comes before its conditional store."""
BACKWARDS = (
    "f:\tb 2f\n1:\tstwcx. 6,0,3\n\tbne 0,2f\n\tlwz 3,0(4)\n\tblr\n"
    "2:\tlwz 6,0(4)\n\tlwarx 9,0,3\n\tadd 6,6,9\n\tb 1b\n"
)
"""The conditional store comes before the load, which counted branches reach."""
TWICE = (
    "f:\tlwarx 9,0,3\n\tcmpwi 9,0\n\tbne 0,1f\n\tlwarx 9,0,4\n1:\tstwcx. 9,0,4\n"
    "\tbne 0,f\n\tstw 9,0(5)\n\tblr\n"
)
LEFT = "f:\tlwarx 9,0,3\n\tcmpwi 9,0\n\tstw 9,0(4)\n\tmr 3,9\n\tblr\n"
"""A compiler's function with a reservation and no conditional store."""
ACCEPTED = {"gives up": GIVES_UP, "backwards": BACKWARDS, "twice": TWICE, "left": LEFT + COMPILED}


@pytest.mark.parametrize("level", ["values", "addresses"])
@pytest.mark.parametrize("case", ACCEPTED)
@pytest.mark.parametrize("name", POWERPC)
def test_only_the_way_to_the_conditional_store_counts(name: str, case: str, level: str) -> None:
    target, text = TARGETS[name], ACCEPTED[case]
    assert verify_rewriting(text, target, Options(level=level), assembled_with=()) == []
    reported = translate(text, target, Options(level=level), "a.s")
    accesses = len(re.findall(r"\b(?:lwz|stw|lwarx|stwcx\.) ", text))
    assert len(re.findall(r"bl inst\.(?!window)", reported)) == accesses


ADDED = "f:\n1:\tlwarx 9,0,3\n\tadd 9,9,4\n\tstwcx. 9,0,3\n\tbne 0,1b\n\tblr\n"
WEAK = "f:\tlwarx 9,0,3\n\tcmpw 0,9,5\n\tbne 0,.L1\n\tstwcx. 6,0,3\n.L1:\tmfcr 3\n\tblr\n"


@pytest.mark.parametrize("name", POWERPC)
def test_values_for_re_execution_wait_in_a_register(name: str) -> None:
    """A move is all that is inserted before the conditional store; after it come the value, and
    whether it was stored. Where control leaves the way to the store comes the value alone."""
    put = "stwu" if name == "ppc32" else "stdu"
    lines = _recorded(ADDED, name)
    at = next(number for number, line in enumerate(lines) if "lwarx" in line)
    copy = re.search(r"lwarx 9,0,3; mr (\d+),9$", lines[at])
    assert copy and lines[at + 1] == "\tadd 9,9,4", lines
    stored = rf"{put} {copy[1]},\d\((\d+)\); mfcr {copy[1]}; .*{put} {copy[1]},\d\(\1\); "
    both = rf"stwcx\. 9,0,3; .*{stored}"
    assert re.search(both, lines[at + 2])
    lines = _recorded(WEAK, name)
    at = next(number for number, line in enumerate(lines) if "lwarx" in line)
    assert lines[at + 1] == "\tcmpw 0,9,5" and lines[at].endswith("lwarx 9,0,3")
    leaving = re.search(rf"beq 0,(\S+); .*{put} 9,.*; b \.L1; \1:$", lines[at + 2])
    assert leaving and lines[at + 2].count(put) == 1
    assert re.search(rf"stwcx\. 6,0,3; .*{put} 9,\d.*{put} ", lines[at + 3])


def _recorded(text: str, name: str) -> list[str]:
    options = Options(record=True, counter=False, level="loads")
    source = f"\t.type f,@function\n{text}{COMPILED}"
    return translate(source, TARGETS[name], options, "a.s").splitlines()


FUNCTIONS = (
    "\t.type ll,@function\nll:\tlwarx 3,0,3\n{}\tblr\n"
    "\t.type sc,@function\nsc:\tstwcx. 4,0,3\n\tblr\n"
    "\t.type f,@function\nf:\tmflr 30\n1:\tmr 3,29\n\tbl ll\n{}\tmr 4,28\n\tmr 3,29\n\tbl sc\n"
    "\tbne 0,1b\n\tmtlr 30\n\tblr\n"
)
"""Without optimisation the load and the store are functions of their own."""
WITHOUT_STORE = "\t.type f,@function\nf:\tmflr 30\n\tbl ll\n\tstw 3,8(1)\n\tmtlr 30\n\tblr\n"
UNREPORTED = {
    "between the two": ("f:\tlwarx 9,0,3\n\tlwz 5,0(4)\n\tstwcx. 9,0,3\n\tblr\n", {2: 1}),
    "behind a branch": (
        "f:\tlwarx 9,0,3\n\tb 2f\n1:\tblr\n2:\tlwz 5,0(4)\n\tstwcx. 9,0,3\n\tb 1b\n",
        {4: 5},
    ),
    "before the branch that leaves it": (
        "f:\tlwarx 9,0,3\n\tlwz 5,0(4)\n\tcmpw 0,9,5\n\tbne 0,1f\n\tstwcx. 6,0,3\n1:\tblr\n",
        {2: 1},
    ),
    "before it returns": (FUNCTIONS.format("\tstw 3,8(1)\n", "") + COMPILED, {3: 2}),
    "between functions": (FUNCTIONS.format("", "\tstw 3,8(1)\n") + COMPILED, {11: 10}),
    "between functions by local names": (
        FUNCTIONS.format("", "\tstw 3,8(1)\n").replace("bl ll", "bl ll@local") + COMPILED,
        {11: 10},
    ),
    "between functions with descriptors": (
        FUNCTIONS.format("", "\tstw 3,8(1)\n").replace("\nll:", "\n.L.ll:") + COMPILED,
        {11: 10},
    ),
    "before a tail call that stores": (
        "\t.type sc,@function\nsc:\tlwz 5,0(4)\n\tstwcx. 5,0,3\n\tblr\n"
        "\t.type f,@function\nf:\tlwarx 9,0,3\n\tstw 9,0(4)\n\tb sc\n" + COMPILED,
        {2: 3, 7: 6},
    ),
    "by hand, and left": (LEFT, {3: 1}),
    "by hand, and left by a call": (
        "f:\tlwarx 9,0,3\n\tlwz 3,0(4)\n\tbl g\n\tlwz 3,0(4)\n\tblr\n",
        {2: 1, 4: 1},
    ),
    "some ways only": (
        "f:\tlwarx 9,0,3\n\tcmpwi 9,0\n\tbeq 0,1f\n\tlwz 5,0(4)\n1:\tstwcx. 9,0,3\n"
        "\tlwz 5,0(4)\n\tblr\n",
        {4: 0},
    ),
}
"""Lines of accesses that cannot be reported, and where they are counted; 0: said to be missing."""


@pytest.mark.parametrize("case", UNREPORTED)
@pytest.mark.parametrize("name", POWERPC)
def test_accesses_on_the_way_are_counted(name: str, case: str) -> None:
    target, (text, places) = TARGETS[name], UNREPORTED[case]
    assembles = name == "ppc32" or "@local" not in text
    flags = () if assembles else None
    assert verify_rewriting(text, target, Options(), assembled_with=flags) == []
    rewritten = translate(text, target, Options(), "a.s").split("\n")
    counts = Counter(place or 1 for place in places.values())
    for number, line in enumerate(rewritten[: text.count("\n")], 1):
        kept = re.sub(r"\.Linst\d+: ", "", line)
        assert number not in places or kept == text.split("\n")[number - 1]
        told = [int(n) for n in re.findall(r"li \d+,(\d+); bl inst\.unreported", line)]
        assert sum(told) == (counts[number] if 0 not in places.values() else 0)
        assert bool(told) == (number in counts)
    accesses = len(re.findall(r"\b(?:lwz|stw|lwarx|stwcx\.) ", text)) - len(places)
    probes = re.findall(r"bl inst\.(?!window|unreported)", "\n".join(rewritten))
    assert len(probes) == accesses


@pytest.mark.parametrize("name", POWERPC)
def test_what_comes_back_behind_the_store_is_reported(name: str) -> None:
    text = FUNCTIONS.format("", "") + WITHOUT_STORE.replace("f:", "g:") + COMPILED
    text = text.replace("\tbl sc\n", "\tbl sc\n\tlwz 4,0(29)\n")
    rewritten = translate(text, TARGETS[name], Options(), "a.s")
    assert verify(text, rewritten, TARGETS[name]) == []
    assert re.search(r"lwz 4,0\(29\); .*bl inst\.ldw", rewritten)


@pytest.mark.parametrize("name", POWERPC)
def test_calls_on_the_way_are_not_counted(name: str) -> None:
    target, text = TARGETS[name], FUNCTIONS.format("", "") + COMPILED
    rewritten = translate(text, target, Options(), "a.s")
    assert verify(text, rewritten, target) == []
    lines = rewritten.split("\n")
    assert [line for line in lines if line.endswith("bl sc")] == ["\tbl sc"]
    for place in ("mr 4,28", "bl sc", "\tblr"):
        broken = rewritten.replace(place, f"nop; {place}", 1)
        assert any("reservation" in problem for problem in verify(text, broken, target)), place
