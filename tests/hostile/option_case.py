"""What the commands do with command lines that make no sense."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from inst.cache.entries import remove
from inst.commands.table import COMMANDS, parser_of
from inst.target.targets import TARGETS
from inst.wrap.options import OPTIONS
from tests.hostile.running import HangError, Outcome, defect, describe, run
from tests.hostile.trace_case import TRACES
from tests.warm import python

VALUES = """\
0 -1 1 2 1e9 0x10 99999999999999999999 -99999999999999999999 1/0 0/1 1-2 2-1 0x1000-0x1fff ,
1,,2 a,b * ? ( ) [ only load | split all none auto 0.5 nan inf ppc32 rst sexp json /dev/null
/dev/full / . .. missing missing/file t.rst t.sexp t.stf program empty folder out é {} %p %s
${HOME} `x` -- --help -n --no-such"""
"""Values of options."""
FILES = (
    "t.rst",
    "t.sexp",
    "t.stf",
    "program",
    "empty",
    "folder",
    "missing",
    "out",
    "-",
    "/dev/null",
)
"""What a positional argument is, mostly."""
WRAPPER = """\
-c -S -E -fsyntax-only -O2 -g -o out a.c a.s missing.c - -x c -### --version -print-prog-name=as
@missing @words -Wa,--help -march=none -flto -m64 -pipe -save-temps"""
"""Words after the compiler's name."""
FINDS = ("check", "diff", "symbols")
"""Commands with status 1 for what they find."""
REPORTS = ("--junit", "--sarif", "--html")
"""Options with a file that is whole although the trace, or a program, cannot be read."""
BUILD_SECONDS = 300
"""What a link may take: the first builds hook libraries."""
STEPS = ("-c", "-S", "-E", "-fsyntax-only")
"""One of these is always there: a link may build a library first, and is no matter of words."""


class Case:
    """A directory of inputs in which command lines drawn at random are run."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for kind, data in TRACES.items():
            (directory / f"t.{kind}").write_bytes(data)
        (directory / "empty").write_bytes(b"")
        (directory / "program").write_bytes(b"\x7fELF" + bytes(60))
        (directory / "a.c").write_text("int main(int n, char **v) { return n + **v; }\n")
        (directory / "a.s").write_text("\tlwz 3,0(4)\n\tblr\n")
        (directory / "words").write_text("-O2 @words\n")
        (directory / "folder").mkdir()
        self.inputs = self._files()
        os.environ["INST_CACHE"] = str(directory / "cache")
        os.chdir(directory)

    def _files(self) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes() if path.is_file() else b""
            for path in self.directory.iterdir()
            if path.name != "cache" and not (path.is_dir() and path.name != "folder")
        }

    def defects(self, seed: int) -> Iterator[str]:
        """Yield what is wrong with what the command line of this number does."""
        chance = random.Random(seed)
        wrapped = chance.random() < 0.1
        words = _wrapper_words(chance) if wrapped else _words(chance)
        try:
            found = self._wrapped(words) if wrapped else self._run(words)
        except (Exception, HangError) as error:
            found = describe(error)
        if found:
            yield f"{seed}: {[word[:60] for word in words]}: {found}"

    def _run(self, words: list[str]) -> str:
        outcome = _apart(words) if words[0] == "run" else run(*words)
        judged = replace(outcome, status=2) if self._failed(outcome, words) else outcome
        if judged.status == 3 and "--strict" in words and "error: " in judged.err:
            judged = replace(judged, status=2)  # so much for an incomplete trace
        if words[0] == "run" and judged is outcome:  # the status is the program's
            judged = replace(outcome, status=0)
        if judged.status == 2 and "--json" in words:  # what is wrong may be said in the object
            judged = replace(judged, err=judged.err + judged.out)
        found = defect(judged, _allowed(words))
        return found or self._left(outcome.status, words)

    @staticmethod
    def _failed(outcome: Outcome, words: list[str]) -> bool:
        """Return whether a status says what 2 does; with 1, some commands have found something."""
        if words[0] == "run":
            return "error: " in outcome.err
        return outcome.status == 1 and words[0] not in FINDS

    def _left(self, status: int, words: list[str]) -> str:
        """Remove what was written; return what is wrong with it."""
        there = self._files()
        reports = {after for word, after in pairwise(words) if word in REPORTS}
        new = there.keys() - self.inputs.keys()
        for name in new:
            remove(self.directory / name)
        lost = [name for name, data in self.inputs.items() if there.get(name) != data]
        named = set(words)
        for name in lost:
            (self.directory / name).write_bytes(self.inputs[name])
        lost = sorted({*lost} - reports)
        if lost and not (status in (0, 1) and named & {*lost}):
            return f"status {status}, and {lost} changed"
        left = sorted(new - reports)
        return f"status {status}, and {left} were left" if left and status == 2 else ""

    def _wrapped(self, words: list[str]) -> str:
        command = [python(), "-m", "inst.wrap.cc", *words]
        try:
            done = subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, timeout=BUILD_SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"not done after {BUILD_SECONDS} s"
        said = done.stderr.decode(errors="replace")
        self._left(done.returncode, [*words, *self.inputs])
        if "Traceback" in said or "a defect of inst" in said:
            return f"it says: {said[-300:]}"
        if done.returncode not in (0, 1, 4) or (done.returncode and not said):
            return f"status {done.returncode}: {said[-300:]}"
        return ""


def _apart(words: list[str]) -> Outcome:
    """Run a command of inst that may become another program."""
    done = subprocess.run(
        [python(), "-m", "inst", *words], capture_output=True, stdin=subprocess.DEVNULL,
        timeout=BUILD_SECONDS, text=True, errors="surrogateescape",
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


def _allowed(words: list[str]) -> tuple[int, ...]:
    """Return the statuses that a command may end with; `--strict`: 3 for an incomplete trace."""
    return (0, 1, 2, 3) if "--strict" in words else (0, 1, 2)


def _words(chance: random.Random) -> list[str]:
    command = chance.choice(sorted(COMMANDS))
    words = [command]
    actions = [one for one in parser_of(command)._actions if one.dest != "help"]
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        words += _option(chance.choice(actions), chance)
    for action in actions:
        if not action.option_strings:
            words += [_positional(action, chance)] * chance.choice((0, 1, 1, 1, 2))
    return [word.replace("\0", "") for word in words]


def _option(action: argparse.Action, chance: random.Random) -> list[str]:
    if not action.option_strings:
        return []
    name = chance.choice(action.option_strings)
    if chance.random() < 0.1:
        name += chance.choice("=x")
    return [name] if action.nargs == 0 else [name, _value(action, chance)]


def _value(action: argparse.Action, chance: random.Random) -> str:
    if action.choices and chance.random() < 0.5:
        return str(chance.choice(sorted(map(str, action.choices))))
    return _drawn(chance)


def _positional(action: argparse.Action, chance: random.Random) -> str:
    return chance.choice(FILES) if chance.random() < 0.8 else _value(action, chance)


def _drawn(chance: random.Random) -> str:
    return chance.choice([*VALUES.split(), "", " ", "\n", "x" * 5000, "9" * 5000])


def _wrapper_words(chance: random.Random) -> list[str]:
    words = []
    for option in chance.sample(OPTIONS, chance.choice((0, 1, 2, 3))):
        value = chance.choice([*option.choices, _drawn(chance)])
        words.append(f"--inst-{option.name}" + chance.choice((f"={value}", "", "x")))
    target = TARGETS[chance.choice(sorted(TARGETS))]
    words += list(target.compiler) if chance.random() < 0.9 else [_drawn(chance)]
    words += chance.choices(WRAPPER.split(), k=chance.randrange(5))
    return words if {*STEPS} & {*words} else [*words, chance.choice(STEPS)]
