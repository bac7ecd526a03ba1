"""Build a program plain and instrumented, run both under the emulator, compare all they say."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from inst.arch.registry import architecture
from inst.target.model import Targets
from inst.target.targets import Target
from inst.translate import Options, translate
from tests.warm import python
from truth import flat, recorded, rst, sexp, stf
from truth.binary import Binary, read_binary
from truth.canonical import CodeTable, TraceFeed, code_table, log_rows, whole_groups
from truth.compare import compare_rows, replay
from truth.emulator import (
    THIRD_ARGUMENTS,
    Array,
    Plugins,
    Result,
    Watch,
    code_extent,
    load_bias,
    memlog_option,
    read_log,
    run,
    unreported_words,
)
from truth.unreported import executions, take_count, unreported_sites, wrong_counts

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class Build:
    """How something is built: plain, or instrumented with a hook library at a level."""

    target: Target
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    hooks: str = ""
    """Empty: not instrumented. Also the C file of a library."""
    level: str = "values"
    """"values" or "addresses"; "loads" as well if it records."""
    options: tuple[str, ...] = ()
    """More options of inst-cc."""
    in_process: bool = False
    """Translate C in this process, which has imported the translator, and link by inst-cc."""
    record: bool = False
    """Record inline."""

    def compiler(self) -> list[str]:
        """Return the command that compiles and links."""
        own = [python(), "-m", "inst.wrap.cc"]
        level = "values" if self.record else self.level
        own += [f"--inst-hooks={self.hooks}", f"--inst-level={level}", *self.options]
        own += [f"--inst-record={self.level}"] if self.record else []
        return [*own, *self.target.compiler] if self.hooks else self.plain_compiler()

    def plain_compiler(self) -> list[str]:
        """Return the command of the compiler alone, for the same code."""
        targets = architecture(self.target.isa).part(Targets)
        required = targets.compiled_with(self.target.name, records=self.record)
        return [*self.target.compiler, *required]


@dataclass(slots=True)
class Verdict:
    """What a comparison found."""

    problems: list[str] = field(default_factory=list)
    accesses: int = 0
    """Rows that emulator and trace agree on."""
    bytes_loaded: int = 0
    bytes_checked: int = 0
    """Loaded bytes, and those of them whose value was known before."""
    bytes_saved: int = 0
    """Bytes that were others, which the processor may have saved of a register window."""
    unreported: str = ""
    """How many accesses the program says were not reported; "" if it says nothing."""
    plain: Result | None = None
    """The run of the plain program."""
    surprised: bool = False
    """One of these was not what any of the watched code had left there."""

    def summary(self) -> str:
        """Return "ok", or the first problems."""
        return "\n".join(self.problems[:8]) or "ok"


def python_environment() -> dict[str, str]:
    """Return an environment in which `python -m inst...` finds this checkout."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


_OBJECTS: dict[tuple[object, ...], bytes] = {}
"""Objects that were made: none depends on the hook library that it will be linked with."""


def compile_object(build: Build, source: Path, made: Path) -> None:
    """Compile one file, once for all libraries of hooks."""
    level = build.level if build.hooks else ""
    how = (build.target.name, build.flags, build.options, level, build.in_process, build.record)
    key = (*how, source, source.read_bytes())
    if key not in _OBJECTS:
        _compile(build, source, made)
        _OBJECTS[key] = made.read_bytes()
    made.write_bytes(_OBJECTS[key])


def _compile(build: Build, source: Path, made: Path) -> None:
    """Compile one file; an error is a RuntimeError with what the compiler said."""
    options = ["-std=gnu17", "-w", *build.flags]
    if not (build.hooks and build.in_process):
        _execute([*build.compiler(), *options, "-c", "-o", str(made), str(source)])
        return
    command = [*build.plain_compiler(), *options]
    text = _execute([*command, "-S", "-o", "-", str(source)])
    options_of = Options(build.level, record=build.record, counter=not build.record)
    text = translate(text, build.target, options_of, f"{source.stem}.s")
    _execute([*command, "-c", "-x", "assembler", "-o", str(made), "-"], text)


def link_program(build: Build, objects: list[Path], made: Path) -> Binary:
    """Link objects and read what came out."""
    names = [str(path) for path in objects]
    link_map = made.with_name(made.name + ".map")
    command = [*build.compiler(), *build.flags, "-o", str(made), *names, *build.libraries]
    _execute([*command, f"-Wl,-Map={link_map}"])
    return read_binary(made, link_map, build.target.isa, names)


def _execute(command: list[str], text: str = "") -> str:
    """Run a tool with a text as its input; return what it writes."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, env=python_environment()
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} gave {done.returncode}:\n{done.stderr}")
    return done.stdout


def check_program(
    plugins: Plugins,
    build: Build,
    source: Path,
    directory: Path,
    arguments: Iterable[str] = (),
    more: Iterable[Path] = (),
    alike: bool = True,
) -> Verdict:
    """Build a program from its files, plain and as `build` says, and hold them together.

    Not `alike`: what it does depends on its addresses, which are others in the two programs.
    """
    plain_build = Build(build.target, build.flags, build.libraries, record=build.record)
    sources = [source, *more]
    binaries = []
    for name, how in (("plain", plain_build), ("traced", build)):
        objects = [directory / f"{name}{n}.o" for n in range(len(sources))]
        for path, made in zip(sources, objects, strict=True):
            compile_object(how, path, made)
        binaries.append(link_program(how, objects, directory / name))
    hooks = Path(build.hooks).stem
    return check_pair(plugins, *binaries, directory, list(arguments), hooks, alike=alike)


def check_pair(
    plugins: Plugins,
    plain: Binary,
    traced: Binary,
    directory: Path,
    arguments: list[str],
    hooks: str = "rst",
    beside: tuple[tuple[int, int], ...] = (),
    alike: bool = True,
) -> Verdict:
    """Compare the runs of a plain program and of its instrumented form.

    `beside` are ranges of code in the instrumented one that are not traced, and that write what
    the traced code reads. Not `alike`: only their output is compared.
    """
    verdict = Verdict()
    # The linker makes additions of loads of addresses that the program has itself.
    local = {address for address, name in plain.entries.items() if name in traced.wrapped}
    plain = replace(plain, relaxed=plain.relaxed | local)
    verdict.problems += missing_sites(plain, traced)
    tables = (code_table(plain), code_table(traced))
    sites = sorted(traced.sites())
    plain_log, traced_log = directory / "plain.log", directory / "traced.log"
    trace = directory / f"trace.{hooks}"
    expected = [a for a in tables[0].addresses.tolist() if a not in plain.relaxed]
    before = watched(plugins, plain, plain_log, expected, arguments, {}, outside=False)
    environment = {"INST_OUT": str(trace)}
    beside = (*beside, *traced.writers)
    after = watched(plugins, traced, traced_log, sites, arguments, environment, True, beside)
    after, verdict.unreported = take_count(after)
    verdict.plain = before
    if before != after:
        verdict.problems.append(f"plain program gave {before}, instrumented one {after}")
    logs = (read_log(plain_log, plain.path), read_log(traced_log, traced.path))
    if alike:
        compare_shapes(verdict, logs, tables)
    if hooks in _READERS:
        counted = unreported_sites(traced)
        seen = executions(read_log(traced_log, traced.path), counted)
        verdict.problems += wrong_counts(trace, verdict.unreported, seen)
        held = _hold(traced, traced_log, trace, code_table(traced.without(counted)))
        if held.surprised:
            # A program that reads what it never set finds what hooks have left on the stack:
            # each of their stores is watched, too, which is slow.
            image = (code_extent(traced.path),)
            watched(plugins, traced, traced_log, [], arguments, environment, True, image)
            reported = set(sites) - counted
            held = _hold(traced, traced_log, trace, code_table(traced.only(reported)))
        held.unreported = verdict.unreported
        problems = verdict.problems + held.problems
        verdict = replace(held, problems=problems, plain=verdict.plain)
    return verdict


def _hold(traced: Binary, log: Path, trace: Path, table: CodeTable) -> Verdict:
    held, bias = Verdict(), load_bias(log, traced.path)
    compare_trace(held, traced, read_log(log, traced.path), bias, trace, table)
    return held


def watched(
    plugins: Plugins,
    binary: Binary,
    log: Path,
    addresses: list[int] | None,
    arguments: list[str],
    environment: dict[str, str],
    outside: bool,
    beside: tuple[tuple[int, int], ...] = (),
) -> Result:
    """Run a program and log what the instructions at these addresses do; None: what all do."""
    words = unreported_words(binary.isa, binary.little)
    ranges = None if addresses is None else [*((a, a + 4) for a in addresses), *beside]
    watch = Watch(ranges, outside, words, THIRD_ARGUMENTS[binary.isa])
    option = memlog_option(plugins, binary.path, log, watch)
    return run(binary.path, arguments, option, environment)


_SHAPE = np.dtype([("pc", "u8"), ("shape", "u4"), ("size", "u2"), ("store", "u1")])


def compare_shapes(
    verdict: Verdict,
    logs: tuple[Iterable[Array], Iterable[Array]],
    tables: tuple[CodeTable, CodeTable],
) -> None:
    """Compare what plain and instrumented code did, by the emulator's logs of both."""
    sides = [_shapes(log, table) for log, table in zip(logs, tables, strict=True)]
    names = ("plain code", "instrumented code")
    _, differences = compare_rows(names, *sides, ("shape", "size", "store"))
    verdict.problems += [d.text for d in differences]


def _shapes(log: Iterable[Array], table: CodeTable) -> Iterator[Array]:
    """Yield what the user's code did, by instruction and not by address."""
    for batch in whole_groups(log, table):
        rows, _ = log_rows(batch, table)
        made = np.zeros(len(rows), _SHAPE)
        for name in ("pc", "size", "store"):
            made[name] = rows[name]
        made["shape"] = table.shape[table.find(rows["pc"])[0]] if len(rows) else 0
        yield made


def missing_sites(plain: Binary, traced: Binary, ignored: int = 0) -> list[str]:
    """Compare, function by function, the accesses of the plain code with the sites.

    `ignored` has the bits of instruction words that do not count. This does not ask the site table
    what there is to instrument: an access that the translator left out is missing here even if it
    never runs.
    """
    sites = traced.sites()
    problems = []
    for name, ranges in plain.functions.items():
        wanted = _access_shapes(plain, ranges, None, ignored)
        found = _access_shapes(traced, traced.functions.get(name, []), sites, ignored)
        lost, others = wanted - found, found - wanted
        if traced.isa == "sparc":
            lost -= _with_keepers(lost, others)
        for word, count in lost.items():
            problems.append(f"{name}: {count} access(es) like {word:#010x} without a site")
    return problems


def _with_keepers(lost: Counter[int], others: Counter[int]) -> Counter[int]:
    """Return those accesses by the registers of SPARC's sites that are there by other registers.

    Each is matched with an access of its own, which another may have to make free for it.
    """
    words, left = list(lost.elements()), list(others.elements())
    taken: dict[int, int] = {}

    def find(number: int, seen: set[int]) -> bool:
        fields = _by_site_registers(words[number])
        for place, other in enumerate(left):
            if place in seen or not fields or (other ^ words[number]) & ~fields:
                continue
            seen.add(place)
            if place not in taken or find(taken[place], seen):
                taken[place] = number
                return True
        return False

    return Counter(words[number] for number in range(len(words)) if find(number, set()))


def _by_site_registers(word: int) -> int:
    """Return the fields of a word of SPARC that name %g5 or %g6."""
    places = (25, 14) if word & 1 << 13 else (25, 14, 0)
    return sum(31 << at for at in places if word >> at & 31 in (5, 6))


def _access_shapes(
    binary: Binary, ranges: Iterable[tuple[int, int]], among: set[int] | None, ignored: int
) -> Counter[int]:
    found: Counter[int] = Counter()
    for low, high in ranges:
        for address in range(low, high, 4):
            if binary.memory(address) is None or address in binary.relaxed:
                continue
            if among is None or address in among:
                found[binary.shape(address) & ~ignored] += 1
    return found


def compare_trace(
    verdict: Verdict,
    binary: Binary,
    log: Iterable[Array],
    bias: int,
    trace: Path,
    table: CodeTable,
) -> None:
    """Hold the trace against the emulator's log, event for event, and replay its values."""
    batches = _READERS[trace.name.split(".")[1]](trace)
    feed = TraceFeed(as_linked(batches, bias, binary.runs), table)
    for batch in whole_groups(log, table):
        rows, elsewhere = log_rows(batch, table)
        part = feed.take(len(rows))
        agreed, differences = compare_rows(NAMES, [rows], [part.rows], COLUMNS)
        verdict.accesses += agreed
        verdict.problems += [d.text for d in differences] + part.problems
        if verdict.problems:
            return
        windows = table.finds_windows(part.events)
        found = replay(part.events, part.stores, part.row, elsewhere, windows, binary.little)
        verdict.problems += [d.text for d in found.differences]
        verdict.surprised |= bool(found.differences)
        verdict.bytes_checked += found.checked
        verdict.bytes_saved += found.saved
        verdict.bytes_loaded += int(part.events["size"][~part.stores].sum())
    rest = feed.take(1)
    if len(rest.rows):
        verdict.problems.append(f"the trace goes on after the emulator's log: {rest.rows[0]}")
    if verdict.bytes_saved * _SAVED_AT_MOST > verdict.bytes_checked:
        verdict.surprised = True
        verdict.problems.append(
            f"{verdict.bytes_saved} of {verdict.bytes_checked} bytes, loaded where frames are, are "
            "not what was last there"
        )


_SAVED_AT_MOST = 1000
"""One byte in so many may be what the processor saved of a register window: programs seldom load
what they have not set."""


_READERS = {
    "rst": rst.read_events,
    "sexp": sexp.read_events,
    "stf": stf.read_events,
    "flat": flat.read_events,
    "record": recorded.read_events,
    "windows": recorded.read_events,
}
COLUMNS = ("pc", "address", "size", "store")
NAMES = ("emulator", "trace")


def as_linked(batches: Iterable[Array], bias: int, runs: dict[int, int]) -> Iterator[Array]:
    """Yield events where their instructions ran, in terms of the linked program.

    An event at what runs in the place of a site is at no instruction of the program.
    """
    moved = dict.fromkeys(runs.values(), 0) | runs
    before = np.array(sorted(moved) or [0], "u8")
    after = np.array([moved.get(at, 0) for at in before.tolist()], "u8")
    for batch in batches:
        batch["pc"] -= np.uint64(bias)
        index = np.minimum(np.searchsorted(before, batch["pc"]), len(before) - 1)
        batch["pc"] = np.where(before[index] == batch["pc"], after[index], batch["pc"])
        yield batch
