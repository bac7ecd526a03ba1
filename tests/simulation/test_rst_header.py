"""The C header of RST, field by field, on hosts of both byte orders; the C reader beside ours."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inst.formats.rst import header as rst_header
from inst.formats.rst import record as rst
from inst.formats.rst.table import SIZE, TYPES, Field, RecordType
from inst.trace import open_trace

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "runtime" / "include"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-O1"]

HOSTS = {
    "little-endian": (["gcc"], []),
    "big-endian": (["powerpc-linux-gnu-gcc", "-static"], ["qemu-ppc"]),
}

VERSIONS = (1010, 2011, 2013)
ROUNDS = 12


def test_the_header_is_what_the_table_makes() -> None:
    made = rst_header.header()
    assert (INCLUDE / "inst" / "rst.h").read_text() == made
    assert max(map(len, made.splitlines())) <= 100


def test_hooks_state_no_constants_of_their_own() -> None:
    text = (INCLUDE / "inst" / "rst.h").read_text()
    known = {name.split("_", 1)[1] for name in re.findall(r"^ +(RST_\w+) =", text, re.MULTILINE)}
    known |= {name.split("_", 1)[1] for name in known if name.startswith(("KIND_", "FLAG_"))}
    for library in "rst", "record", "windows":
        for path in (ROOT / "hooks" / library).glob("*.[ch]"):
            enums = " ".join(re.findall(r"enum {([^}]*)}", path.read_text()))
            assert not known & set(re.findall(r"\w+", enums)), path


def _dump(kind: RecordType) -> str:
    """Return C that prints every field of a record, and what writing them to zeros gives."""
    lines = [f"static void dump_{kind.name}(const unsigned char *record, unsigned version)", "{"]
    lines += [f"    struct rst_{kind.name} it;", "    unsigned char again[RST_SIZE] = { 0 };"]
    lines.append(f"    rst_read_{kind.name}(record, version, &it);")
    for field in kind.fields:
        if field.text:
            lines.append(f"    print_text(it.{field.name});")
        else:
            lines.append(f'    printf(" %" PRIu64, (uint64_t)it.{field.name});')
    lines.append(f"    rst_write_{kind.name}(&it, version, again);")
    return "\n".join([*lines, "    print_bytes(again);", "}", ""])


def _program() -> str:
    known = [kind for kind in TYPES if kind.fields]
    cases = "\n".join(
        f"        if (record[0] == RST_{kind.name.upper()}"
        + (f" && record[1] >> 7 == {kind.variant}" if kind.variant is not None else "")
        + f")\n            dump_{kind.name}(record, version);"
        for kind in known
    )
    return f"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <inst/rst.h>
static void print_bytes(const unsigned char *bytes)
{{
    printf(" ");
    for (int n = 0; n < RST_SIZE; n++)
        printf("%02x", bytes[n]);
}}
static void print_text(const char *text)
{{
    printf(" \\"");
    while (*text)
        printf("%02x", (unsigned char)*text++);
    printf("\\"");
}}
{"".join(_dump(kind) for kind in known)}
int main(int argc, char **argv)
{{
    unsigned version = (unsigned)atoi(argv[argc - 1]);
    unsigned char record[RST_SIZE];
    while (fread(record, RST_SIZE, 1, stdin) == 1) {{
        printf("%d", record[0]);
{cases}
        printf("\\n");
    }}
    return 0;
}}
"""


def _shown(field: Field, value: int | str) -> str:
    return f'"{str(value).encode("latin-1").hex()}"' if field.text else str(value)


def _expected(raw: bytes, version: int) -> str:
    record = rst.RstRecord(0, raw, version)
    kind = record.type
    assert kind is not None
    if not kind.fields:
        return str(raw[0])
    fields = record.fields
    words = [_shown(field, fields[field.name]) for field in kind.fields]
    again = rst.encode(kind.name, version=version, **_encodable(kind, fields, version))
    return " ".join([str(raw[0]), *words, again.hex()])


def _encodable(
    kind: RecordType, fields: dict[str, int | str], version: int
) -> dict[str, int | str]:
    """Leave out the fields that a trace of that version has no room for."""
    return {field.name: fields[field.name] for field in kind.fields if field.parts_for(version)}


def _records() -> list[bytes]:
    """Return records of every type: random bits, all bits, no bits, full and empty texts."""
    chosen = random.Random(1995)
    found = []
    for kind in TYPES:
        for number in range(ROUNDS):
            body = chosen.randbytes(SIZE) if number else b"\xff" * SIZE
            body = bytes(SIZE) if number == 1 else body
            first = body[1] if kind.variant is None else body[1] & 0x7F | kind.variant << 7
            found.append(bytes([kind.code, first]) + body[2:])
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_every_field_of_every_record(
    host: str, tmp_path: Path, require: Callable[..., None]
) -> None:
    compiler, emulator = HOSTS[host]
    require(compiler[0], *emulator)
    source, program = tmp_path / "dump.c", tmp_path / "dump"
    source.write_text(_program())
    subprocess.run([*compiler, *STRICT, f"-I{INCLUDE}", source, "-o", program], check=True)
    records = _records()
    for version in VERSIONS:
        command = [*emulator, str(program), str(version)]
        run = subprocess.run(command, input=b"".join(records), capture_output=True, check=True)
        said = run.stdout.decode().splitlines()
        assert said == [_expected(record, version) for record in records]


def test_writing_keeps_what_no_field_covers(tmp_path: Path, require: Callable[..., None]) -> None:
    require("gcc")
    source, program = tmp_path / "keep.c", tmp_path / "keep"
    source.write_text("""
#include <stdio.h>
#include <string.h>
#include <inst/rst.h>
int main(void)
{
    unsigned char record[RST_SIZE];
    struct rst_cpu cpu = { 0x1234, 0x0102030405060708u };
    memset(record, 0xee, RST_SIZE);
    rst_write_cpu(&cpu, RST_CURRENT, record);
    return fwrite(record, RST_SIZE, 1, stdout) != 1;
}
""")
    subprocess.run(["gcc", *STRICT, f"-I{INCLUDE}", source, "-o", program], check=True)
    written = subprocess.run([program], capture_output=True, check=True).stdout
    expected = rst.encode("cpu", base=b"\xee" * SIZE, cpu=0x1234, timestamp=0x0102030405060708)
    assert written == expected


def test_bits_are_where_their_fields_are_read(tmp_path: Path, require: Callable[..., None]) -> None:
    require("gcc")
    source, program = tmp_path / "bits.c", tmp_path / "bits"
    text = (INCLUDE / "inst" / "rst.h").read_text()
    bits = set(re.findall(r"(RST_\w+) = 0x", text))
    fields = {
        name: (kind, field)
        for kind in TYPES
        for field in kind.fields
        if (name := f"RST_{kind.name}_{field.name}".upper()) in bits
    }
    assert len(bits) == len(fields) > 20
    tests = "".join(
        f"    {{\n        const unsigned char record[RST_SIZE] = {{ 0, {name} }};\n"
        f"        struct rst_{kind.name} it;\n"
        f"        rst_read_{kind.name}(record, RST_CURRENT, &it);\n"
        f'        if (it.{field.name} != 1)\n            return puts("{name}");\n    }}\n'
        for name, (kind, field) in fields.items()
    )
    body = f"int main(void)\n{{\n{tests}    return 0;\n}}\n"
    source.write_text(f"#include <stdio.h>\n#include <inst/rst.h>\n{body}")
    subprocess.run(["gcc", *STRICT, f"-I{INCLUDE}", source, "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, text=True).stdout == ""


def test_cpp_takes_the_header(tmp_path: Path, require: Callable[..., None]) -> None:
    require("clang")  # which has C++ without any library
    source = tmp_path / "plus.cpp"
    line = "unsigned version(unsigned char *record) { return rst_version(record); }"
    source.write_text(f"#include <inst/rst.h>\n{line}\n")
    command = ["clang", "-x", "c++", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", "-c"]
    subprocess.run([*command, source, "-o", tmp_path / "plus.o"], check=True)


@pytest.fixture(scope="module", params=[("gcc", "c", "c99"), ("g++", "cpp", "c++17")],
                ids=["c", "c++"])  # fmt: skip
def reader(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    require: Callable[..., None],
) -> Path:
    compiler, ending, language = request.param
    require(compiler)
    program = tmp_path_factory.mktemp("reader") / "rst_reader"
    source = ROOT / "examples" / f"rst_reader.{ending}"
    options = [f"-std={language}", *STRICT[1:], f"-I{INCLUDE}"]
    subprocess.run([compiler, *options, source, "-o", program], check=True)
    return program


def _ours(path: Path) -> str:
    """Return what the readers should print, from our own."""
    lines: list[str] = []
    instructions, others, joined = 0, 0, False
    for record in open_trace(path).records():
        fields = record.fields
        if record.name == "instr":
            where = f"{fields['cpuid']} {fields['pc_va']:x} {fields['instr']:08x}"
            address = f" [{fields['ea_va']:x}]" if fields["ea_valid"] else ""
            lines.append(f"{record.index} {where}{address}")
        elif record.name == "memval64" and joined:
            lines[-1] += f" {fields['val']:x}:{fields['size']}"
        elif record.name == "memval128" and joined:
            lines[-1] += f" {fields['val']:016x}{fields['val2']:016x}:16"
        joined = record.name == "instr" or (joined and record.rtype == 26)
        instructions += record.name == "instr"
        others += record.name != "instr"
    lines.append(f"{instructions} instructions, {others} other records")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("version", [(2, 10), (2, 13)])
def test_the_readers_read_what_ours_does(
    version: tuple[int, int], reader: Path, tmp_path: Path
) -> None:
    records = [rst.encode("header", majorVer=version[0], minorVer=version[1], percent=37)]
    kinds = (3, 26, 26, 22, 20, 11)  # INSTR, two MEMVAL, and others between
    chosen = random.Random(7)
    for _ in range(500):
        code = chosen.choice(kinds)
        records.append(bytes([code]) + chosen.randbytes(SIZE - 1))
    path = tmp_path / "trace.rst"
    path.write_bytes(b"".join(records))
    run = subprocess.run([reader, path], capture_output=True, text=True, check=True)
    assert run.stdout == _ours(path)
    assert run.stdout.count("[") > 20 and ":16" in run.stdout


def test_the_readers_read_a_program_s_trace(reader: Path, shell: Any) -> None:
    source = ROOT / "examples" / "basket.c"
    compiler = ["inst-cc", "powerpc-linux-gnu-gcc", "-O2", "-static"]
    shell.check(*compiler, source, "-o", "basket", INST_HOOKS="rst")
    shell.check("inst", "run", "-o", "basket.rst", "./basket")
    said = shell.check(reader, "basket.rst")
    assert said == _ours(shell.directory / "basket.rst")
    assert len(said.splitlines()) > 50


def test_the_readers_say_where_a_trace_breaks_off(reader: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.rst"
    path.write_bytes(rst.encode("header", majorVer=2, minorVer=13) + b"\x03" * 10)
    run = subprocess.run([reader, path], capture_output=True, text=True)
    assert run.returncode == 2
    assert "ends within record 1" in run.stderr
