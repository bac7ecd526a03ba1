"""The cost bench: what instrumented programs and the translator cost, beside the peers.

    python tests/bench/run.py

writes build/bench.md and build/bench.json and prints the tables.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "bench")]

from elftools.elf.elffile import ELFFile  # noqa: E402
from peers import VARIANTS, Variant, compiler_of  # noqa: E402
from translator import least_time, measure_start, processor_time, write_large_source  # noqa: E402
from truth.emulator import Plugins, build_plugins, count_instructions  # noqa: E402
from truth.gzip_truth import NO_REMAKE, configure, fetch_source, make_data  # noqa: E402
from truth.harness import python_environment  # noqa: E402

from inst.target.emulator import command_for  # noqa: E402
from inst.target.targets import TARGETS, Target  # noqa: E402

WORK = ROOT / "build" / "bench"
PROGRAMS = ("gzip", "sorting", "matrix")
SCALE = {"sorting": 60, "matrix": 300}
GZIP_BYTES = 1 << 18
_REPEATS = 3


def build_program(name: str, variant: Variant, target: Target) -> Path:
    """Build one variant of a program from scratch."""
    compiler = compiler_of(variant, target, WORK / "peers")
    directory = WORK / target.name / name / variant.name.replace(" ", "_").replace("/", "_")
    shutil.rmtree(directory, ignore_errors=True)
    if name == "gzip":
        return _build_gzip(compiler, target, directory)
    directory.mkdir(parents=True)
    source = ROOT / "tests" / "truth" / "programs" / f"{name}.c"
    words = [*compiler.split(), "-O2", "-std=gnu17", f"-DSCALE={SCALE[name]}"]
    _run([*words, "-c", "-o", "program.o", str(source)], directory)
    _run([*words, "-o", "program", "program.o"], directory)
    return directory / "program"


def _build_gzip(compiler: str, target: Target, directory: Path) -> Path:
    source = fetch_source("gzip", ROOT / "build" / "gzip")
    configured = WORK / target.name / "gzip-configured"
    configure(source, configured, target, " ".join(target.compiler), "-O2")
    shutil.copytree(configured, directory)
    _run(["make", *NO_REMAKE, "clean"], directory)  # the translator's measurement has made it
    _run(["make", *NO_REMAKE, f"CC={compiler}"], directory)
    return directory / "gzip"


def _run(command: list[str], directory: Path) -> None:
    done = subprocess.run(
        command, cwd=directory, env=python_environment(), capture_output=True, text=True
    )
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise RuntimeError(f"{' '.join(command)[:200]} gave {done.returncode}:\n{tail}")


def measure_program(plugins: Plugins, name: str, program: Path, arguments: list[str]) -> Any:
    """Return instructions, processor seconds and bytes of code of one build, and its output."""
    trace = WORK / "trace.out"
    environment = {"INST_OUT": str(trace)}
    count, result = count_instructions(plugins, program, arguments, WORK / "count", environment)
    trace_bytes = trace.stat().st_size if trace.exists() else 0
    command = command_for(program, arguments)
    seconds = min(
        processor_time(command, env={**python_environment(), **environment})
        for _ in range(_REPEATS)
    )
    trace.unlink(missing_ok=True)
    with program.open("rb") as stream:
        text = ELFFile(stream).get_section_by_name(".text")["sh_size"]
    return {
        "instructions": count,
        "seconds": round(seconds, 3),
        "text": text,
        "trace_bytes": trace_bytes,
        "output": hash((result.status, result.output)),
    }


def measure_target(plugins: Plugins, target: Target) -> dict[str, dict[str, Any]]:
    """Build and measure everything for a target; what cannot be built says why."""
    data = make_data(WORK / "data", GZIP_BYTES)
    measured: dict[str, dict[str, Any]] = {}
    for name in PROGRAMS:
        rows: dict[str, Any] = {}
        for variant in VARIANTS:
            try:
                program = build_program(name, variant, target)
            except RuntimeError as error:
                rows[variant.name] = {"error": str(error)}
                continue
            arguments = ["-nc", str(data)] if name == "gzip" else []
            rows[variant.name] = measure_program(plugins, name, program, arguments)
            print(f"  {target.name} {name} {variant.name}", file=sys.stderr)
        measured[name] = rows
        _add_ratios(rows)
    return measured


def _add_ratios(rows: dict[str, Any]) -> None:
    for variant in VARIANTS:
        row, base = rows[variant.name], rows.get(variant.against)
        if base is None or "error" in row or "error" in base:
            continue
        for key in ("instructions", "seconds", "text"):
            row[f"{key}_ratio"] = round(row[key] / base[key], 2)
        row["same_output"] = row["output"] == base["output"]


def measure_translator(target: Target) -> dict[str, Any]:
    """Measure the translator on gcc's output for gzip, and on one large file."""
    configured = WORK / target.name / "gzip-configured"
    source = fetch_source("gzip", ROOT / "build" / "gzip")
    listings = WORK / target.name / "listings"
    listings.mkdir(parents=True, exist_ok=True)
    includes = ["-DHAVE_CONFIG_H", "-I.", "-Ilib", f"-I{source}", f"-I{source}/lib"]
    _run(["make", *NO_REMAKE], configured)
    for file in sorted(source.glob("*.c")):
        if file.name != "dfltcc.c":
            made = listings / f"{file.stem}.s"
            command = [*target.compiler, "-O2", "-g", *includes, "-S", "-o", str(made), str(file)]
            _run(command, configured)
    script = ROOT / "tests" / "bench" / "translator.py"
    files = [str(path) for path in sorted(listings.glob("*.s"))]
    measured: dict[str, Any] = {}
    for what in ("parse", "translate"):
        done = subprocess.run(
            [sys.executable, str(script), what, target.name, *files],
            capture_output=True,
            text=True,
            check=True,
            env=python_environment(),
        )
        measured |= json.loads(done.stdout)
    seconds = measured["translate_seconds"]
    measured["translate_per_second"] = round(measured["statements"] / seconds)
    large = write_large_source(WORK / "large.c")
    compile_words = ["-O2", "-c", "-o", str(WORK / "large.o"), str(large)]
    environment = python_environment()
    plain = least_time([*target.compiler, *compile_words], env=environment)
    inst = [*compiler_of(VARIANTS[2], target, WORK).split(), *compile_words]
    traced = least_time(inst, env=environment)
    measured |= {"compile_plain": round(plain, 2), "compile_traced": round(traced, 2)}
    measured["share"] = round((traced - plain) / traced, 3)
    return measured


def as_markdown(results: dict[str, Any]) -> str:
    """Return the results as tables."""
    lines = ["# What inst costs", ""]
    for target, programs in results["programs"].items():
        lines += [f"## {target}: executed instructions over the plain build's", ""]
        lines += [f"| | {' | '.join(programs)} | processor time (qemu) | code size |"]
        lines += ["|---|" + "---|" * (len(programs) + 2)]
        for variant in VARIANTS:
            rows = [programs[name][variant.name] for name in programs]
            cells = [_cell(row, "instructions", variant) for row in rows]
            cells.append(", ".join(_cell(row, "seconds", variant) for row in rows))
            cells.append(", ".join(_cell(row, "text", variant) for row in rows))
            lines.append(f"| {variant.name} | {' | '.join(cells)} |")
        lines.append("")
    lines += [
        "Ratios of clang's instrumented build are over clang's plain build. The peers report no",
        "accesses to variables on the stack whose address is not taken, and no values.",
        "",
        "## The translator",
        "",
        "| | statements | parsing, statements/s | translating, statements/s"
        " | share of one large compilation | peak memory |",
        "|---|---|---|---|---|---|",
    ]
    for target, row in results["translator"].items():
        lines.append(
            f"| {target} | {row['statements']} | {row['parse_per_second']:,} |"
            f" {row['translate_per_second']:,} | {row['share']:.0%} of {row['compile_traced']} s |"
            f" {row['peak_memory_kilobytes'] // 1024} MB |"
        )
    lines += ["", f"Start-up (`inst --version`): {results['start']:.3f} s", ""]
    return "\n".join(lines)


def _cell(row: dict[str, Any], key: str, variant: Variant) -> str:
    if "error" in row:
        return "not built"
    ratio = row.get(f"{key}_ratio")
    if ratio is None or variant.name == variant.against:
        return f"{row[key]:,}" if variant.name in ("plain", "clang, plain") else "-"
    return f"{ratio}" if row["same_output"] else f"{ratio} (other output)"


def main() -> int:
    """Measure and write the results."""
    WORK.mkdir(parents=True, exist_ok=True)
    plugins = build_plugins(WORK)
    names = sys.argv[1:] or sorted(TARGETS)
    results: dict[str, Any] = {"programs": {}, "translator": {}}
    for name in names:
        results["programs"][name] = measure_target(plugins, TARGETS[name])
        results["translator"][name] = measure_translator(TARGETS[name])
    results["start"] = round(measure_start(), 3)
    text = as_markdown(results)
    (ROOT / "build" / "bench.json").write_text(json.dumps(results, indent=2) + "\n")
    (ROOT / "build" / "bench.md").write_text(text)
    print(text)
    print("Written to build/bench.md and build/bench.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
