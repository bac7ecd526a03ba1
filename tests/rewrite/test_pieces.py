"""A file translated in parts says what the same file says as one."""

from __future__ import annotations

import re
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from inst import isa
from inst.flow import pieces
from inst.hooktable import SITE_SECTION
from inst.target.targets import TARGETS, Target
from inst.translate import Options, SourceFile, translate, translate_parts

FUNCTION = """
static int table{n}[16];
__attribute__((noinline, cold)) static void fail{n}(int a) {{ table{n}[a & 15] = a; }}
int f{n}(int *p, int a, const char *s)
{{
    int sum = 0;
    for (int i = 0; i < a; i++) {{
        switch (p[i] & 7) {{
        case 0: sum += s[i]; break;
        case 1: sum -= table{n}[i & 15]; break;
        case 2: p[i] = sum; break;
        case 3: sum ^= {n}; break;
        case 4: fail{n}(sum); break;
        default: sum += p[i + 1] * s[sum & 3];
        }}
    }}
    if (__builtin_expect(sum < 0, 0))
        fail{n}(a), sum = f{m}(p, a - 1, s);
    return sum;
}}
"""


def _compiled(target: Target, directory: Path, count: int) -> str:
    source = directory / "many.c"
    declarations = "".join(f"int f{n}(int *, int, const char *);" for n in range(count))
    bodies = "".join(FUNCTION.format(n=n, m=(n * 7 + 3) % count) for n in range(count))
    source.write_text(declarations + bodies)
    made = directory / "many.s"
    subprocess.run([*target.compiler, "-g", "-O2", "-S", "-o", made, source], check=True)
    return made.read_text()


def _translated(source: str, target: Target, in_parts: bool) -> str:
    names = pieces.function_names(source) if in_parts else None
    file = SourceFile(isa.get(target.isa, target.abi), Options(), "many.s", names)
    return translate_parts(file, source, pieces.cut(source) if in_parts else [source])


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files that are a sixteenth as long as those that are cut otherwise."""
    monkeypatch.setattr(pieces, "LEAST", pieces.LEAST // 16)


@pytest.mark.usefixtures("small_parts")
def test_parts_say_the_same(target: Target, tmp_path: Path) -> None:
    source = _compiled(target, tmp_path, 6)
    assert pieces.may_be_cut(source)
    assert len(list(pieces.cut(source))) >= 3
    assert "".join(pieces.cut(source)) == source
    parts = _translated(source, target, True)
    assert _unnumbered(parts) == _unnumbered(_translated(source, target, False))
    assert translate(source, target, Options(), "many.s") == parts


def _unnumbered(text: str) -> tuple[str, list[str]]:
    """Return code without its labels' numbers, and the rows of the site table in any order."""
    code, table = re.sub(r"\.Linst\d+", ".Linst", text).split(f"\t.section {SITE_SECTION}")
    return code, sorted(table.split('\t.ascii "S"'))


@pytest.mark.usefixtures("small_parts")
def test_memory_is_that_of_the_largest_part(tmp_path: Path) -> None:
    target = TARGETS["ppc32"]
    source = _compiled(target, tmp_path, 12)
    peaks = []
    for in_parts in (False, True):
        _translated(source, target, in_parts)  # what is remembered for good is there now
        tracemalloc.start()
        _translated(source, target, in_parts)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 0.75


@pytest.mark.parametrize(
    "line",
    ["\tbeq 0,.Lfar\n", "\t.macro m\n\tnop\n\t.endm\n", "\tbeq 0,f+400\n", "\tfrobnicate 3\n"],
    ids=["label of another part", "macro", "computed", "unknown"],
)
@pytest.mark.usefixtures("small_parts")
def test_what_needs_the_whole_file_gets_it(line: str) -> None:
    """Whatever stops a part is judged again with the whole file in view."""
    target = TARGETS["ppc32"]
    body = "\tlwz 3,0(3)\n\tstw 3,4(4)\n" * 400
    first = f"f:\n{line}{body}\tblr\n\t.size f,.-f\n"
    second = f"g:\n{body}.Lfar:\tblr\n\t.size g,.-g\n"
    source = first + second + '\t.ident "GCC: (test)"\n'
    outcomes = []
    for run in (
        translate,
        lambda *a: translate_parts(SourceFile(isa.get("powerpc"), a[2], a[3]), a[0], [a[0]]),
    ):
        try:
            outcomes.append(run(source, target, Options(), "a.s"))
        except Exception as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
