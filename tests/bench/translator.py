"""How fast the translator is: statements a second, start-up, its share of compilations.

    python -m tests.bench.translator parse|translate TARGET FILE.s...

prints one JSON object for the files; the bench calls it in a process of its own, so that
nothing is remembered from one measurement to the next.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from truth.harness import python_environment

from inst.target.targets import TARGETS, Target
from tests.bench import ROOT
from tests.bench.programs import PROGRAMS, WORK

SMALL_FILES = 50
"""How many small files are compiled one after another."""
_SMALL = """\
int a[4];
int f(int x) { a[x & 3] += x; return a[(x + 1) & 3]; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += f(i);
    return sum & 1;
}
"""


def measure_parsing(target: Target, texts: list[str]) -> dict[str, float]:
    """Return the statements there are, and how many are parsed in a second."""
    from inst.asm.model import Kind
    from inst.asm.operands import parse_operands
    from inst.asm.split import split

    start = time.process_time()
    statements = 0
    for text in texts:
        for statement in split(text, target.isa):
            if statement.kind not in (Kind.BLANK, Kind.OPAQUE):
                statements += 1
            if statement.kind == Kind.INSTRUCTION:
                parse_operands(statement.operands, target.isa)
    seconds = time.process_time() - start
    return {"statements": statements, "parse_per_second": round(statements / seconds)}


def measure_translation(target: Target, texts: list[str]) -> dict[str, float]:
    """Return the seconds that the whole translation takes, and the most memory."""
    from inst.translate import Options, translate

    start = time.process_time()
    for text in texts:
        translate(text, target, Options(), "bench.s")
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"translate_seconds": seconds, "peak_memory_kilobytes": memory}


def write_large_source(path: Path, functions: int = 350) -> Path:
    """Write a C file of many functions that work on arrays, structures and reals."""
    chance = random.Random(21)
    parts = ["struct item { int a, b; short c; double d; };\n"]
    parts.append("int words[1024]; struct item items[256]; unsigned char bytes[4096];\n")
    for number in range(functions):
        low, high = sorted(chance.sample(range(1, 200), 2))
        body = [f"    int sum = x + {chance.randrange(999)};\n"]
        places = {"low": low, "high": high, "call": chance.randrange(max(number, 1))}
        for _ in range(chance.randint(4, 10) if number else 0):
            places |= {"i": chance.randrange(256), "j": chance.randrange(1024)}
            body += ["    ", chance.choice(_STATEMENTS).format_map(places), "\n"]
        parts.append(f"int f{number}(int x)\n{{\n{''.join(body)}    return sum;\n}}\n")
    path.write_text("".join(parts))
    return path


_STATEMENTS = (
    "for (int n = {low}; n < {high}; n++) sum += words[n] * bytes[n + {i}];",
    "if (sum & {high}) items[{i}].a = sum - words[{j}]; else items[{i}].b += {low};",
    "items[{i}].d = items[sum & 255].d * {low}.5 + sum;",
    "while (sum > {j}) {{ sum -= words[sum & 1023]; bytes[{j}]++; if (sum & 1) break; }}",
    "switch (sum & 7) {{ case 1: sum += {i}; break; case 2: words[{j}] = sum; break;"
    " case 5: sum ^= items[{i}].c; break; default: sum--; }}",
    "sum += f{call}(words[{j}]) + items[{i}].c;",
    "for (struct item *p = items; p < items + {high}; p++) {{ p->c = sum; sum += p->b; }}",
)


def processor_time(command: list[str], **options: Any) -> float:
    """Return the processor time of a command and its children, in seconds."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, **options) as process:
        _, status, usage = os.wait4(process.pid, 0)  # others are measured at the same time
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]} gave {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def least_time(command: list[str], **options: Any) -> float:
    """Return the less of two times."""
    return min(processor_time(command, **options) for _ in range(2))


def measure_start() -> float:
    """Return the seconds that inst takes to say its version."""
    return least_time([sys.executable, "-m", "inst", "--version"], cwd=ROOT)


def measure_small(target: Target, directory: Path) -> dict[str, float]:
    """Return the times of small files over the plain compiler's, with and without a server."""
    directory.mkdir(parents=True, exist_ok=True)
    source = directory / "small.c"
    source.write_text(_SMALL)
    environment = python_environment() | {"INST_SERVER": ""}
    inst = [sys.executable, "-m", "inst"]
    found = {}
    for what, options in (("compile", ["-c"]), ("link", [])):
        made = str(directory / f"small.{what}")
        compiled = [*target.compiler, "-O2", *options, "-o", made, str(source)]
        times = ["sh", "-c", f'for n in {". " * SMALL_FILES}; do "$@" || exit; done', "sh"]
        plain = least_time([*times, *compiled], env=environment)
        started = least_time([*times, *inst[:2], "inst.wrap.cc", *compiled], env=environment)
        served = least_time([*inst, "build", *times, "inst-cc", *compiled], env=environment)
        found[f"small_{what}"] = round(started / plain, 1)
        found[f"small_{what}_served"] = round(served / plain, 1)
    return found


def measure_all(targets: list[str], jobs: int) -> dict[str, Any]:
    """Measure the translator for each target, and inst's start."""
    large = write_large_source(WORK / "large.c")
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda name: _measure_target(TARGETS[name], large), targets)
        measured = dict(zip(targets, found, strict=True))
    return {"targets": measured, "start": round(measure_start(), 3)}


def _measure_target(target: Target, large: Path) -> dict[str, Any]:
    """Measure the translator on what gcc makes of gzip, and on one large file."""
    listings = _listings(target)
    measured: dict[str, Any] = {}
    for what in ("parse", "translate"):
        command = [sys.executable, "-m", "tests.bench.translator", what, target.name, *listings]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        measured |= json.loads(done.stdout)
    seconds = measured["translate_seconds"]
    measured["translate_per_second"] = round(measured["statements"] / seconds)
    made = WORK / target.name / "large.o"
    command = [*target.compiler, "-O2", "-c", "-o", str(made), str(large)]
    environment = python_environment()
    plain = least_time(command, env=environment)
    traced = least_time([sys.executable, "-m", "inst.wrap.cc", *command], env=environment)
    measured |= {"compile_plain": round(plain, 2), "compile_traced": round(traced, 2)}
    measured["share"] = round((traced - plain) / traced, 3)
    measured |= measure_small(target, WORK / target.name / "small")
    return measured


def _listings(target: Target) -> list[str]:
    """Return the files of assembly that gcc makes of gzip."""
    directory = WORK / target.name / "listings"
    directory.mkdir(parents=True, exist_ok=True)
    sources = PROGRAMS["gzip"].sources(target)
    for file in sources.files:
        made = directory / f"{file.stem}.s"
        command = [*target.compiler, "-O2", "-g", *sources.flags, "-S", "-o", str(made), str(file)]
        subprocess.run(command, check=True)
    return [str(path) for path in sorted(directory.glob("*.s"))]


def as_markdown(results: dict[str, Any]) -> str:
    """Return the results as a table."""
    lines = [
        "## The translator",
        "",
        "| | statements | parsing, statements/s | translating, statements/s"
        " | share of one large compilation | peak memory"
        " | ten lines, compiled | within inst build | linked, too | within inst build |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {target} | {row['statements']} | {row['parse_per_second']:,} |"
        f" {row['translate_per_second']:,} | {row['share']:.0%} of {row['compile_traced']} s |"
        f" {row['peak_memory_kilobytes'] // 1024} MB |"
        f" {row['small_compile']} | {row['small_compile_served']} |"
        f" {row['small_link']} | {row['small_link_served']} |"
        for target, row in results["targets"].items()
    ]
    return "\n".join([*lines, "", f"Start-up (`inst --version`): {results['start']:.3f} s", ""])


def main(arguments: list[str]) -> int:
    """Measure the files named."""
    measure = measure_parsing if arguments[0] == "parse" else measure_translation
    texts = [Path(name).read_text() for name in arguments[2:]]
    print(json.dumps(measure(TARGETS[arguments[1]], texts)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
