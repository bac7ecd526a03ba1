"""Which traces break-before-make speaks of without being named: those of page tables.

Any program may say that it has initialised memory (INST_MEM_INIT of inst/annotate.h): that alone
is no page table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.check import Options, check_trace
from inst.cli import main
from inst.formats.sexp.trace import SexpTrace
from inst.trace import open_trace
from tests.check.short import NAME, codes, split, text_of

BUFFER = "init 5000 40; p 5000 1; r 5000 1; 1: p 5008 2; p 7ffe0000 3; p 7ffe0008 4; free 5000 40"
"""A buffer that is initialised, used and freed, and stores elsewhere, as on the stack."""
_HINT_OF_THREADS = "(hint (id 90) (tid 0) (kind happens_before) (location 0x21) (value 0x0))\n"


def _codes(text: str, chunk: int = 0, keep_going: bool = False) -> list[str]:
    data = text.encode()
    size = chunk or len(data)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    report = check_trace(SexpTrace("t", chunks), (NAME,), Options(keep_going))
    assert report.error is None, report.error
    return [found.code for found in report.findings]


@pytest.mark.parametrize("chunk", [0, 60])
def test_an_initialised_buffer_is_no_page_table(chunk: int) -> None:
    text = text_of(split(BUFFER))
    assert _codes(text, chunk) == []
    assert _codes(text + _HINT_OF_THREADS, chunk) == []
    assert [code for code, _ in codes(BUFFER)] == ["write-uninitialised"]  # where it is named


@pytest.mark.parametrize("event", ["reg vttbr_el2 10000", "tlbi alle1is", "set_root_lock 1 9"])
@pytest.mark.parametrize("chunk", [0, 60])
def test_findings_wait_for_an_event_of_page_tables(event: str, chunk: int) -> None:
    """What was found before it is reported then, and only that: the check stops at the first."""
    text = text_of(split(f"init 10000 1000; init 20000 8; w 30000 0; r 10000 0; {event}"))
    assert _codes(text, chunk) == ["write-uninitialised"]


def test_rst_of_an_ordinary_program_is_clean(tmp_path: Path) -> None:
    assert _codes_of_rst(BUFFER, tmp_path) == []
    assert _codes_of_rst(f"{BUFFER}; reg vttbr_el2 10000", tmp_path) == ["write-uninitialised"]


def _codes_of_rst(text: str, directory: Path) -> list[str]:
    source, made = directory / f"{len(text)}.sexp", directory / f"{len(text)}.rst"
    source.write_text(text_of(split(text)))
    assert main(["convert", str(source), str(made)]) == 0
    return [found.code for found in check_trace(open_trace(made), (NAME,)).findings]
