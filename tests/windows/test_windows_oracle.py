"""The counter and restorehook against what the emulator executed.

What is to be counted is found in the plain program, its branches decoded by capstone; how
often each ran is the emulator's record. The same for restores, in the instrumented program.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import capstone
import pytest
from truth.binary import Binary
from truth.emulator import Plugins, Watch, build_plugins, memlog_option, read_log, run
from truth.harness import Build, compile_object, link_program

from inst.target.targets import TARGETS, Target
from tests.conftest import require_tools

FILES = Path(__file__).resolve().parent / "files"
PROGRAMS = FILES.parent.parent / "truth" / "programs"
COUNTED = ("callbacks", "computed_goto", "switches", "tail_calls")
RESTORING = ("long_jumps", "recursion", "struct_return", "nested_functions")
ANY_WORD = "00000000:00000000"
_OUT_OF_LINE = re.compile(r"_(save|rest)([gf]pr|gpr[01])_\d+|__sparc_get_pc_thunk")
_MODES = {
    ("sparc", 32): (capstone.CS_ARCH_SPARC, capstone.CS_MODE_BIG_ENDIAN),
    ("sparc", 64): (capstone.CS_ARCH_SPARC, capstone.CS_MODE_BIG_ENDIAN | capstone.CS_MODE_V9),
    ("powerpc", 32): (capstone.CS_ARCH_PPC, capstone.CS_MODE_32 | capstone.CS_MODE_BIG_ENDIAN),
    ("powerpc", 64): (capstone.CS_ARCH_PPC, capstone.CS_MODE_64 | capstone.CS_MODE_BIG_ENDIAN),
}
WINDOWED = ("sparc-v8", "sparc-v9")


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """The emulator plugins, compiled for this machine."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))


def _linked(target: Target, flags: tuple[str, ...], hooks: str, sources: list[Path]) -> Binary:
    """Build a program in the current directory from files that may each have a main."""
    require_tools(target.compiler[0], target.emulator)
    objects = []
    made = Path(f"{'traced' if hooks else 'plain'}{''.join(flags)}")
    for number, source in enumerate(sources):
        renamed = (f"-Dmain=main{number}",) if number else ()
        build = Build(target, (*flags, *renamed), hooks=hooks)
        objects.append(Path(f"{made}-{source.stem}.o"))
        compile_object(build, source, objects[-1])
    return link_program(Build(target, (*flags, "-static"), hooks=hooks), objects, made)


def _driver(names: Iterable[str], directory: Path) -> list[Path]:
    """Return the files of a program that runs the main of each of several programs."""
    sources = [FILES / "walks.c" if n == "walks" else PROGRAMS / f"{n}.c" for n in names]
    numbers = range(1, len(sources) + 1)
    declared = "".join(f"int main{n}(void);\n" for n in numbers)
    called = " ".join(f"main{n}();" for n in numbers)
    driver = directory / "driver.c"
    driver.write_text(f"{declared}int main(void) {{ {called} return 0; }}\n")
    return [driver, *sources]


def _executed(plugins: Plugins, binary: Binary, places: list[tuple[int, int]]) -> list[int]:
    """Return the addresses in these ranges as the emulator executed them.

    A restore whose window had to be filled first starts anew: it is executed once.
    """
    log = Path(f"{binary.path}.log")
    option = memlog_option(plugins, binary.path, log, Watch(places, words=(ANY_WORD,)))
    result = run(binary.path, (), option, {"INST_OUT": f"{binary.path}.told"})
    assert result.status == 0, result.errors
    found: list[int] = []
    for batch in read_log(log, binary.path):
        found += batch["pc"][(batch["size"] == 0) & (batch["pc"] != 0)].tolist()
    again = [n and found[n - 1] == address for n, address in enumerate(found)]
    return [
        a for a, twice in zip(found, again, strict=True) if not (twice and _restores(binary, a))
    ]


def _restores(binary: Binary, address: int) -> bool:
    return binary.isa == "sparc" and binary.code[address] & 0xC1F80000 == 0x81E80000


def _told(binary: Binary) -> list[int]:
    return [int(word) for word in Path(f"{binary.path}.told").read_text().split()]


def _counted_places(binary: Binary) -> Iterator[int]:
    """Yield the addresses of calls, of branches not forward, and of computed jumps."""
    decoder = capstone.Cs(*_MODES[binary.isa, binary.bits])
    decoder.detail = True
    ranges = [(low, high) for found in binary.functions.values() for low, high in found]
    names = _names(binary.path)
    is_counted = _sparc_counted if binary.isa == "sparc" else _powerpc_counted
    for address, word in binary.code.items():
        for one in decoder.disasm(word.to_bytes(4, "big"), address):
            _low, high = next(((a, b) for a, b in ranges if a <= address < b), (0, 0))
            target = one.operands[-1].imm if one.operands and one.operands[-1].type == 2 else -1
            back = target >= 0 and not address < target < high
            thunk = bool(_OUT_OF_LINE.match(names.get(target, "")))
            if not thunk and is_counted(one, back, target):
                yield address


def _sparc_counted(one: capstone.CsInsn, back: bool, target: int) -> bool:
    if one.mnemonic == "call":
        return target != one.address + 8
    if one.mnemonic in ("jmp", "jmpl"):
        return not re.match(r"%[io]7\s*\+", one.op_str)
    return capstone.CS_GRP_JUMP in one.groups and back


def _powerpc_counted(one: capstone.CsInsn, back: bool, target: int) -> bool:
    mnemonic = one.mnemonic.rstrip("+-")
    if mnemonic in ("bl", "bctrl", "blrl", "bctr"):
        return target != one.address + 4
    if mnemonic.endswith("lr"):
        return False
    return (capstone.CS_GRP_JUMP in one.groups or mnemonic == "b") and back


def _names(program: Path) -> dict[int, str]:
    said = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in said.stdout.splitlines()]
    return {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[1] in "tTwW"}


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("sparc-v8", "-O2"),
        ("sparc-v9", "-O2"),
        ("ppc32", "-Os"),
        ("ppc64", "-O2"),
        ("ppc64le", "-Os"),
    ],
)
def test_counter_is_what_the_emulator_executed(
    plugins: Plugins, name: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each execution of a backward branch, a call or a computed jump is counted, no other."""
    monkeypatch.chdir(tmp_path)
    flags = (flag, "-fno-reorder-blocks-and-partition")
    sources = _driver(("walks", *COUNTED), tmp_path)
    plain = _linked(TARGETS[name], flags, "", sources)
    places = list(_counted_places(plain))
    executed = len(_executed(plugins, plain, [(place, place + 4) for place in places]))
    traced = _linked(TARGETS[name], flags, str(FILES / "turns.c"), sources)
    done = run(traced.path, environment={"INST_OUT": f"{traced.path}.told"})
    assert done.output == run(plain.path).output
    assert _told(traced)[0] == executed
    assert executed > 1500


def _restores_told(
    plugins: Plugins, name: str, flag: str, sources: list[Path], hooks: str
) -> tuple[int, list[int]]:
    """Return how many restores of the program's own code ran, and what its hooks wrote."""
    traced = _linked(TARGETS[name], (flag, "-fno-pic"), str(FILES / hooks), sources)
    executed = _executed(plugins, traced, [(piece.low, piece.high) for piece in traced.pieces])
    return sum(_restores(traced, address) for address in executed), _told(traced)


@pytest.mark.parametrize("flag", ["-O0", "-O2"])
@pytest.mark.parametrize("name", WINDOWED)
def test_restorehook_is_told_of_each_restore(
    plugins: Plugins, name: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaf returns, recursion, tail calls and longjmp: as many calls as executed restores."""
    monkeypatch.chdir(tmp_path)
    executed, told = _restores_told(plugins, name, flag, _driver(RESTORING, tmp_path), "turns.c")
    assert told[2] == executed
    assert executed > 50


@pytest.mark.parametrize("name", WINDOWED)
def test_restorehook_gets_the_sixteen_registers(
    plugins: Plugins, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that fills every window knows what each restore must bring back."""
    monkeypatch.chdir(tmp_path)
    sources = [FILES / "witness_main.c", FILES / "witness.S"]
    executed, (restores, compared, wrong) = _restores_told(
        plugins, name, "-O1", sources, "witness_hooks.c"
    )
    assert restores == executed
    assert wrong == 0
    assert compared == 3 * 43
    assert run(Path("traced-O1-fno-pic")).output.split() == [str(3 * 5 * 10).encode()]
