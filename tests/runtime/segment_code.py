"""A `touch` that records by segments, for each target, and a decoder of its own for the result.

touch(cell) loads a word: one checked segment with the address and the value, one unchecked segment
with the value alone, which a signal may separate.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from inst.hooktable import LEVEL_SYMBOLS
from inst.target.model import Target

CHUNK, HEADER, RECORD, POSITION = 196608, 2048, 24, 0x50
_START = """\
	.section .debug_none,"",@progbits
	{number} "{level}"
	.text
	.globl touch
	.type touch, {type}function
"""
_ROWS = """\
	.size touch, .-touch
	.section .debug_inst_record,"",@progbits
	{number} .Lfirst
	{half} 3, 1
	{word} .Lload-.Lfirst
	.byte 1, 0, 2, 1
	{word} 0, 0
	{number} .Lsecond
	{half} 2, 0
	.section .note.GNU-stack,"",@progbits
"""
_POWERPC = """\
touch:
.Lfirst:
	{load} 10, inst.segments@tprel({thread})
	{load} 11, inst.segments@tprel+{bytes}({thread})
	{compare} 7, 10, 11
	blt+ 7, .Lok
	mflr 9
	{frame}
	bl "inst.room"
	{end}
	mtlr 9
	b .Lfirst
.Lok:
	lis 11, (__ehdr_start-.Lfirst)@h
	ori 11, 11, (__ehdr_start-.Lfirst)@l
	{update} 11, 3*{bytes}(10)
	{store} 10, inst.segments@tprel({thread})
	{store} 3, -{bytes}(10)
.Lload:
	lwz 9, 0(3)
	{store} 9, -2*{bytes}(10)
.Lsecond:
	{load} 10, inst.segments@tprel({thread})
	lis 11, (__ehdr_start-.Lsecond)@h
	ori 11, 11, (__ehdr_start-.Lsecond)@l
	{update} 11, 2*{bytes}(10)
	{store} 10, inst.segments@tprel({thread})
	{store} 9, -{bytes}(10)
	blr
"""
_SPARC = """\
	.register %g6, #scratch
touch:
.Lfirst:
	{load} [%g7+%tle_lox10(inst.segments)], %g6
	{load} [%g7+%tle_lox10(inst.segments+{bytes})], %g5
	{below} .Lok
	sethi %pc22(__ehdr_start-(.Lfirst-.)), %g5
	mov %o7, %g6
	call "inst.room.k"
	nop
	ba,a .Lfirst
.Lok:
	or %g5, %pc10(__ehdr_start-(.Lfirst-.)), %g5
	add %g6, 3*{bytes}, %g6
	{store} %g5, [%g6]
	{store} %o0, [%g6-{bytes}]
.Lload:
	ld [%o0], %o1
	{store} %o1, [%g6-2*{bytes}]
.Lsecond:
	sethi %pc22(__ehdr_start-(.Lsecond-.)), %g5
	or %g5, %pc10(__ehdr_start-(.Lsecond-.)), %g5
	add %g6, 2*{bytes}, %g6
	{store} %g5, [%g6]
	{store} %o1, [%g6-{bytes}]
	retl
	{store} %g6, [%g7+%tle_lox10(inst.segments)]
"""
_FIELDS = {
    ("powerpc", 4): {
        "load": "lwz",
        "store": "stw",
        "update": "stwu",
        "compare": "cmplw",
        "thread": 2,
        "frame": "",
        "end": "",
    },
    ("powerpc", 8): {
        "load": "ld",
        "store": "std",
        "update": "stdu",
        "compare": "cmpld",
        "thread": 13,
        "frame": "stdu 1, -64(1)",
        "end": "addi 1, 1, 64",
    },
    ("sparc", 4): {"load": "ld", "store": "st", "below": "cmp %g6, %g5; blu"},
    ("sparc", 8): {"load": "ldx", "store": "stx", "below": "sub %g6, %g5, %g5; brlz,pt %g5,"},
}


def segment_source(target: Target, directory: Path) -> Path:
    """Write the assembly of `touch` for a target; return its file."""
    size, is_sparc = target.bits // 8, target.isa == "sparc"
    directives = {
        "number": {4: ".word", 8: ".xword"}[size] if is_sparc else {4: ".long", 8: ".8byte"}[size],
        "half": ".half" if is_sparc else ".short",
        "word": ".word" if is_sparc else ".long",
        "level": LEVEL_SYMBOLS["record-values"],
        "type": "#" if is_sparc else "@",
        "bytes": size,
        **_FIELDS[target.isa, size],
    }
    if is_sparc:  # tables are packed
        directives |= {"number": f".ua{directives['number'][1:]}", "half": ".uahalf"}
        directives["word"] = ".uaword"
    code = _SPARC if is_sparc else _POWERPC
    path = directory / "touch.s"
    path.write_text((_START + code + _ROWS).format_map(directives))
    return path


@dataclass(slots=True)
class Recording:
    """What a recording holds, read without inst's own readers."""

    first: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """By thread: address and value of each load, in order."""
    second: dict[int, list[int]] = field(default_factory=dict)
    """By thread: values of the blocks that follow."""
    running: set[int] = field(default_factory=set)
    """Threads whose last block may be partial."""
    events: list[bytes] = field(default_factory=list)
    """Chunks of events, without the record that the file begins with."""
    order: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    """By thread: all blocks in order, as a letter and the value."""
    places: dict[int, dict[tuple[int, int, int], int]] = field(default_factory=dict)
    """By thread: how many blocks come before the end of one, by chunk, offset, order of the run."""


def read_recording(path: Path, is_killed: bool = False) -> Recording:
    """Return what a file holds; each run must consist of whole blocks."""
    data = path.read_bytes()
    assert data[:9] == b"INST-REC\x08"
    word, order = data[9], {ord("b"): ">", ord("l"): "<"}[data[10]]
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    chunks[0] = chunks[0][RECORD:]
    number, rows, link, runs, found = 0, {}, 0, [], Recording()
    while number < len(chunks):
        chunk = chunks[number]
        if chunk.startswith(b"INST-TAB"):
            size = int.from_bytes(chunk[8:16], "big")
            start = number * CHUNK
            rows, link = _read_table(data[start + 16 : start + 16 + size], word, order)
            number += -(-(16 + size) // CHUNK)
            continue
        if chunk.startswith(b"INST-SEG"):
            runs += _runs(chunk, number, word, order)
        elif any(chunk):
            found.events.append(chunk)
        number += 1
    for thread in {one[0] for one in runs}:
        _decode_thread(thread, runs, {(link - at) % 2**32: row for at, row in rows.items()},
                       word, order, found, is_killed)  # fmt: skip
    return found


def signal_places(recording: Recording, flags: int) -> list[int]:
    """Return for each signal how many blocks come before it, or the return of its handler.

    The flags of a signal are 6, those of a return are 4.
    """
    found, last = [], 0
    for chunk in recording.events:
        for at in range(0, len(chunk) - RECORD + 1, RECORD):
            kind, what, _, own, thread, number, offset, order = struct.unpack_from(
                ">BBBBIIIQ", chunk, at
            )
            if kind == POSITION:
                last = recording.places[thread][number, offset, order] if number else 0
            elif (kind, what, own) == (40, 0, flags):
                found.append(last)
    return found


_ROWS_READ = {
    (3, 1): (3, "a"),
    (2, 0): (2, "b"),
    (0x4000, 0): (3, "read"),
    (0x4001, 0): (3, "written"),
}
"""What rows there are, by their words and items: the words of a block, and its name."""


def _read_table(table: bytes, word: int, order: str) -> tuple[dict[int, tuple[int, str]], int]:
    """Return words and name of a block by its segment's address, and where the image is linked."""
    rows, link, at, code = {}, 0, 0, 0
    while at < len(table):
        name, address, size = struct.unpack_from(">16sQQ", table, at)
        content = table[at + 32 : at + 32 + size]
        at += 32 + -(-size // 8) * 8
        if name.startswith(b"segments"):
            pair = struct.Struct(f"{order}{'I' if word == 4 else 'Q'}HH")
            place = 0
            while place < len(content):
                label, words, items = pair.unpack_from(content, place)
                rows[label] = _ROWS_READ[words, items]
                place += pair.size + 16 * items
            assert sorted(rows.values()) == sorted(_ROWS_READ.values())
        elif name.startswith(b"code"):
            code += address <= min(rows) < address + size
        elif name.startswith(b"image"):
            link = address
    assert code == 1
    assert at == len(table)
    return rows, link


def _runs(chunk: bytes, number: int, word: int, order: str) -> list[tuple[int, ...]]:
    """Return thread, order, chunk, start, end and content of the runs of a chunk."""
    size, count = struct.unpack_from(f"{order}II", chunk, 8)
    assert size == word
    heads = [struct.unpack_from(f"{order}IIQ", chunk, 16 + 16 * n) for n in range(count)]
    end = HEADER + -(-len(chunk[HEADER:].rstrip(b"\0")) // word) * word
    ends = [*(start for start, _, _ in heads[1:]), end]
    found, current = [], 0
    for (start, thread, place), stop in zip(heads, ends, strict=True):
        current = place or current
        found.append((thread, current, number, start, stop, chunk))
    return found


def _decode_thread(thread, runs, rows, word, order, found, is_killed):  # type: ignore[no-untyped-def]
    blocks, places = [], {}
    own = sorted(one for one in runs if one[0] == thread)
    for _, current, number, start, stop, chunk in own:
        words = struct.unpack(
            f"{order}{(stop - start) // word}{'I' if word == 4 else 'Q'}", chunk[start:stop]
        )
        at, reverse = len(words), []
        places[number, start, current] = len(blocks)
        while at:
            size, name = rows[words[at - 1] % 2**32]
            place = (number, start + at * word, current)
            reverse.append((name, words[at - size : at - 1], place))
            at -= size
            assert at >= 0, "a block leaves its run"
        for name, slots, place in reversed(reverse):
            if name in "ab":
                blocks.append((name, slots))
            places[place] = len(blocks)
    if own[-1][3] == own[-1][4]:
        found.running.add(thread)
    if blocks and (is_killed or thread in found.running):
        blocks.pop()
    found.first[thread] = [(slots[1], slots[0]) for name, slots in blocks if name == "a"]
    found.second[thread] = [slots[0] for name, slots in blocks if name == "b"]
    found.order[thread] = [(name, slots[0]) for name, slots in blocks]
    found.places[thread] = places
