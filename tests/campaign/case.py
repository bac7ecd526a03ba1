"""One program, one target, one set of options: plain, and in each of the ways to watch it.

The program is compiled once.  The instrumented forms have to end with the plain one's output and
status.  The traces have to be clean, and hold the same number of accesses of each kind and size:
what hooks report, what is recorded inline, and what is executed again.  Of what is no program
each form has to be assembled.
"""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from inst.check import Options as CheckOptions
from inst.check import check_trace, registry
from inst.errors import InstError
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from inst.trace.tally import MEMORY
from inst.translate import Options, translate
from inst.wrap.linker import entry, instrumented, with_objects
from tests.campaign.programs import Program
from tests.fuzz.toolchain import (
    LINK_INPUT,
    LINK_OUTPUT,
    ToolError,
    assembler_words,
    driver,
    libraries,
    linker_words,
    run_tool,
)

OPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "-O0": (("-O0",), "-pie"),
    "-O2": (("-O2",), "-pie"),
    "-Os": (("-Os",), "-pie"),
    "-O3 -fPIC -pie": (("-O3", "-fPIC"), "-pie"),
}
"""For the compiler, and for the linker; the cross compilers' default is -pie."""
WHOLE: dict[str, tuple[tuple[str, ...], str]] = {"-O2 -static": (("-O2",), "-static")}
"""Run where they are asked for: the C library is instrumented too."""
_ALL = OPTIONS | WHOLE
_RECORDED = Options(record=True, counter=False)
WAYS: dict[str, tuple[str, Options]] = {
    "count": ("count", Options()),
    "rst": ("rst", Options()),
    "values": ("record", _RECORDED),
    "loads": ("record", replace(_RECORDED, level="loads")),
}
"""The hook library and how the code is instrumented, by the way to watch a program."""
PAIRS = (("count", "values"), ("rst", "loads"))
"""Ways to watch a program in one case: one with hooks, one recorded."""
PLAIN_SECONDS, TRACED_SECONDS = 4, 400
"""CPU time that a program may take before it is put aside, or counted as one that hangs."""
_LARGEST_FILE = 1 << 31
"""Bytes of a trace, which is then cut, and said to be."""
_LARGEST_PIECE = 1 << 26
"""Bytes that a trace may grow by at once."""
_PADDING = "".join(
    f'\t.section {name},"{flags}"\n\t.skip 0x15000\n'
    for name, flags in ((".text", "ax"), (".data", "aw"), (".data.rel.ro", "aw"))
)
"""Assembly that moves the code after it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a case ended."""

    kind: str
    """"passed", "failed", or "unsuitable" where the plain program does not do, or is refused for
    what the documentation names."""
    why: str = ""
    """The step, a colon and what was wrong."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is run."""

    program: Program
    target: str
    options: str
    """A key of OPTIONS or WHOLE."""
    ways: tuple[str, ...]
    """Keys of WAYS."""

    @property
    def name(self) -> str:
        """Return the case on one line."""
        return f"{self.target} {self.options} {'+'.join(self.ways)} {self.program.name}"


def turn(program: Program, number: int, pairs: Sequence[tuple[str, ...]] = PAIRS) -> Case:
    """Return the case of a program in a round; consecutive numbers come to each combination."""
    targets = [target for target in sorted(TARGETS) if program.runs_on(target)]
    options = list(OPTIONS)
    rest, target = divmod(number, len(targets))
    rest, chosen = divmod(rest, len(options))
    return Case(program, targets[target], options[chosen], pairs[rest % len(pairs)])


_LIMITS = (
    "32-bit code cannot report this access",
    "what this instruction moves is not known",
    "an accumulator is in use here",
)
"""How errors begin that docs/limits.md names."""


class _Unsuitable(Exception):
    """The plain program does not build, or does not pass."""


def judge(case: Case, directory: Path) -> Verdict:
    """Make and run the forms of a program in a directory that is emptied before."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    forms = _Forms(case, TARGETS[case.target], directory)
    try:
        forms.assemble()
        forms.rewrite()
        problem = forms.run() if case.program.runs else ""
    except _Unsuitable as why:
        return Verdict("unsuitable", str(why))
    except InstError as error:
        is_limit = error.message.startswith(_LIMITS)
        return Verdict("unsuitable" if is_limit else "failed", f"refused: {error.render()}")
    except ToolError as error:
        return Verdict("failed", f"build: {str(error)[:1500]}")
    finally:
        shutil.rmtree(directory / "run", ignore_errors=True)
    return Verdict("failed", problem) if problem else Verdict("passed")


@dataclass(slots=True)
class _Forms:
    """The forms of one program, in one directory."""

    case: Case
    target: Target
    directory: Path

    def assemble(self) -> None:
        """Compile and assemble the program as it is."""
        try:
            for number, source in enumerate(self.case.program.sources):
                text = self._compile(source)
                self._path(f"{number}.s").write_text(text, errors="surrogateescape")
                self._assemble(text, f"{number}.o")
        except ToolError as error:
            raise _unsuitable(error) from error

    def rewrite(self) -> None:
        """Instrument and assemble the program, once for ways that differ in their library only."""
        made: list[tuple[Options, str]] = []
        for way in self.case.ways:
            options = WAYS[way][1]
            same = next((one for others, one in made if others == options), "")
            for number in range(len(self.case.program.sources)):
                place = self._path(f"{number}.{way}.o")
                if same:
                    place.symlink_to(f"{number}.{same}.o")
                    continue
                text = self._path(f"{number}.s").read_text(errors="surrogateescape")
                rewritten = translate(text, self.target, options, f"{number}.s")
                self._assemble(rewritten, place.name)
            made.append((options, way))

    def run(self) -> str:
        """Run the program plain and instrumented, and check; return what is wrong, or nothing."""
        expected = self._expected()
        counts: dict[str, Counter[tuple[int, int]]] = {}
        for way in self.case.ways:
            self._link(way, way)
            found = self._run(way, TRACED_SECONDS)
            if found != expected:
                self._refuse_printed_addresses(expected)
                return f"{way}: plain gives {_shown(expected)}, instrumented {_shown(found)}"
            if way == "count":
                continue  # what it writes is no trace
            problem = self._check()
            if problem:
                return f"{way}: {problem}"
            if not self._is_cut():
                counts[way] = self._accesses()
        return _difference(counts)

    def _expected(self) -> tuple[bytes, int]:
        """Run the plain program; return its output and status."""
        try:
            self._link("", "plain")
        except ToolError as error:
            raise _unsuitable(error) from error
        found = self._run("plain", PLAIN_SECONDS)
        if found[1]:
            raise _Unsuitable(f"status {found[1]}")
        return found

    def _is_cut(self) -> bool:
        """Return whether the trace of the last run is as large as it may be."""
        path = self._path("run/trace")
        return path.exists() and path.stat().st_size > _LARGEST_FILE - _LARGEST_PIECE

    def _accesses(self) -> Counter[tuple[int, int]]:
        """Count the accesses of the trace of the last run, by kind and size."""
        path, counts = self._path("run/trace"), Counter[tuple[int, int]]()
        if path.exists():
            with closing(open_trace(str(path))) as trace:
                for events in trace.events():
                    found = events[MEMORY[events["kind"]]]
                    counts.update(zip(found["kind"].tolist(), found["size"].tolist(), strict=True))
        return counts

    def _refuse_printed_addresses(self, expected: tuple[bytes, int]) -> None:
        """Raise _Unsuitable if the plain program says something else at other addresses."""
        self._assemble(_PADDING, "padding.o")
        self._link("", "moved", "padding.o")
        if self._run("moved", PLAIN_SECONDS) != expected:
            raise _Unsuitable("what it prints depends on its addresses")

    def _check(self) -> str:
        """Check the trace of the last run."""
        path = self._path("run/trace")
        if not path.exists():
            return ""  # nothing of the program is an access
        trace = open_trace(str(path))
        try:
            said: list[str] = []
            settings = {"memory": "strict"} if self.case.options in WHOLE else {}
            options = CheckOptions(say=said.append, settings=settings)
            report = check_trace(trace, registry.names(), options, None)
        finally:
            trace.close()
        if report.error:
            return f"check: {report.error.render()}"
        return f"check: {dict(report.counts)}" if report.counts else ""

    def _compile(self, source: Path) -> str:
        program = self.case.program
        options = _ALL[self.case.options][0]
        command = [*driver(self.target, program.language), "-w", *options, *program.flags]
        return run_tool([*command, "-S", "-o", "-", str(source)], self.directory)

    def _assemble(self, text: str, made: str) -> None:
        options = tuple(w for w in _ALL[self.case.options][0] if w.startswith("-f"))
        machine = tuple(word for word in self.case.program.flags if word.startswith("-m"))
        words = assembler_words(driver(self.target, "gcc"), (*options, *machine))
        run_tool([*words, "-o", made, "-"], self.directory, text)

    def _link(self, way: str, made: str, first: str = "") -> None:
        program, hooks = self.case.program, WAYS[way][0] if way else ""
        kind = (_ALL[self.case.options][1], *program.linked)
        suffix = f".{way}.o" if way else ".o"
        objects = [first] if first else []
        objects += [f"{number}{suffix}" for number in range(len(program.sources))]
        words: list[str] = []
        for word in linker_words(driver(self.target, program.language), kind):
            words += objects if word == LINK_INPUT else [made if word == LINK_OUTPUT else word]
        if hooks and self.case.options in WHOLE:
            words = with_objects(words, "all", list(self.target.compiler), self.target)
        if hooks:
            words = instrumented(words, "", *libraries(self.target, hooks))
        if hooks and self.case.options in WHOLE:
            words = [words[0], *entry(words), *words[1:]]
        run_tool(words, self.directory)

    def _run(self, name: str, seconds: float) -> tuple[bytes, int]:
        """Run a form; it ends by SIGPROF after so many seconds of CPU time."""
        place = self._path("run")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        program = place / "program"  # one path for all: the kernel puts it onto the stack
        self._path(name).rename(program)
        done = subprocess.run(
            command_for(program, [], ("-0", "program")),
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"INST_OUT": str(place / "trace")},
            timeout=3600,
            preexec_fn=lambda: _limit(seconds),
        )
        return done.stdout, done.returncode

    def _path(self, name: str) -> Path:
        return self.directory / name


def _unsuitable(error: ToolError) -> _Unsuitable:
    return _Unsuitable(f"does not build: {' '.join(str(error).split())[:300]}")


def _difference(counts: dict[str, Counter[tuple[int, int]]]) -> str:
    """Return where the accesses of the ways differ in number."""
    for (one, first), (other, second) in itertools.pairwise(counts.items()):
        for kind, size in sorted(first.keys() | second.keys()):
            numbers = first[kind, size], second[kind, size]
            if numbers[0] != numbers[1]:
                name = f"{Kind(kind).name.lower()} of {size} bytes"
                return f"counts: {name}: {one} has {numbers[0]}, {other} has {numbers[1]}"
    return ""


def _limit(seconds: float) -> None:
    import resource

    signal.setitimer(signal.ITIMER_PROF, seconds)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _shown(found: tuple[bytes, int]) -> str:
    return f"status {found[1]} and {found[0][:100]!r}"
