"""The counter, the register windows and the stack check, held to what the emulator executed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from truth.emulator import build_plugins, count_instructions
from truth.harness import python_environment

from inst.errors import InstError
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from inst.wrap.options import BY_NAME, value
from tests.conftest import require_tools
from tests.warm import python

FILES = Path(__file__).resolve().parent / "files"
HOSTILE = FILES.parent.parent / "runtime" / "files" / "hostile.c"
COUNTED = tuple(sorted(TARGETS))
WINDOWED = ("sparc-v8", "sparc-v9")
OPTIMISATIONS = ("-O0", "-O2")


def _build(target: Target, source: Path, made: Path, *options: str, flags: str = "-O2") -> Path:
    require_tools(target.compiler[0], target.emulator)
    own = [python(), "-m", "inst.wrap.cc", *options] if options else []
    command = [*own, *target.compiler, *flags.split(), "-static", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, env=python_environment())
    assert done.returncode == 0, done.stderr
    return made


def _run(program: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**python_environment(), **variables}
    command = command_for(program, list(words))
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def _told(program: Path, directory: Path) -> list[int]:
    out = directory / "told.txt"
    done = _run(program, INST_OUT=str(out))
    assert done.returncode == 0, done.stderr
    return [int(word) for word in out.read_text().split()]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", COUNTED)
def test_one_count_over_runs_and_none_without(name: str, tmp_path: Path) -> None:
    """Ten runs count the same, and with NO_SIC nothing is counted."""
    target, hooks = TARGETS[name], f"--inst-hooks={FILES / 'turns.c'}"
    program = _build(target, FILES / "walks.c", tmp_path / "walks", hooks)
    counts = {tuple(_told(program, tmp_path)) for _ in range(10)}
    assert len(counts) == 1
    counted, _saves, _restores, wrong = counts.pop()
    assert counted > 500
    assert wrong == 0
    without = _build(target, FILES / "walks.c", tmp_path / "off", hooks, "--inst-no-sic")
    assert _told(without, tmp_path)[0] == 0
    plain = _build(target, FILES / "walks.c", tmp_path / "plain")
    assert _run(plain).stdout == _run(program, INST_OUT="/dev/null").stdout


@pytest.mark.parametrize("flag", OPTIMISATIONS)
@pytest.mark.parametrize("name", WINDOWED)
def test_each_turn_of_the_window_is_told(name: str, flag: str, tmp_path: Path) -> None:
    """As many restores as saves, each with the window of the frame it comes back to."""
    target, hooks = TARGETS[name], f"--inst-hooks={FILES / 'turns.c'}"
    program = _build(target, FILES / "walks.c", tmp_path / "walks", hooks, flags=flag)
    _, saves, restores, wrong = _told(program, tmp_path)
    assert saves > 100
    assert saves == restores
    assert wrong == 0


@pytest.mark.parametrize("words", [("store",), ("load", "too")], ids=lambda words: words[0])
@pytest.mark.parametrize("name", WINDOWED)
def test_stack_check_stops_the_program(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """An access to a save area is reported with its site and both frames, and is fatal."""
    target = TARGETS[name]
    options = ("--inst-hooks=empty", "--inst-stack-check")
    program = _build(target, FILES / "bug.c", tmp_path / "bug", *options)
    assert _run(program).returncode == 0
    done = _run(program, *words)
    assert done.returncode == -6
    first, second, third = done.stderr.splitlines()[:3]
    assert (
        f"{target.bits // 8} bytes {'stored' if words[0] == 'store' else 'loaded'} at 0x" in first
    )
    assert "accessing frame" in second
    assert "frame it belongs to" in third
    unchecked = _build(target, FILES / "bug.c", tmp_path / "off", *options, "--inst-no-stack")
    assert "stack check" not in _run(unchecked, *words).stderr


def test_stack_check_is_refused_where_accesses_are_recorded(tmp_path: Path) -> None:
    """Such accesses call no hook, and only large frames are reported."""
    target, options = TARGETS["sparc-v8"], ("--inst-record=values", "--inst-stack-check")
    with pytest.raises(AssertionError, match="does not see accesses that are recorded inline"):
        _build(target, FILES / "bug.c", tmp_path / "bug", *options)


@pytest.mark.parametrize("flag", OPTIMISATIONS)
@pytest.mark.parametrize("name", WINDOWED)
def test_stack_check_says_nothing_of_sound_programs(name: str, flag: str, tmp_path: Path) -> None:
    """Longjmp out of deep frames and alloca in loops leave no mark behind."""
    target = TARGETS[name]
    options = ("--inst-hooks=empty", "--inst-stack-check")
    program = _build(target, FILES / "leaving.c", tmp_path / "leaving", *options, flags=flag)
    plain = _build(target, FILES / "leaving.c", tmp_path / "plain", flags=flag)
    done = _run(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == _run(plain).stdout


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", COUNTED)
def test_saving_everything_changes_nothing(name: str, tmp_path: Path) -> None:
    """ALWAYS_SR and ALWAYS_CC cost instructions, and the counts stay what they were."""
    target, hooks = TARGETS[name], f"--inst-hooks={FILES / 'turns.c'}"
    always = ("--inst-always-sr", "--inst-always-cc")
    usual = _build(target, FILES / "walks.c", tmp_path / "usual", hooks)
    saving = _build(target, FILES / "walks.c", tmp_path / "saving", hooks, *always)
    assert _told(usual, tmp_path) == _told(saving, tmp_path)
    plugins = build_plugins(tmp_path)
    costs = [
        count_instructions(plugins, program, (), tmp_path / "count", {"INST_OUT": "/dev/null"})[0]
        for program in (usual, saving)
    ]
    assert costs[0] * 1.1 < costs[1]


@pytest.mark.parametrize("name", COUNTED)
def test_hooks_may_change_what_any_function_may(name: str, tmp_path: Path) -> None:
    """Floating-point and vector registers, too: also at the end of a window, here each count."""
    target, hooks = TARGETS[name], f"--inst-hooks={HOSTILE}"
    program = _build(target, FILES / "floats.c", tmp_path / "floats", hooks)
    assert _run(program).stdout == "144 972 7048.14\n"


def test_restores_leave_delay_slots() -> None:
    """What a transfer reads is renamed to the window behind its restore."""
    source = (
        "\tsave %sp,-96,%sp\n\tcall f\n\trestore\n"
        "\tjmpl %i7+12,%g0\n\trestore %g0,1,%o0\n\tjmp %g1\n\trestore\n"
        '\tbne,a 1f\n\trestore\n1:\tretl\n\tnop\n\t.ident "GCC: (test)"\n'
    )
    text = translate(source, TARGETS["sparc-v8"], Options(counter=False))
    assert "mov %o7,%g5; call f" in text
    assert "jmpl %o7+12,%g0" in text
    assert "jmp %g1" in text
    assert "be .Linst1; nop" in text


def test_a_jump_for_whose_target_no_register_is_free_goes_by_the_stack() -> None:
    """What was accepted without restorehook is accepted with it: from glibc's dl-trampoline."""
    source = "\tsave %sp,-96,%sp\n\tjmp %o0+%o1\n\trestore %g1,%g2,%g3\n"
    text = translate(source, TARGETS["sparc-v8"], Options(counter=False))
    assert "add %o0,%o1,%g5; restore %g1,%g2,%g3; add %sp,-112,%sp; st %g5,[%sp+96]" in text
    assert "ld [%sp+96],%g5; jmp %g5\n\tadd %sp,112,%sp" in text


@pytest.mark.parametrize(
    "transfer", ["call f\n\trestore %o7,0,%g1", "jmpl %i7+8,%g1\n\trestore %g1,1,%o0"]
)
def test_a_restore_that_depends_on_its_transfer_is_left_alone(transfer: str) -> None:
    """Its registers are known only behind the transfer."""
    source = f"\tsave %sp,-96,%sp\n\t{transfer}\n"
    text = translate(source, TARGETS["sparc-v8"], Options(counter=False, frames=False))
    assert text == source


def test_registers_of_hand_written_code_wait_on_the_stack() -> None:
    """A loop that keeps a value in %g5 is counted as any other, and %g5 outlives the count."""
    source = "1:\tsubcc %g5,1,%g5\n\tbne 1b\n\tnop\n\tretl\n\tmov %g6,%o0\n"
    text = translate(source, TARGETS["sparc-v8"], Options())
    assert "st %g5,[%sp+96]; st %g6,[%sp+100]; st %o7,[%sp+104]; call inst.window.x" in text
    assert "ld [%sp+96],%g5; ld [%sp+100],%g6; ld [%sp+104],%o7; add %sp,112,%sp; bne 1b" in text


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", COUNTED)
def test_count_tells_windows_registers_and_signals(name: str, tmp_path: Path) -> None:
    """The library `count` has a row for each of these hooks."""
    target, source = TARGETS[name], FILES / "signalled.c"
    program = _build(target, source, tmp_path / "counted", "--inst-hooks=count")
    rows = dict(line.split() for line in _run(program).stderr.splitlines())
    turns = _build(target, source, tmp_path / "turns", f"--inst-hooks={FILES / 'turns.c'}")
    counted, saves, restores, _ = _told(turns, tmp_path)
    assert int(rows["window"]) == counted // 10000 > 0
    assert (int(rows["save"]), int(rows["restore"])) == (saves, restores)
    assert int(rows["signal"]) == 7


def test_no_slots_leaves_labels_on_slots() -> None:
    """A branch target in a delay slot is doubled, or left as it is."""
    source = "\tba 1f\n2:\tmov 1,%o0\n1:\tld [%o1],%o2\n\tba 2b\n\tnop\n"
    target = TARGETS["sparc-v8"]
    opened = translate(source, target, Options(counter=False))
    left = translate(source, target, Options(counter=False, check_slots=False))
    assert opened.count("mov 1,%o0") == 2
    assert left.count("mov 1,%o0") == 1


def test_no_slots_keeps_distances() -> None:
    """Only slots are left as they are: a distance from a call stays right as the code grows."""
    source = "1:\tcall .+8\n\tld [%o0],%o1\n\tadd %o7,t-1b,%o2\nt:\tnop\n"
    for check_slots in (True, False):
        options = Options(counter=False, check_slots=check_slots)
        assert "%hi(t-.Lhere1)" in translate(source, TARGETS["sparc-v8"], options)


def test_no_regs_refuses_nothing() -> None:
    """Code that keeps a value in %g5 is refused, or instrumented all the same."""
    source = "\tld [%o0],%o1\n\tretl\n\tadd %g5,%o1,%o0\n"
    target = TARGETS["sparc-v8"]
    with pytest.raises(InstError, match="in use here"):
        translate(source, target, Options())
    assert "call inst.ldw.o1" in translate(source, target, Options(check_registers=False))


@pytest.mark.parametrize(
    ("variable", "text", "option", "expected"),
    [
        ("TFILE", "sexp", "hooks", "sexp"),
        ("TLIB", "vanilla", "libc", "vanilla"),
        ("BUILDING_LIBC", "1", "building-libc", "1"),
        ("TT_USEGCC", "1", "use-gcc", "1"),
        ("NO_SIC", "", "no-sic", "1"),
        ("NO_STACK", "", "no-stack", "1"),
        ("NO_SLOTS", "", "no-slots", "1"),
        ("NO_REGS", "", "no-regs", "1"),
        ("ALWAYS_SR", "", "always-sr", "1"),
        ("ALWAYS_CC", "", "always-cc", "1"),
    ],
)
def test_classic_variables_are_heard(variable: str, text: str, option: str, expected: str) -> None:
    """Each says what its option says, unless the variable with a prefix does."""
    assert value(option, {variable: text}) == expected
    assert value(option, {variable: text, BY_NAME[option].variable: "x"}) == "x"
