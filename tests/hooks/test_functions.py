"""enterhook and leavehook: each call once, each way out, and nothing without the option."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.program.program import Program
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from inst.translate import Options, translate
from tests.truth.harness import python_environment
from tests.verify.verify import verify_rewriting
from tests.warm import python

HERE = Path(__file__).parent
PARTS = (("unoptimised", "-O0"), ("optimised", "-O2"), ("small", "-Os -fPIC"))
ABANDONED = 6
"""Calls of `jumps` in each part, which longjmp ends."""


def build(directory: Path, target: str, hooks: str) -> Path:
    """Compile the file in three ways and link them to one program."""
    wrapper = [python(), "-m", "inst.wrap.cc", "--inst-functions", f"--inst-hooks={hooks}"]
    command = [*wrapper, *TARGETS[target].compiler, "-w", "-static"]
    objects = []
    for part, flags in PARTS:
        objects.append(str(directory / f"{part}.o"))
        more = ["-DMAIN"] if part == "optimised" else []
        source = [*more, f"-DPART={part}", "-c", str(HERE / "functions.c"), "-o", objects[-1]]
        subprocess.run([*command, *flags.split(), *source], check=True, env=python_environment())
    made = directory / f"program-{Path(hooks).stem}"
    subprocess.run([*command, *objects, "-o", str(made)], check=True, env=python_environment())
    return made


def run(program: Path) -> subprocess.CompletedProcess[str]:
    command = command_for(program, [])
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


@pytest.mark.parametrize("target", TARGETS)
def test_every_call_is_entered_and_left(target: str, tmp_path: Path) -> None:
    """As often as the program itself counts; only what longjmp ends is entered and never left."""
    program = build(tmp_path, target, str(HERE / "functions_hooks.c"))
    done = run(program)
    calls = int(re.findall(r"(\d+) calls", done.stdout)[0])
    assert calls > 3 * 60
    ended = ABANDONED * len(PARTS)
    last = done.stderr.splitlines()[-1]
    assert last == f"entered {calls} left {calls - ended} abandoned {ended} wrong 0 running 0"
    table = Program(program)
    places = [[int(word, 16) for word in line.split()] for line in done.stderr.splitlines()[:8]]
    found = [(table.function(at), table.function(caller)[0]) for at, caller in places]
    assert all(offset == 0 for (_, offset), _ in found)
    names = [(name.removeprefix("unoptimised_"), by) for (name, _), by in found]
    own = "unoptimised_all"
    assert names[1:] == [
        ("all", "main"),
        ("leaf", own),
        ("cond", own),
        ("cond", own),
        ("leaf", "unoptimised_cond"),
        ("tail", own),
        ("leaf", "unoptimised_tail"),
    ]
    assert run(build(tmp_path, target, "empty")).stdout == done.stdout


TRACED = """volatile int total;
__attribute__((noipa)) void leaf(int n) { total += n; }
__attribute__((noipa)) void outer(int n) { leaf(n); leaf(n); }
int main(void) { total = 1; outer(1); return total - 3; }
"""


@pytest.mark.rotated("ppc32")
@pytest.mark.parametrize("kind", ["rst", "sexp", "rec"])
@pytest.mark.parametrize("target", TARGETS)
def test_traces_have_entries_and_exits(target: str, kind: str, tmp_path: Path) -> None:
    """Each with its function, the stack pointer at its entry and where it returns to.

    The second call of leaf is a tail call: outer is left before it.
    """
    source, made, trace = tmp_path / "traced.c", tmp_path / "traced", tmp_path / f"trace.{kind}"
    source.write_text(TRACED)
    how = "--inst-record=values" if kind == "rec" else f"--inst-hooks={kind}"
    wrapper = [python(), "-m", "inst.wrap.cc", "--inst-functions", how]
    command = [*wrapper, *TARGETS[target].compiler, "-O2", "-static", str(source), "-o", str(made)]
    subprocess.run(command, check=True, env=python_environment())
    run_with = {**python_environment(), "INST_OUT": str(trace)}
    subprocess.run(command_for(made, []), check=True, env=run_with, timeout=60)
    table, found, stacks = Program(made), [], []
    for event in open_trace(trace).objects():
        if event.kind in (Kind.ENTER, Kind.LEAVE):
            assert event.pc is not None and event.value is not None and event.address is not None
            here, there = table.function(event.pc)[0], table.function(event.value)
            found.append((event.kind.name.lower(), here, there[0]))
            assert event.kind == Kind.ENTER or there[1] == 0
            if event.kind == Kind.ENTER:
                stacks.append(event.address)
            else:
                assert event.address == stacks.pop()
    called = [("enter", "leaf", "outer"), ("leave", "leaf", "leaf")]
    last = [("leave", "outer", "outer"), ("enter", "leaf", "main"), ("leave", "leaf", "leaf")]
    assert found[1:] == [("enter", "outer", "main"), *called, *last, ("leave", "main", "main")]
    assert (found[0][:2], stacks) == (("enter", "main"), [])


SETTERS = """unsigned value; unsigned short narrow; unsigned old = 5;
void set(unsigned *to, unsigned with);
void set_narrow(unsigned short *to, unsigned with);
void set_by_another(unsigned *to, unsigned with);
__asm__("\\t.text\\n\\t.type set,#function\\nset:\\tretl\\n\\tst %o1,[%o0]\\n\\t.size set,.-set\\n"
        "\\t.type set_narrow,#function\\nset_narrow:\\tretl\\n\\tsth %o1,[%o0]\\n"
        "\\t.size set_narrow,.-set_narrow\\n"
        "\\t.type set_by_another,#function\\nset_by_another:\\tba set_narrow\\n"
        "\\tst %o1,[%o0]\\n\\t.size set_by_another,.-set_by_another\\n");
int main(void)
{
    set(&value, 1);
    set_narrow(&narrow, 3);
    set_by_another(&old, 7);
    return 0;
}
"""


@pytest.mark.parametrize("target", ["sparc-v8", "sparc-v9"])
def test_stores_in_the_slots_of_exits(target: str, tmp_path: Path) -> None:
    """Each is at its own place, whatever else is inserted before the exit."""
    source, made, trace = tmp_path / "set.c", tmp_path / "set", tmp_path / "trace"
    source.write_text(SETTERS)
    wrapper = [python(), "-m", "inst.wrap.cc", "--inst-functions", "--inst-hooks=rst"]
    command = [*wrapper, *TARGETS[target].compiler, "-O2", "-static", str(source), "-o", str(made)]
    subprocess.run(command, check=True, env=python_environment())
    run_with = {**python_environment(), "INST_OUT": str(trace)}
    subprocess.run(command_for(made, []), check=True, env=run_with, timeout=60)
    program = Program(made)
    sites = {site.address: site for site in program.sites()}
    stores = []
    for event in open_trace(trace).objects():
        if event.kind == Kind.WRITE:
            name = program.function(event.pc or 0)[0]
            assert sites[event.pc or 0].event.startswith("st"), name
            stores.append((name, event.size, event.value))
    assert [one for one in stores if one[0] != "main"] == [
        ("set", 4, 1),
        ("set_narrow", 2, 3),
        ("set_by_another", 4, 7),
        ("set_narrow", 2, 7),
    ]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("flags", ["-O2", "-Os -g"])
def test_the_rewritten_file_does_what_it_did(target: str, flags: str) -> None:
    """The verifier follows all ways through the calls, and without the option there are none."""
    command = [*TARGETS[target].compiler, *flags.split(), "-w", "-DPART=x", "-DMAIN", "-S", "-o-"]
    source = subprocess.run(
        [*command, str(HERE / "functions.c")], capture_output=True, text=True, check=True
    ).stdout
    assert verify_rewriting(source, TARGETS[target], Options(functions=True), "f.s", ()) == []
    assert "inst.enter" not in translate(source, TARGETS[target], Options(), "f.s")


@pytest.mark.parametrize("target", TARGETS)
def test_a_backtrace_is_what_the_program_knows(target: str, tmp_path: Path) -> None:
    """The return addresses of all calls, in leaf functions, after longjmp and in a thread."""
    wrapper = [python(), "-m", "inst.wrap.cc", "--inst-functions"]
    hooks = f"--inst-hooks={HERE / 'functions_hooks.c'}"
    made = tmp_path / "chain"
    command = [*wrapper, hooks, *TARGETS[target].compiler, "-w", "-O2", "-static", "-pthread"]
    source = [str(HERE / "chain.c"), "-o", str(made)]
    subprocess.run([*command, *source], check=True, env=python_environment())
    done = run(made)
    seen, wrong = map(int, re.findall(r"seen (\d+) different (\d+)", done.stderr)[0])
    assert (done.stdout, wrong) == ("done\n", 0)
    assert seen == 2 * (12 * 4 + 1 + 8 + 2) + 1
