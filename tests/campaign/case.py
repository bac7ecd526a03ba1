"""One program, one target, one set of options: plain, with `count` and with `rst`.

The program is compiled once.  The instrumented forms have to end with the plain one's output and
status, and the trace that `rst` writes has to be clean.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from inst.check import Options as CheckOptions
from inst.check import check_trace, registry
from inst.errors import InstError
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
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
HOOKS = ("count", "rst")
PLAIN_SECONDS, TRACED_SECONDS = 4, 400
"""CPU time that a program may take before it is put aside, or counted as one that hangs."""
_LARGEST_FILE = 1 << 31
"""Bytes of a trace, which is then cut, and said to be."""
_PADDING = "".join(
    f'\t.section {name},"{flags}"\n\t.skip 0x15000\n'
    for name, flags in ((".text", "ax"), (".data", "aw"), (".data.rel.ro", "aw"))
)
"""Assembly that moves the code after it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a case ended."""

    kind: str
    """"passed", "failed", or "unsuitable" where the plain program does not do."""
    why: str = ""
    """The step, a colon and what was wrong."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is run."""

    program: Program
    target: str
    options: str
    """A key of OPTIONS or WHOLE."""

    @property
    def name(self) -> str:
        """Return the case on one line."""
        return f"{self.target} {self.options} {self.program.name}"


class _Unsuitable(Exception):
    """The plain program does not build, or does not pass."""


def judge(case: Case, directory: Path) -> Verdict:
    """Make and run the forms of a program in a directory that is emptied before."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    forms = _Forms(case, TARGETS[case.target], directory)
    try:
        expected = forms.plain()
        problem = forms.instrumented(expected)
    except _Unsuitable as why:
        return Verdict("unsuitable", str(why))
    except InstError as error:
        return Verdict("failed", f"refused: {error.render()}")
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

    def plain(self) -> tuple[bytes, int]:
        """Make and run the plain program; return its output and status."""
        try:
            for number, source in enumerate(self.case.program.sources):
                text = self._compile(source)
                self._path(f"{number}.s").write_text(text, errors="surrogateescape")
                self._assemble(text, f"{number}.o")
            self._link("", "plain")
        except ToolError as error:
            raise _Unsuitable(f"does not build: {' '.join(str(error).split())[:300]}") from error
        found = self._run("plain", PLAIN_SECONDS)
        if found[1]:
            raise _Unsuitable(f"status {found[1]}")
        return found

    def instrumented(self, expected: tuple[bytes, int]) -> str:
        """Make, run and check the instrumented forms; return what is wrong, or nothing."""
        for number in range(len(self.case.program.sources)):
            text = self._path(f"{number}.s").read_text(errors="surrogateescape")
            rewritten = translate(text, self.target, Options(), f"{number}.s")
            self._assemble(rewritten, f"{number}.traced.o")
        for hooks in HOOKS:
            self._link(hooks, hooks)
            found = self._run(hooks, TRACED_SECONDS)
            if found != expected:
                self._refuse_printed_addresses(expected)
                return f"{hooks}: plain gives {_shown(expected)}, instrumented {_shown(found)}"
        return self._check()

    def _refuse_printed_addresses(self, expected: tuple[bytes, int]) -> None:
        """Raise _Unsuitable if the plain program says something else at other addresses."""
        self._assemble(_PADDING, "padding.o")
        self._link("", "moved", "padding.o")
        if self._run("moved", PLAIN_SECONDS) != expected:
            raise _Unsuitable("what it prints depends on its addresses")

    def _check(self) -> str:
        """Check the trace that `rst` has written."""
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

    def _link(self, hooks: str, made: str, first: str = "") -> None:
        program = self.case.program
        kind = (_ALL[self.case.options][1], *program.linked)
        suffix = ".traced.o" if hooks else ".o"
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


def _limit(seconds: float) -> None:
    import resource

    signal.setitimer(signal.ITIMER_PROF, seconds)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _shown(found: tuple[bytes, int]) -> str:
    return f"status {found[1]} and {found[0][:100]!r}"
