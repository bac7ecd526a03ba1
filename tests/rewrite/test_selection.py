"""Only the selected functions change; what is left out stays as it was, byte for byte."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.check import check_trace
from inst.errors import InstError
from inst.rewrite.options import Options
from inst.rewrite.selection import LEFT_OUT, Selection
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.translate import translate
from inst.wrap.options import check_options
from tests.conftest import Shell

PROGRAM = """\
#include <stdio.h>
int table[64];
static long long wide[4];
__attribute__((noinline)) int hot(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        table[i & 63] += i;
        sum += table[i * 7 & 63];
    }
    return sum;
}
__attribute__((noinline)) static int other(int n)
{
    wide[n & 3] += n;
    return (int)wide[(n + 1) & 3];
}
int main(void)
{
    int sum = hot(100);
    for (int i = 0; i < 10; i++)
        sum += other(i);
    printf("%d\\n", sum);
    return 0;
}
"""
SITE = re.compile(r"(?:call|bl)\s+inst\.")


def _assembly(target: Target, directory: Path) -> str:
    source = directory / "p.c"
    source.write_text(PROGRAM)
    command = [*target.compiler, "-O2", "-S", "-o", "-", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _changed(before: str, after: str) -> set[str]:
    """Return the functions in which a line differs; lines keep their numbers."""
    names, name = set(), ""
    for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
        label = re.match(r"(?:\.L\.)?(hot|other|main)(?:\.\w+)*:", old)
        name = label[1] if label else name
        if old != new and SITE.search(new):
            names.add(name)
        elif old != new:
            assert name, new
    return names


def _selected(text: str, target: Target, selection: Selection) -> str:
    return translate(text, target, Options(selection=selection), "p.s")


def test_functions_by_name(target: Target, tmp_path: Path) -> None:
    text = _assembly(target, tmp_path)
    every = {"hot", "other", "main"}
    for only, excluded, expected in (
        ((), (), every),
        (("hot",), (), {"hot"}),
        ((), ("hot",), every - {"hot"}),
        (("h*", "m?in"), ("main",), {"hot"}),
        (("src:q.c", "other"), (), {"other"}),
        (("src:p.*",), ("hot", "other"), {"main"}),
    ):
        after = _selected(text, target, Selection(only, excluded))
        assert _changed(text, after) == expected
        assert (f"{LEFT_OUT}:" in after) == (expected != every)


def test_whole_files(target: Target, tmp_path: Path) -> None:
    """A file that is left out stays as it is: it may hold what cannot be instrumented."""
    text = _assembly(target, tmp_path)
    strange = text + "\tfrobnicate 1\n"
    for selection in (Selection(excluded=("src:p.c",)), Selection(only=("src:[a-o]*",))):
        assert _selected(strange, target, selection).startswith(strange)
    generated = f'# 1 "made.S"\n{strange}'
    assert _selected(generated, target, Selection(excluded=("src:made.S",))).startswith(generated)
    assert _selected(text, target, Selection(excluded=("src:q.c",))) == _selected(
        text, target, Selection()
    )


def test_what_cannot_be_instrumented_is_left_out() -> None:
    text = (
        "\t.type f, @function\nf:\tlwz 3,0(3)\n\tblr\n"
        "\t.type g, @function\ng:\tlxvd2x 0,0,9\n\tblr\n"
    )
    with pytest.raises(InstError, match="32-bit code") as caught:
        _selected(text, TARGETS["ppc32"], Selection())
    assert "--inst-except=" in caught.value.hint
    after = _selected(text, TARGETS["ppc32"], Selection(excluded=("g",)))
    assert len(SITE.findall(after)) == 1
    assert "g:\tlxvd2x 0,0,9\n\tblr\n" in after


def test_clones_and_cold_parts_follow_their_function() -> None:
    text = "".join(
        f"\t.type {name}, @function\n{name}:\tlwz 3,0(3)\n\tblr\n"
        for name in ("f", "f.constprop.0", "f.part.1", "f.cold", "g")
    )
    after = _selected(text, TARGETS["ppc32"], Selection(only=("f",)))
    assert len(SITE.findall(after)) == 4
    assert "g:\tlwz 3,0(3)\n" in after


def test_no_events_of_what_is_left_out(target: Target, tmp_path: Path) -> None:
    """Neither counts, register windows nor entries of functions."""
    text = _assembly(target, tmp_path)
    options = Options(selection=Selection(only=("hot",)), functions=True)
    assert _changed(text, translate(text, target, options, "p.s")) == {"hot"}


def test_lists_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "list").write_text("# two\nhot, src:a.c\n\nm*  # and one\n")
    monkeypatch.chdir(tmp_path)
    environment = {"INST_ONLY": "x,@list", "INST_EXCEPT": "@missing"}
    with pytest.raises(InstError, match="cannot read missing: No such file"):
        check_options(environment)
    environment["INST_EXCEPT"] = "y"
    check_options(environment)
    assert environment == {"INST_ONLY": "x,hot,src:a.c,m*", "INST_EXCEPT": "y"}


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
def test_the_trace_is_partial_and_says_so(target: Target, shell: Shell) -> None:
    (shell.directory / "p.c").write_text(PROGRAM)
    words = (*target.compiler, "-O2", "-g", "-static", "p.c", "-o")
    shell.check("inst-cc", "--inst-except=hot", *words, "p")
    plain = shell.check(target.emulator, "./p", INST_OUT="p.rst")
    shell.check(*words, "q")
    assert plain == shell.check(target.emulator, "./q")
    report = check_trace(trace := open_trace(shell.directory / "p.rst"))
    assert report.findings == []
    assert trace.facts.producer["uninstrumented"] == "left-out-functions"
    table = shell.check("inst", "stats", "--program", "p", "--top", "99", "p.rst")
    sites = {line.split()[2] for line in table.splitlines() if " p.c:" in line}
    assert "other" in sites
    assert "hot" not in sites
