"""`inst replay --states`: windows executed alone, without what comes before them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from inst.cli import main
from inst.formats.rec import taking
from inst.formats.rec.states import Control, Hooked, Left, Mark, Place, State, ThreadState
from inst.formats.rec.states_file import ENDING, States
from inst.formats.rec.trace import RecTrace
from inst.replay.machine import WHOLE_LIMIT, Machine, Stop
from tests.conftest import ROOT, Shell
from tests.trace.rec.alone import alone, in_one_go, states_of
from tests.trace.rec.several import SIZE, SOURCE, instructions, recorded, replayed
from tests.trace.rec.test_rec_reexecution import STORM, THREADS, THROWING

CONTEXTS = ROOT / "tests/truth/programs/contexts.c"
CAMPAIGN = pytest.mark.campaign
PROGRAMS = {
    "sorting": (SOURCE, "main.c", "sparc-v8"),
    "threads": (THREADS, "main.c", "ppc32"),
    "signals": (STORM.replace("hits < 150", "hits < 30"), "main.c", "ppc32"),
    "exceptions": (THROWING, "main.cc", "sparc-v9"),
    "contexts": (CONTEXTS.read_text(), "main.c", "ppc64le"),
}
"""Their sources, the names of these, and a target."""
TARGETS = {
    "ppc32": "powerpc-linux-gnu-",
    "ppc64": "powerpc64-linux-gnu-",
    "ppc64le": "powerpc64le-linux-gnu-",
    "sparc-v8": "sparc64-linux-gnu- -m32 -mcpu=v8",
    "sparc-v9": "sparc64-linux-gnu-",
}
MOST = 12
"""Windows of a program that are executed alone, at random."""


@pytest.fixture(scope="module")
def recording(commands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(commands, tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def record(recording: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recording, tmp_path / "t.rec"))


CASES = [
    pytest.param(compiler, source, name, id=f"{target}-{program}", marks=marks)
    for program, (source, name, first) in PROGRAMS.items()
    for target, compiler in TARGETS.items()
    for marks in [() if target == first else CAMPAIGN]
]
"""All programs on all targets; all but one of each for the campaign."""


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(("compiler", "source", "name"), CASES)
def test_windows_alone_are_those_of_one_go(
    shell: Shell, compiler: str, source: str, name: str
) -> None:
    """In any order; the last state of each is the first of the next one."""
    (shell.directory / name).write_text(source)
    prefix, *options = compiler.split()
    command = [f"{prefix}{'g++' if name.endswith('.cc') else 'gcc'}", *options, "-O1", name]
    shell.check("inst-cc", "--inst-record=loads", *command, "-pthread", "-o", "main")
    shell.check("inst", "run", "-o", "main.rec", "./main")
    path = shell.directory / "main.rec"
    whole = in_one_go(path)
    states = states_of(path, len(whole.pc) // 53 + 1)
    assert states.executed == len(whole.pc)
    assert len(states) > 40
    rng = random.Random(7)
    for number in rng.sample(range(len(states)), MOST):
        start, end = states.bounds(number)
        found, registers = alone(path, states, start, end)
        assert found == whole.part(start, end)
        if end < states.executed:
            assert registers == states.read(number + 1).registers
    start = rng.randrange(states.executed // 2)
    end = start + states.executed // 5
    assert alone(path, states, start, end)[0] == whole.part(start, end)


def test_traces_of_windows_are_the_same_with_states(record: Path) -> None:
    options = ("-m", "--whole", "--window-size", str(SIZE))
    whole = replayed(record, "-m", "--whole")
    alone = [replayed(record, *options, "--window", str(number)) for number in range(5)]
    part = replayed(record, "-s", "900", "-t", "2100")
    states_of(record, 300)
    for number in random.Random(3).sample(range(5), 5):
        assert replayed(record, *options, "--window", str(number)) == alone[number]
    assert replayed(record, "-j", "2", *options) == whole
    assert replayed(record, "-s", "900", "-t", "2100") == part
    assert replayed(record, "-s", "900", "-t", "2100", "-j", "2", "--window-size", "250") == part
    assert instructions(replayed(record, "-s", "99999", "-j", "2")) == []


def test_windows_are_those_of_the_states(record: Path) -> None:
    """Unless their size is given."""
    whole = instructions(replayed(record))
    assert instructions(replayed(record, "--window", "1")) == []
    size, states = SIZE // 2, states_of(record, SIZE // 2)
    assert instructions(replayed(record, "--window", "1")) == whole[size : 2 * size]
    part = instructions(replayed(record, "--window", "1..3", "-j", "2"))
    assert part == whole[size : 4 * size]
    last = len(states) - 1
    assert instructions(replayed(record, "--window", f"{last}..99")) == whole[last * size :]
    assert instructions(replayed(record, "--window", str(last + 1))) == []
    found = replayed(record, "--window", "1", "--window-size", "100")
    assert instructions(found) == whole[100:200]


def test_nothing_before_a_window_is_executed(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, counts = Machine.run, [0]

    def counted(self: Machine, limit: int = WHOLE_LIMIT) -> Stop:
        stop = run(self, limit)
        counts[-1] += stop.executed
        return stop

    monkeypatch.setattr(Machine, "run", counted)
    options = ("--window", "4", "--window-size", str(SIZE))
    replayed(record, *options)
    assert counts[-1] > 4 * SIZE
    states_of(record, SIZE)
    counts.append(0)
    replayed(record, *options)
    assert counts[-1] <= SIZE + 1


def test_processes_of_windows_execute_nothing_before_them(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, counts = Machine.run, tmp_path / "counts"

    def counted(self: Machine, limit: int = WHOLE_LIMIT) -> Stop:
        stop = run(self, limit)
        with counts.open("a") as file:
            file.write(f"{stop.executed}\n")
        return stop

    states_of(record, SIZE)
    monkeypatch.setattr(Machine, "run", counted)
    whole = len(instructions(replayed(record, "-j", "2", "--window-size", str(SIZE))))
    windows = -(-whole // SIZE)
    assert windows > 4
    executed = sum(map(int, counts.read_text().split()))
    assert whole <= executed <= whole + windows


def test_a_state_is_found_by_number_count_and_record(record: Path, shell: Shell) -> None:
    states = states_of(record, SIZE)
    assert [states.bounds(number)[0] for number in range(3)] == [0, SIZE, 2 * SIZE]
    assert [states.by_count(count) for count in (0, SIZE - 1, SIZE)] == [0, 0, 1]
    whole = instructions(replayed(record))
    for number in (2, 3):
        first = states.read(number).records
        assert states.by_record(first) == number
        assert states.by_record(first - 1) == number - 1
        made = instructions(replayed(record, "--record", str(first)))
        assert made == whole[number * SIZE : (number + 1) * SIZE]
        shown = shell.check("inst", "view", "--record", str(first), "--context", "2", str(record))
        row = shown[shown.index(">") :].partition("[0x")[2]
        assert any(row[8:16].encode() in line for line in made[:50])


def test_a_damaged_state_is_named_and_others_are_executed(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--window-size", str(SIZE))
    whole = replayed(record)
    alone = replayed(record, "--window", "1", *options)
    states = states_of(record, SIZE)
    data = bytearray(states.path.read_bytes())
    row = states._rows[3]
    data[row.offset + row.size // 2] ^= 1
    states.path.write_bytes(data)
    assert replayed(record, "--window", "1", *options) == alone
    capsys.readouterr()
    assert main(["replay", str(record), "--window", "3", *options]) == 2
    assert f"is damaged: the state of instruction {3 * SIZE}, at byte" in capsys.readouterr().err
    found = replayed(record, "-j", "2", "--partial", *options, status=2)
    assert whole.startswith(found)
    assert len(instructions(found)) == 3 * SIZE
    assert "is damaged: the state" in capsys.readouterr().err


def test_states_before_damage_are_written_wherever_it_is(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, path = record.read_bytes(), Path(f"{record}{ENDING}")
    for place in range(len(data) // 16, len(data), len(data) // 8):
        record.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert main(["replay", "--states", "--partial", str(record)]) == 2, place
        assert "damaged" in capsys.readouterr().err
        executed = States(path).executed
        part = instructions(replayed(record, "-j", "2", "--partial", status=2 * (not executed)))
        assert len(part) == executed
        path.unlink()


LOADING = """
static volatile int table[64];
int main(void)
{
    int sum = 0;
    for (int n = 0; n < 200000; n++)
        sum += table[n & 63];
    return sum;
}
"""
"""Its values take several chunks of the recording."""


def test_windows_of_which_nothing_is_damaged_are_executed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(taking, "WINDOW", 1 << 16)
    (shell.directory / "main.c").write_text(LOADING)
    compiler = ["inst-cc", "--inst-record=loads", "powerpc-linux-gnu-gcc", "-O1"]
    shell.check(*compiler, "main.c", "-o", "main")
    shell.check("inst", "run", "-o", "main.rec", "./main")
    path = shell.directory / "main.rec"
    states = states_of(path, 100_000)
    options = ("--window-size", "20000", "--window")
    whole = [replayed(path, *options, one) for one in ("1", "2")]
    with path.open("rb") as stream:
        _, index = RecTrace(str(path), stream).opened()
        chunks = [head.chunk for head in index.threads[0].heads]
    assert len(chunks) > 3
    data = bytearray(path.read_bytes())
    data[data.index(b"CHNK" + chunks[2].to_bytes(4, "big")) + 26] ^= 1
    path.write_bytes(data)
    assert [replayed(path, *options, one) for one in ("1", "2")] == whole
    made = f"{path}.stf"
    status = [
        main(["replay", str(path), "-o", made, *options, str(5 * one)])
        for one in range(len(states))
    ]
    assert status[0] == status[-1] == 0
    assert 2 in status
    capsys.readouterr()
    bad = 100_000 * status.index(2)
    part = ("-s", str(bad), "-t", str(bad + 40000), "--window-size", "20000", "-j", "2")
    assert main(["replay", str(path), "-o", made, *part]) == 2
    error = capsys.readouterr().err
    assert "a frame of a packed recording is damaged" in error
    assert f"instructions {bad} to {bad + 20000} are not whole" in error


DAMAGE = {
    "cut": "is not a file of states, or is cut",
    "letters": "is not a file of states, or is cut",
    "version": "was written by another version of inst",
    "index": "is damaged: the index",
}


@pytest.mark.parametrize("change", DAMAGE)
def test_a_damaged_file_of_states_is_refused(
    record: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    path = states_of(record, SIZE).path
    data = bytearray(path.read_bytes())
    if change == "cut":
        del data[-9:]
    else:
        data[{"letters": 0, "version": 8, "index": -60}[change]] ^= 1
    path.write_bytes(data)
    assert main(["replay", str(record), "-o", f"{record}.stf", "--window", "1"]) == 2
    error = capsys.readouterr().err
    assert f"{path} {DAMAGE[change]}" in error
    assert "`inst replay --states` writes it again" in error


def test_states_of_another_recording_are_not_used(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--window", "1", "--window-size", str(SIZE))
    alone = replayed(record, *options)
    states_of(record, SIZE)
    record.write_bytes(record.read_bytes() + b"\0")
    shutil.copy(record, record.with_name("other.rec"))
    record.write_bytes(record.read_bytes()[:-1])
    Path(f"{record}{ENDING}").rename(record.with_name(f"other.rec{ENDING}"))
    capsys.readouterr()
    other = record.with_name("other.rec")
    main(["replay", str(other), "-o", f"{record}.stf", *options])
    assert "is of another recording" in capsys.readouterr().err
    assert replayed(record, *options) == alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--states", "-r"), "--general is not for --states"),
        (("--states", "-j", "2"), "--jobs is not for --states"),
        (("--record", "3"), "--record needs the states of"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    record: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(["replay", str(record), *options]) != 0
    assert message in capsys.readouterr().err
    assert not Path(f"{record}{ENDING}").exists()


def test_a_packed_state_has_all_of_a_threads_control() -> None:
    hook = Hooked(site=0x10010, pc=0x1000C, address=0x20000)
    left = Left(0, 0x7F00, b"\1\2", (3, 4), 8, begins=True, hooked=hook, in_glue=True, place=5)
    control = Control(
        executed=7, left=(left, Left(0x10020, 0x7E00)), is_outside=True, hooked=hook,
        called_glue=6, cursor=0x30000, resumed=(4, None), left_out=2, ended=True,
    )  # fmt: skip
    thread = ThreadState(
        1, True, 2, 3, Place(Mark(), 4), 5, 6, 7, True, b"\3", control, [8], own=(16, 24)
    )
    state = State(7, 9, {"r1": 1}, [thread], [2])
    again = State.unpacked(state.packed())
    assert again == state
    assert isinstance(again.threads[0].control.left[0].hooked, Hooked)


@pytest.mark.parametrize(("cursor", "known"), [(0, [8, 24]), (16, [8, 16, 17, 24])])
def test_a_thread_is_given_where_it_records_when_it_loads_that(
    cursor: int, known: list[int]
) -> None:
    """Not what is there at a later state, which would come back in a window before it."""
    control = Control(
        executed=0, left=(), is_outside=False, hooked=Hooked(), called_glue=0, cursor=cursor,
        resumed=(0, None), left_out=0, ended=False,
    )  # fmt: skip
    thread = ThreadState(1, True, 2, 3, Place(Mark(), 4), 5, 6, 7, True, b"", control, [])
    thread.set_memory(np.array([8], "u8"), np.array([1], "u1"))
    thread.add_memory(np.array([16, 17, 24], "u8"), np.array([2, 3, 4], "u1"), (16, 24))
    assert thread.memory()[0].tolist() == known
