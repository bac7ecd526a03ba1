"""`inst diff --ignore addresses`: what moved with its region is equal, anything else is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.cli import main
from inst.convert import BY_NAME, convert
from inst.formats.rst.record import encode, encode_string
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.writing import Job
from tests.conftest import Shell, require_tools
from tests.sizes import examples

IGNORED = "addresses,ids,threads,strings"
PAGE = 4096
BASES = {
    4: {"image": 0x40000000, "heap": 0x40800000, "map": 0x50000000, "stack": 0x3FFF0000},
    8: {"image": 0x2AAA00000000, "heap": 0x2AAB00000000, "map": 0x7F1200000000,
        "stack": 0x7FFFFF000000},
}  # fmt: skip
LWZ, STW, BY_STACK = 0x812A0000, 0x912A0000, 0x81210000
LD, STD, BY_STACK_WIDE = 0xE92A0000, 0xF92A0000, 0xE9210000


@dataclass(frozen=True)
class Access:
    """An access: a pc, an address and a value that may be a pointer, each region and offset."""

    at: int
    region: str
    offset: int
    value: tuple[str, int] | int
    writes: bool


def text(accesses: list[Access], bases: dict[str, int], word: int) -> bytes:
    """Return the accesses as s-expressions of a PowerPC with words of that many bytes."""
    arch = "ppc64" if word == 8 else "ppc"
    lines = [f'(producer (id 0) (tid 0) (name "arch") (value "{arch}"))']
    lines.append(f'(image (id 0) (tid 0) (base {bases["image"]:#x}) (path "/bin/x"))')
    for access in accesses:
        value = access.value
        number = value if isinstance(value, int) else bases[value[0]] + value[1]
        load, store, by_stack = (LD, STD, BY_STACK_WIDE) if word == 8 else (LWZ, STW, BY_STACK)
        code = store if access.writes else by_stack if access.region == "stack" else load
        kind = "mem-write (id 0) (tid 1) (mem-order plain)" if access.writes else (
            "mem-read (id 0) (tid 1)")  # fmt: skip
        lines.append(
            f"({kind} (address {bases[access.region] + access.offset:#x}) (value {number:#x}) "
            f"(size {word}) (word {code:#x}) (src {bases['image'] + 0x2000 + 4 * access.at:#x}))"
        )
    return ("\n".join(lines) + "\n").encode()


def written(path: Path, source: bytes, form: str) -> str:
    """Write s-expressions as a trace of a format and return its name."""
    output = BytesIO()
    convert(Job(open_trace(BytesIO(source), name="x.sexp"), output), BY_NAME[form])
    path.write_bytes(output.getvalue())
    return str(path)


def status(directory: Path, old: bytes, new: bytes, form: str) -> int:
    names = (written(directory / f"{n}.{form}", s, form) for n, s in enumerate((old, new)))
    return main(["diff", "-q", "--ignore", IGNORED, *names])


places = st.tuples(st.sampled_from(["heap", "map", "stack"]), st.integers(0, 400))
accesses = st.builds(
    lambda at, place, value, writes: Access(at, place[0], 8 * place[1], value, writes),
    st.integers(0, 200),
    places,
    st.one_of(st.integers(0, 1 << 20), places.map(lambda place: (place[0], 8 * place[1]))),
    st.booleans(),
)
programs = st.lists(accesses, min_size=20, max_size=60)
shifts = st.fixed_dictionaries({
    "image": st.integers(0, 64).map(lambda n: n * PAGE),
    "heap": st.integers(-64, 64).map(lambda n: n * PAGE),
    "map": st.integers(-512, 512).map(lambda n: n * PAGE),
    "stack": st.integers(-500, 500).map(lambda n: n * 16),
})  # fmt: skip
FORMS = [("rst", 4), ("rst", 8), ("sexp", 4), ("sexp", 8), ("stf", 4), ("stf", 8)]


def anchored(program: list[Access]) -> list[Access]:
    """Return the program after some accesses of each region, which every real one has."""
    first = [
        Access(201 + n, region, 16 * n, n, False)
        for region in ("heap", "map", "stack")
        for n in range(4)
    ]
    return first + program


@pytest.mark.parametrize(("form", "word"), FORMS)
@given(program=programs, shift=shifts)
@settings(max_examples=examples(5), deadline=None)
def test_regions_that_moved_are_equal(
    tmp_path_factory: pytest.TempPathFactory, form: str, word: int,
    program: list[Access], shift: dict[str, int],
) -> None:  # fmt: skip
    old = BASES[word]
    new = {name: base + shift[name] for name, base in old.items()}
    whole = anchored(program)
    directory = tmp_path_factory.mktemp("equal")
    assert status(directory, text(whole, old, word), text(whole, new, word), form) == 0


@pytest.mark.parametrize(("form", "word"), FORMS)
@given(program=programs, shift=shifts, data=st.data())
@settings(max_examples=examples(5), deadline=None)
def test_another_address_or_value_is_a_difference(
    tmp_path_factory: pytest.TempPathFactory, form: str, word: int,
    program: list[Access], shift: dict[str, int], data: st.DataObject,
) -> None:  # fmt: skip
    old = BASES[word]
    new = {name: base + shift[name] for name, base in old.items()}
    whole = anchored(program)
    at = data.draw(st.integers(12, len(whole) - 1))
    access = whole[at]
    if data.draw(st.booleans()):
        distance = data.draw(st.sampled_from([-8, 8, 16, 64, 1024]))
        changed = replace(access, offset=abs(access.offset + distance))
        if changed == access:
            return
    elif isinstance(access.value, int):
        changed = replace(access, value=access.value + 1)
    else:
        changed = replace(access, value=(access.value[0], access.value[1] + 8))
    others = [*whole[:at], changed, *whole[at + 1 :]]
    directory = tmp_path_factory.mktemp("other")
    assert status(directory, text(whole, old, word), text(others, new, word), form) == 1


@pytest.mark.parametrize("form", ["rst", "sexp"])
def test_an_address_that_stayed_in_a_region_that_moved_is_a_difference(
    tmp_path: Path, form: str
) -> None:
    old = BASES[4]
    new = {**old, "heap": old["heap"] + 5 * PAGE}
    whole = anchored([Access(n, "heap", 8 * n, n, False) for n in range(8)])
    assert status(tmp_path, text(whole, old, 4), text(whole, new, 4), form) == 0
    stayed = replace(whole[15], offset=whole[15].offset - 5 * PAGE)
    others = [*whole[:15], stayed, *whole[16:]]
    assert status(tmp_path, text(whole, old, 4), text(others, new, 4), form) == 1


def test_numbers_that_only_look_like_pointers_are_equal(tmp_path: Path) -> None:
    """2.5 as a float lies in a heap that moved: 0x40200000."""
    old = {**BASES[4], "heap": 0x40200000}
    new = {**old, "heap": old["heap"] + PAGE}
    whole = anchored([Access(1, "map", 0, 0x40200000, True)])
    assert status(tmp_path, text(whole, old, 4), text(whole, new, 4), "rst") == 0
    other = [*whole[:-1], replace(whole[-1], value=0x40200004)]
    assert status(tmp_path, text(whole, old, 4), text(other, new, 4), "rst") == 1


def test_pipes_are_read_twice(tmp_path: Path, shell: Shell) -> None:
    old, new = BASES[4], {**BASES[4], "heap": BASES[4]["heap"] + PAGE}
    whole = anchored([])
    written(tmp_path / "a.rst", text(whole, old, 4), "rst")
    moved = Path(written(tmp_path / "b.rst", text(whole, new, 4), "rst")).read_bytes()
    command = ("inst", "diff", "--ignore", IGNORED, "a.rst", "-")
    assert shell.run(*command, stdin=moved).returncode == 0
    other = anchored([Access(1, "map", 0, 1, False)])
    more = Path(written(tmp_path / "c.rst", text(other, new, 4), "rst")).read_bytes()
    found = shell.run(*command, stdin=more)
    assert found.returncode == 1
    assert b"+++ <stdin>" in found.stdout


HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int value; char *name; };
int main(int argc, char **argv)
{
    struct node *list = 0;
    int sum = 0;
    for (int i = 0; i < 12; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){list, i * 7 + argc, argv[0]};
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        sum += node->value + (node->name[0] == '.') + (node == list);
    return printf("%d\\n", sum) < 0;
}
"""


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("name", TARGETS)
def test_runs_with_another_environment_are_equal(shell: Shell, name: str) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    (shell.directory / "list.c").write_text(PROGRAM)
    shell.check("inst-cc", *target.compiler, "-g", "-O2", "list.c", "-o", "list")
    shell.check("inst", "run", "-o", "a.rst", "./list")
    shell.check("inst", "run", "-o", "b.rst", "./list", HAY="x" * 54, STACK="y")
    shell.check("inst", "run", "-o", "c.rst", "./list", "another-argument")
    ignored = "addresses,timestamps,threads,strings"
    assert shell.run("inst", "diff", "a.rst", "b.rst", "--ignore", ignored).stdout == b""
    assert shell.run("inst", "diff", "-q", "a.rst", "b.rst").returncode == 1
    assert shell.run("inst", "diff", "-q", "a.rst", "c.rst", "--ignore", ignored).returncode == 1


def _as_text(pc: int) -> bytes:
    return encode("event_text", number=pc & 0xFFFFFFFF, is_site=1, last=1, text=f"{pc:#x}")


def _as_number(pc: int) -> bytes:
    return encode("event", kind=11) + encode("event_size", placed=1, site=8, value_high=pc)


@pytest.mark.parametrize("named", [_as_text, _as_number])
def test_sites_that_are_called_by_their_pc_move_with_the_image(
    tmp_path: Path, named: Callable[[int], bytes]
) -> None:
    def trace(base: int, pc: int) -> str:
        start = HEADER + encode_string(f"image=/bin/x base={base:#x}")
        (tmp_path / f"{base:x}-{pc:x}").write_bytes(start + named(pc))
        return str(tmp_path / f"{base:x}-{pc:x}")

    old = trace(0x40000000, 0x4000234C)
    ignored = ["--ignore", "addresses"]
    assert main(["diff", "-q", *ignored, old, trace(0x50000000, 0x5000234C)]) == 0
    assert main(["diff", "-q", *ignored, old, trace(0x50000000, 0x5000334C)]) == 1
