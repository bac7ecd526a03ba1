"""The filter `ihash`: Shade's numbers of instructions, from a file, in old traces."""

from __future__ import annotations

from pathlib import Path

import pytest
from filter_traces import BNE, END, HEADER, NOP, filtered, instr, load, refused

from inst.formats.rst.record import encode, encode_string

OLD = encode("header", majorVer=1, minorVer=9, percent=0x25, header_str="RST Header v1.9")
OLD += encode_string("arch=sparc-v8")


def test_instructions_get_the_numbers_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "shade.txt").write_text("# Shade's\nld 0x25\n\nbne 9  # any suffix\n")
    trace = OLD + load(0x10, 0x20, 3) + instr(BNE, 0x14, 0x20) + instr(NOP, 0x18)
    found = filtered(tmp_path, f"ihash {tmp_path / 'shade.txt'}", trace + END)
    numbers = [found[at + 2 : at + 4].hex() for at in range(0, len(found), 24) if found[at] == 3]
    assert numbers == ["0025", "0009", "0000"]
    changed = [at for at in range(len(found)) if found[at] != (trace + END)[at]]
    assert {at % 24 for at in changed} <= {2, 3}


def test_newer_versions_have_the_cpu_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shade.txt").write_text("ld 1\n")
    (tmp_path / "t.rst").write_bytes(HEADER + load(0x10, 0x20, 3))
    files = str(tmp_path / "t.rst"), str(tmp_path / "out.rst")
    said = refused(capsys, f"ihash {tmp_path / 'shade.txt'}", *files)
    assert not (tmp_path / "out.rst").exists()
    assert "version 2.13 has the cpu where the number would be" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ld 1\nst\n", "shade.txt:2:1: error: no name and 16-bit number"),
        ("ld 65536\n", "shade.txt:1:1: error: no name and 16-bit number"),
        ("ld x\n", "shade.txt:1:1: error: no name and 16-bit number"),
        ("ld 1\nld 2\n", "shade.txt:2:1: error: it is there twice"),
    ],
)
def test_bad_lines_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "shade.txt").write_text(text)
    (tmp_path / "t.rst").write_bytes(OLD + load(0x10, 0x20, 3))
    assert message in refused(capsys, f"ihash {tmp_path / 'shade.txt'}", str(tmp_path / "t.rst"))
    said = refused(capsys, f"ihash {tmp_path / 'none'}", str(tmp_path / "t.rst"))
    assert "none: error: cannot be read: No such file" in said
