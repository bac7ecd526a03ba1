"""Exceptions that pass through instrumented objects: tables and unwinding after code has grown."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.cli import main
from inst.errors import InstError
from inst.objects.exceptions import Table, read_table
from inst.objects.frames import read_frames
from inst.objects.model import ObjectFile
from inst.objects.read import read_object
from inst.target.targets import TARGETS
from tests.conftest import Shell, require_tools

SOURCE = r"""
struct Other { long a, b; };
struct Guard { int *held; Guard(int *one) : held(one) { ++*held; } ~Guard() { --*held; } };
int held;
static void thrown(int n)
{
    Guard guard(&held);
    if (n == 1)
        throw Other{1, 2};
    if (n == 2)
        throw 5L;
    if (n == 3)
        throw 'c';
}
int caught(int n)
{
    Guard guard(&held);
    try {
        thrown(n);
    } catch (const Other &one) {
        return one.a + one.b;
    } catch (long one) {
        return one;
    }
    return 0;
}
"""
MAIN = r"""
#include <stdio.h>
extern int caught(int), held;
int main()
{
    for (int n = 0; n < 4; n++) {
        int result = -1;
        try {
            result = caught(n);
        } catch (char one) {
            result = one;
        }
        printf("%d %d\n", result, held);
    }
}
"""


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", ["ppc32", "ppc64", "ppc64le", "sparc-v8", "sparc-v9"])
def test_exceptions_pass_through_an_instrumented_object(name: str, shell: Shell) -> None:
    """Thrown in it, cleaned up and caught there, or beyond it."""
    target = TARGETS[name]
    compiler = [target.compiler[0].replace("-gcc", "-g++"), *target.compiler[1:]]
    require_tools(compiler[0])
    (shell.directory / "thrown.cc").write_text(SOURCE)
    (shell.directory / "main.cc").write_text(MAIN)
    shell.check(*compiler, "-O1", "-c", "thrown.cc")
    shell.check("inst", "object", "thrown.o", "-o", "grown.o")
    shell.check("inst-cc", "--inst-hooks=empty", *compiler, "-O1", "main.cc", "grown.o", "-o", "p")
    assert shell.check("inst", "run", "./p") == "0 0\n3 0\n5 0\n99 0\n"
    before, after = (_tables(shell.directory / one) for one in ("thrown.o", "grown.o"))
    assert [len(one.sites) for one in before] == [len(one.sites) for one in after]
    assert max(one.sites[-1].end for one in before) < max(one.sites[-1].end for one in after)


def _tables(path: Path) -> list[Table]:
    found = read_object(str(path), path.read_bytes())
    return [_table(found, *place) for place in sorted(read_frames(found).tables)]


def _table(found: ObjectFile, index: int, start: int) -> Table:
    section = found.by_index[index]
    return read_table(found, section, start, section.size)


WRONG = {
    "no function's": ("", "\t.byte 0xff, 0xff, 1, 0\n"),
    "ranges of code end outside": (".L0", "\t.byte 0xff, 0xff, 1, 9, 0\n"),
    "leads out of its function": (".L0", "\t.byte 0xff, 0xff, 1, 4, 0, 12, 0, 0\n"),
    "another place than the function": (".L0", "\t.byte 0, 0, 0, 0, 0\n"),
    "types of its exceptions": (".L0", "\t.byte 0xff, 0, 40, 1, 0\n"),
    "of variable length": (".L0", "\t.byte 0xff, 0xff, 3, 0\n"),
    "actions": (".L0", "\t.byte 0xff, 0, 9, 1, 4, 0, 4, 0, 1, 1\n\t.long 7\n"),
}


@pytest.mark.parametrize("words", WRONG)
def test_tables_that_are_not_understood_are_refused(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require_tools("powerpc-linux-gnu-gcc")
    label, table = WRONG[words]
    source = tmp_path / "f.s"
    source.write_text(
        "\t.globl f\n\t.type f, @function\nf:\n\t.cfi_startproc\n"
        f"\t.cfi_personality 0, personality\n{label and f'	.cfi_lsda 0x1b, {label}'}\n"
        "\tnop\n\tblr\n\t.cfi_endproc\n\t.size f, .-f\n"
        f'\t.section .gcc_except_table,"a"\n.L0:\n{table}'
    )
    made, output = tmp_path / "f.o", tmp_path / "g.o"
    Shell(tmp_path).check("powerpc-linux-gnu-gcc", "-c", source, "-o", made)
    assert main(["object", str(made), "-o", str(output)]) != 0
    assert words in capsys.readouterr().err
    assert not output.exists()


def test_damaged_tables_are_errors_without_a_traceback(tmp_path: Path) -> None:
    """Whatever one byte of a table of exceptions becomes."""
    require_tools("powerpc-linux-gnu-g++")
    (tmp_path / "thrown.cc").write_text(SOURCE)
    Shell(tmp_path).check("powerpc-linux-gnu-g++", "-O1", "-c", "thrown.cc")
    content = (tmp_path / "thrown.o").read_bytes()
    found = read_object("thrown.o", content)
    section = next(s for s in found.sections if s.name == ".gcc_except_table")
    begin = content.index(section.data)
    for offset in range(section.size):
        for byte in (0, 0x7F, 0xFF):
            damaged = bytearray(content)
            damaged[begin + offset] = byte
            again = read_object("thrown.o", bytes(damaged))
            try:
                for place in read_frames(again).tables:
                    _table(again, *place)
            except InstError as error:
                assert error.message
