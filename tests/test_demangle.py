"""C++ names: as they were written wherever symbols are shown, on every target, or not at all."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inst.cli import main
from inst.program.demangle import demangle, demangled
from inst.target.targets import Target
from tests.conftest import Shell, require_tools

SOURCE = """\
namespace shop {
template <typename T> struct Basket { T goods[4]; int used; void put(T value); };
template <typename T> __attribute__((noinline)) void Basket<T>::put(T value)
{ goods[used++] = value; }
}
int main() { shop::Basket<int> basket{}; basket.put(4); return basket.used - 1; }
"""
MANGLED, WRITTEN = "_ZN4shop6BasketIiE3putEi", "shop::Basket<int>::put(int)"


def _digit(number: int) -> str:
    return "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]


BOMB = "_Z1f1A1PIS_S_E" + "".join(f"S0_IS{_digit(n)}_S{_digit(n)}_E" for n in range(1, 27))
"""Each argument is a pair of the one before: gigabytes of text."""


def test_names_of_every_kind() -> None:
    wanted = {
        MANGLED: WRITTEN,
        "_ZN3fooC1Ev": "foo::foo()",
        "_ZSt4cout@@GLIBCXX_3.4": "std::cout@@GLIBCXX_3.4",
        "_Z3barv.constprop.0": "bar() [clone .constprop.0]",
        "main": "main",
        "": "",
        "_Z": "_Z",
        "_Z0x": "_Z0x",
        "_Z1fv\n_Z1gv": "_Z1fv\n_Z1gv",
    }
    assert demangled(wanted) == wanted


def test_a_name_that_stands_for_gigabytes_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that demangles has written nothing of it, for this process to read."""
    from inst.program import demangle as module

    written: list[int] = []
    run = subprocess.run

    def measured(command: list[str], **how: Any) -> object:
        done = run(command, **how)
        written.append(os.fstat(how["stdout"].fileno()).st_size)
        return done

    monkeypatch.setattr(module.subprocess, "run", measured)
    assert demangled(["_Z2f1v", BOMB, "_Z2f2v"]) == {
        "_Z2f1v": "f1()",
        BOMB: BOMB,
        "_Z2f2v": "f2()",
    }
    assert written == [len("f1()\n"), len("f2()\n")]


def test_without_the_tool_names_stay_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from inst.program import demangle as module

    monkeypatch.setenv("PATH", str(tmp_path))
    module._tool.cache_clear()
    try:
        assert demangle("_Z6alonefv") == "_Z6alonefv"
        assert demangle("_Z6alonegv") == "_Z6alonegv"
    finally:
        module._tool.cache_clear()
    assert capsys.readouterr().err.count("binutils") == 1


@pytest.mark.rotated(turns=True)
def test_every_command_shows_written_names(
    target: Target, shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    cxx = target.compiler[0].removesuffix("gcc") + "g++"
    require_tools(cxx)
    (shell.directory / "s.cc").write_text(SOURCE)
    shell.check("inst-cc", cxx, *target.compiler[1:], "-g", "-O1", "s.cc", "-o", "s")
    shell.check("inst", "run", "-o", "s.rst", "./s")
    trace, program = str(shell.directory / "s.rst"), str(shell.directory / "s")
    chrome = ["convert", "--to", "chrome", "--program", program, trace, "-"]
    for words in (["view", trace, program], ["stats", trace, program], chrome):
        for option, shown, hidden in (
            ([], WRITTEN, MANGLED),
            (["--no-demangle"], MANGLED, WRITTEN),
        ):
            assert main([*words, *option]) == 0
            said = capsys.readouterr().out
            assert shown in said and hidden not in said, (words, option)
    assert main(["filter", "--program", program, "fill-symbols", trace, f"{trace}.named"]) == 0
    assert main(["view", f"{trace}.named"]) == 0
    assert f"symbol={MANGLED} " in capsys.readouterr().out  # a trace holds the linker's names
    assert main(["view", "--json", trace, program]) == 0
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    assert WRITTEN in {line.get("function") for line in lines}
