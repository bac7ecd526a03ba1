"""Accesses that C decodes: atomics, multiple, string, conditional and block forms."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.build.library import build_library
from inst.target.targets import TARGETS

FILES = Path(__file__).parent / "files"
EVENT = re.compile(
    r"\((mem-\w+) \(id \d+\) \(tid 1\)(?: \(mem-order plain\))? \(address 0x(\w+)\)"
    r"((?: \(\w+ 0?x?\w+\))*) \(src 0x(\w+)\)\)"
)

# What, offset in `cells`, size, value; the access follows one after the other.
EXPECTED: dict[str, list[tuple[str, int, int, int | None]]] = {
    "sparc-v8": [
        ("mem-read", 1, 1, 0x22),
        ("mem-write", 1, 1, 0xFF),
        ("mem-read", 0, 4, 0x11FF3344),
        ("mem-write", 0, 4, -1),  # the address itself
        ("mem-write", 8, 4, 0),
        ("mem-read", 8, 4, 0),
    ],
    "sparc-v9": [
        ("mem-read", 0, 8, 0x1122334455667788),
        ("mem-write", 0, 8, 0x99AABBCCDDEEFF00),
        ("mem-read", 0, 4, 0x99AABBCC),
        ("mem-write", 8, 8, 0x55667788DDEEFF00),
        ("mem-read", 8, 8, 0x55667788DDEEFF00),
        ("mem-write", 16, 8, 0x1122334455667788),
        ("mem-write", 24, 8, 0x99AABBCCDDEEFF00),
        ("mem-write", 32, 8, 0x1122334455667788),
        ("mem-write", 32, 4, 0x88776655),
        ("mem-read", 0, 1, 0x99),
        ("mem-write", 40, 8, 0),
        ("mem-read", 40, 8, 0),
        ("mem-write", 64, 8, 0x1122334455667788),
        *(("mem-write", at, 8, 0) for at in range(72, 120, 8)),
        ("mem-write", 120, 8, 0x1112131415161718),
        ("mem-write", 0, 1, 0x11),
        ("mem-write", 7, 1, 0x88),
        ("mem-write", 2, 2, 0x3344),
        ("mem-write", 4, 2, 0x5566),
        ("mem-write", 0, 4, 0x01020304),
        ("mem-write", 0, 1, 0x88),
        ("mem-write", 6, 2, 0x2211),
        ("mem-read", 0, 8, 0x99AABBCCDDEEFF00),
        ("mem-read", 1, 1, 0xAA),
        ("mem-write", 1, 1, 0xFF),
        ("mem-read", 8, 8, 0x55667788DDEEFF00),
        ("mem-write", 8, 8, 0),
    ],
    "ppc32": [
        ("mem-read", 4, 4, 0x55667788),
        ("mem-read", 8, 4, 0x99AABBCC),
        ("mem-write", 8, 4, 0x55667788),
        ("mem-write", 12, 4, 0x99AABBCC),
        ("mem-read", 0, 4, 0x11223344),
        ("mem-read", 4, 1, 0x55),
        ("mem-read", 5, 1, 0x66),
        ("mem-read", 6, 1, 0x77),
        ("mem-reserve", 0, 4, None),
        ("mem-write", 0, 4, 0x11223345),
        ("mem-set", 64, 32, 0),
        ("mem-write", 2, 2, 0x3345),
        ("mem-read", 0, 4, 0x11223345),
    ],
}


for _name, _lowest_first in (("ppc64", False), ("ppc64le", True)):
    EXPECTED[_name] = [
        ("mem-read", 0, 8, 0x1122334455667788),
        ("mem-read", 8, 8, 0x99AABBCCDDEEFF00),
        ("mem-write", 32, 8, 0x5566778811223344 if _lowest_first else 0x1122334455667788),
        ("mem-write", 40, 8, 0xDDEEFF0099AABBCC if _lowest_first else 0x99AABBCCDDEEFF00),
        ("mem-read", 32, 8, 0x5566778811223344 if _lowest_first else 0x1122334455667788),
        ("mem-read", 40, 8, 0xDDEEFF0099AABBCC if _lowest_first else 0x99AABBCCDDEEFF00),
        ("mem-read", 20, 4, 0x40380000 if _lowest_first else 0),
        ("mem-read", 16, 8, 0x4038000000000000),
        ("mem-write", 24, 4, 0x41C00000),
        ("mem-read", 0, 8, 0x1122334455667788),
        ("mem-read", 0, 8, 0x1122334455667788),
        ("mem-read", 8, 8, 0x99AABBCCDDEEFF00),
        ("mem-write", 32, 8, 0x1122334455667788),
        ("mem-write", 40, 8, 0x99AABBCCDDEEFF00),
        ("mem-reserve", 0, 8, None),
        ("mem-write", 0, 8, 0x1122334455667789),
        ("mem-set", 128, 128, 0),
        ("mem-write", 2, 2, 0x7789),
        ("mem-read", 8, 8, 0x99AABBCCDDEEFF00),
        ("mem-read", 8, 8, 0x99AABBCCDDEEFF00),
    ]


# The third opcode of each SPARC instruction that is told, the number of its events apart.
OPERATIONS = {
    "sparc-v8": [0x0D, 0x0D, 0x0F, 0x0F, 0x25, 0x21],
    "sparc-v9": [
        *(0x3E, 0x3E, 0x3C, 0x07, 0x03, 0x26, 0x1E, 0x14, 0x33, 0x25, 0x21),
        *(8 * [0x37]),
        *(7 * [0x37]),
        *(0x0B, 0x0D, 0x0D, 0x3E, 0x3E),
    ],
}


def run(target_name: str, hooks: str, directory: Path) -> tuple[int, Path, Path]:
    """Run the program; return the address of its cells, its trace and itself."""
    target = TARGETS[target_name]
    library = build_library(hooks, list(target.compiler), target, False)
    program, out = directory / "rare", directory / "out"
    sources = [FILES / "rare.c", FILES / f"rare_{target.runtime}.s"]
    command = [
        *target.compiler,
        "-O1",
        "-static",
        "-no-pie",
        "-fno-pie",
        *sources,
        library,
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [target.emulator, program], env={"INST_OUT": str(out)}, capture_output=True, check=True
    )
    return int(done.stdout, 16), out, program


@pytest.mark.rotated("ppc32", "sparc-v8")
@pytest.mark.parametrize("target_name", TARGETS)
def test_each_access_is_told_with_its_value(target_name: str, tmp_path: Path) -> None:
    cells, out, _ = run(target_name, "sexp", tmp_path)
    seen: list[tuple[str, int, int, int | None]] = []
    places = []
    for kind, address, fields, source in EVENT.findall(out.read_text()):
        words = dict(re.findall(r"\((\w+) (\w+)\)", fields))
        size = int(words.get("size", "8"), 0)
        value = int(words["value"], 16) if "value" in words else None
        seen.append((kind, int(address, 16) - cells, size, -1 if value == cells else value))
        places.append(int(source, 16))
    assert seen == EXPECTED[target_name]
    assert places == sorted(places)


@pytest.mark.parametrize("target_name", TARGETS)
def test_the_address_is_that_of_the_instruction(target_name: str, tmp_path: Path) -> None:
    """RST copies the instruction from the reported address: it must always be an access."""
    _, out, _ = run(target_name, "rst", tmp_path)
    data = out.read_bytes()
    words = [
        int.from_bytes(data[at + 4 : at + 8], "big")
        for at in range(0, len(data), 24)
        if data[at] == 3
    ]
    if target_name in ("ppc64", "ppc64le"):
        assert [word >> 1 & 1023 if word >> 26 == 31 else -(word >> 26) for word in words] == [
            *(844, 908, 103, 71, 588, 652, 532, -56, -62),
            *(84, 214, 1014, -44, -58, -58),
        ]
    elif target_name == "ppc32":
        extended = {20: "lwarx", 150: "stwcx.", 597: "lswi", 1014: "dcbz"}
        plain = {32: "lwz", 44: "sth", 46: "lmw", 47: "stmw"}
        names = [
            extended[word >> 1 & 1023] if word >> 26 == 31 else plain[word >> 26] for word in words
        ]
        assert names == [
            *("lmw", "lmw", "stmw", "stmw", "lswi", "lswi", "lswi", "lswi"),
            *("lwarx", "stwcx.", "dcbz", "sth", "lwz"),
        ]
    else:
        assert [word >> 19 & 63 for word in words] == OPERATIONS[target_name]
        # bt marks the store half of an atomic access
        marks = [data[at + 1] & 4 for at in range(0, len(data), 24) if data[at] == 3]
        stores = [n > 0 and words[n - 1] == word for n, word in enumerate(words)]
        atomic = [word >> 19 & 63 in (0x0D, 0x0F, 0x3C, 0x3E) for word in words]
        assert marks == [4 * (both and one) for both, one in zip(stores, atomic, strict=True)]
