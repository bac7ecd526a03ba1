"""A random C or C++ program: made once, run both ways, verified and held to the truth."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from truth.binary import Binary, read_binary
from truth.emulator import Plugins, Result
from truth.harness import ROOT, Build, check_pair, compile_object, link_program
from truth.threads import check_threads

from inst.errors import InstError
from inst.target.emulator import command_for
from inst.target.targets import Target
from inst.translate import Options, translate
from tests.fuzz.events import HANDLERS
from tests.fuzz.manner import RECORD, Manner
from tests.fuzz.powerpc_power10 import emulated
from tests.fuzz.toolchain import Toolchain, ToolError
from tests.verify.turns import verify_turns
from tests.verify.verify import verify, verify_rewriting

LEAST_LINES = 250
"""Of C, csmith's own comments included: a shorter program has next to nothing in main."""
PLAIN_SECONDS, TRACED_SECONDS = 0.3, 200.0
"""Of CPU time that the plain program may take under the emulator, and its instrumented form.
Most take a tenth of the first; a quarter of what csmith writes never ends."""
TRUTH_HOOKS = {"values": "rst", "addresses": str(ROOT / "tests" / "truth" / "hooks" / "flat.c")}
"""By level: the hook library whose trace is held against the emulator's record."""


class Unsuitable(Exception):
    """The plain program is of no use: another has to take its place."""


def write_program(manner: Manner, seed: int) -> str:
    """Return what csmith writes."""
    command = ["csmith", "-s", str(seed), *manner.csmith]
    with tempfile.TemporaryDirectory() as directory:  # csmith leaves a file where it runs
        done = subprocess.run(command, capture_output=True, cwd=directory, timeout=60)
    text = done.stdout.decode()
    if done.returncode or text.count("\n") < LEAST_LINES:
        raise Unsuitable("csmith wrote too little")
    return text


class Trial:
    """One program's steps: each returns what is wrong, or nothing."""

    def __init__(self, target: Target, manner: Manner, directory: Path) -> None:
        self.target, self.manner, self.directory = target, manner, directory
        self.tools = Toolchain(target, manner, directory)
        self.source = directory / f"fuzz{self.tools.suffix}"
        self.assembly = self.rewritten = ""

    def judge(self, text: str, plugins: Plugins | None = None, verifying: bool = True) -> str:
        """Return what is wrong with the instrumented form; "" if nothing is.

        The first word names the step. With plugins the trace is held against the
        emulator's record, too; the output is verified statically if `verifying`.
        Raises Unsuitable if the program itself will not do.
        """
        self.source.write_text(text)
        expected = self.plain(mapped=plugins is not None)
        try:
            return (
                self.instrumented()
                or self.compared(expected)
                or (self.verified() if verifying else "")
                or (self.true(plugins) if plugins is not None else "")
            )
        except InstError as error:
            return f"refused: {error.render()}"
        except (ToolError, RuntimeError) as error:
            return f"build: {str(error)[:1500]}"

    def plain(self, mapped: bool) -> Result:
        """Make and run the plain program."""
        try:
            self.assembly = self.tools.compile(self.source)
            self.tools.assemble(self.assembly, "plain.o")
            if mapped:
                self.tools.align_data("plain.o")
            self.tools.link("plain.o", "plain", mapped=mapped)
        except ToolError as error:
            raise Unsuitable(f"does not build: {' '.join(str(error).split())[-200:]}") from error
        found = run(self.directory / "plain", PLAIN_SECONDS)
        if found.status == -signal.SIGPROF:
            raise Unsuitable("takes too long")
        if found.status < 0 or found.status > 128:
            raise Unsuitable("crashes")
        if found.status:
            raise Unsuitable(f"gives {found.status}")
        return found

    def instrumented(self) -> str:
        """Make the instrumented program, by inst-cc or by its parts."""
        self.rewritten = translate(self.assembly, self.target, self.options(), "fuzz.s")
        if self.manner.driver:
            return self._by_inst_cc()
        self.tools.assemble(self.rewritten, "traced.o")
        self.tools.link("traced.o", "traced", self.manner.library)
        return ""

    def options(self) -> Options:
        """Return what the translator is asked for."""
        manner = self.manner
        recorded = manner.hooks == RECORD
        return Options(
            manner.level, counter=manner.counter, functions=manner.functions, record=recorded
        )

    def _by_inst_cc(self) -> str:
        """Let inst-cc make the program; what it assembles has to be what we have."""
        kept = self.directory / "kept"
        build = self.build(self.manner.library, (f"--inst-keep={kept}",))
        compile_object(build, self.source, self.directory / "traced.o")
        link_program(build, [self.directory / "traced.o"], self.directory / "traced")
        assembled = (kept / str(self.directory / "traced.s").lstrip("/")).read_text(
            errors="surrogateescape"
        )
        # gcc runs in another directory there, which only debugging information names.
        if "-g" not in self.manner.flags and assembled != self.rewritten:
            return "inst-cc: it assembles another text than inst.translate gives"
        return ""

    def build(self, hooks: str, more: tuple[str, ...] = ()) -> Build:
        """Return the manner as inst-cc's command line has it."""
        words = self.tools.compiler()
        if self.manner.compiler.startswith("clang"):
            words = [w for w in words if w != "-fno-integrated-as"]
        options = (*more, *(() if self.manner.counter else ("--inst-no-sic=1",)))
        options += ("--inst-functions=1",) if self.manner.functions else ()
        target = replace(self.target, compiler=tuple(words))
        return Build(
            target, (self.manner.linked,), hooks=hooks, level=self.manner.level, options=options
        )

    def compared(self, expected: Result) -> str:
        """Run the instrumented program; return where it differs from the plain one."""
        found = run(self.directory / "traced", TRACED_SECONDS)
        if found == expected:
            return ""
        return f"output: the plain program gives {expected}, the instrumented one {found}"

    def verified(self) -> str:
        """Verify the rewritten text that was run."""
        problems = self._problems()
        return "verify: " + "\n".join(problems[:4]) if problems else ""

    def _problems(self) -> list[str]:
        if self.manner.functions:
            return verify_rewriting(self.assembly, self.target, self.options(), "fuzz.s")
        without, problems = self.rewritten, list[str]()
        if "inst.restore" in self.rewritten:
            without = translate(
                self.assembly, self.target, replace(self.options(), restores=False), "fuzz.s"
            )
            problems = verify_turns(self.assembly, without, self.rewritten, self.target)
        records = self.manner.hooks == RECORD
        level = self.manner.level
        return problems + verify(self.assembly, without, self.target, level, records=records)

    def true(self, plugins: Plugins) -> str:
        """Hold the trace against the emulator's record of what the program did."""
        hooks = RECORD if self.manner.hooks == RECORD else TRUTH_HOOKS[self.manner.level]
        self.tools.align_data("traced.o")
        self.tools.link("traced.o", "truth", hooks, mapped=True)
        traced, kind = self._binary("truth", "traced.o"), Path(hooks).stem
        if self.manner.events:
            verdict = check_threads(plugins, traced, self.directory, HANDLERS)
        else:
            plain = self._binary("plain", "plain.o")
            verdict = check_pair(plugins, plain, traced, self.directory, [], kind)
        problems = verdict.problems[:4]
        if not problems and not verdict.accesses:
            problems = ["the trace holds nothing"]
        return "truth: " + "\n".join(problems) if problems else ""

    def _binary(self, name: str, made: str) -> Binary:
        mapped = self.directory / f"{name}.map"
        return read_binary(self.directory / name, mapped, self.target.isa, [made], self.directory)


def run(program: Path, seconds: float) -> Result:
    """Run a program to its end.

    After so many seconds of CPU time SIGPROF ends it: that does not depend on what else runs.
    """
    done = subprocess.run(
        command_for(program, [], ("-0", "program")),
        capture_output=True,
        env={"INST_OUT": str(program.with_name("trace")), **emulated()},
        timeout=3600,
        preexec_fn=lambda: signal.setitimer(signal.ITIMER_PROF, seconds),
    )
    return Result(done.stdout, done.stderr, done.returncode)
