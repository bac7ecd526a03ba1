"""Writes recordings from lists of what threads do, and the RST records of the same run.

Nothing here comes from the reader: the layout is written down again, after the format's
page, and what each instruction does is a table of its own.
"""

from __future__ import annotations

import struct

from inst.formats.rst.record import encode, encode_string
from tests.trace.rec.machines import MACHINES, NOP, Does, Item, Segment, Thread, Word

CHUNK = 196_608
IMAGE, BASE, FIRST_LABEL = 0x1000_0000, 0x2000_0000, 0x1000_1000
"""Link address of the image, where it was loaded, and the link address of the first segment."""
HEADER = 2048
KNOWN, CONSTANT, RAW, WHOLE = 1, 2, 4, 8
RANGE = 0x4000
ORDER, HAS_ADDRESS, HAS_VALUE = 19, 2, 4
NULL = encode("nullrec")


class Encoder:
    """Writes one recording."""

    def __init__(
        self, arch: str, *, chunk: int = CHUNK, step: int = 16_384, apart: bool = False
    ) -> None:
        self.apart = apart
        """Handlers write to chunks of their own."""
        self.arch = arch
        self.width, order, self.instructions = MACHINES[arch]
        self.order = ">" if order == "big" else "<"
        self.bits = (1 << 8 * self.width) - 1
        self.size, self.step = chunk, step
        self.chunks: list[bytearray] = []
        self.runs: dict[int, list[tuple[int, int, int]]] = {}
        self.segments: list[Segment] = []
        self.code = bytearray()
        self.next_order = 1
        self.has_tables = False
        self.threads: list[Thread] = []
        self.start = b""
        self._label = FIRST_LABEL
        self.version = 8
        self._ranges: list[int] = []
        """The labels that name what functions read and what they write."""

    # What the program is.

    def segment(self, items: list[Item], gap: int = 0) -> Segment:
        """Add a segment."""
        label = self._label
        name = (IMAGE - label) & 0xFFFFFFFF
        self.code += self._words(self._reserve(name) + [NOP] * gap)
        pcs, slots, length = [], [], 1
        base = 0
        words = [self.instructions[item.name] for item in items]
        for item, word in zip(items, words, strict=True):
            pcs.append(FIRST_LABEL + len(self.code))
            self.code += self._words([word.moved(item.moved), NOP])
            if not (item.shares and base):
                base, length = length, length + 1
            index = 0
            if not word.low:
                index, length = length, length + 1
            value = 0
            if item.value == "slot":
                count = -(-word.size // self.width) if word.kind == "raw" else 1
                length += count
                value = length - 1
            slots.append((base, index, value))
        self._label = FIRST_LABEL + len(self.code)
        found = Segment(label, items, words, pcs, slots, length)
        self.segments.append(found)
        return found

    def name_ranges(self) -> None:
        """Add the names of what functions touch, and of frames, to which no code belongs."""
        first = self._label
        self.code += self._words([0, 0, 0])
        self._label = FIRST_LABEL + len(self.code)
        self._ranges = [first, first + 4, first + 8]

    def _reserve(self, name: int) -> list[int]:
        """Return the code that reserves a block, with registers 5 and 6."""
        if self.arch.startswith("sparc"):
            return [0xCC01E000, 0x0B000000 | name >> 10, 0x8A116000 | name & 0x3FF,
                    0x8C01A010, 0xCA218000, 0xCC21E000]  # fmt: skip
        return [0x80C20000, 0x3CA00000 | name >> 16, 0x60A50000 | name & 0xFFFF,
                0x94A60010, 0x90C20000]  # fmt: skip

    @property
    def reserved(self) -> int:
        """Return the bytes of that code."""
        return 4 * len(self._reserve(0))

    def _words(self, words: list[int]) -> bytes:
        return b"".join(struct.pack(self.order + "I", word) for word in words)

    def run_time(self, address: int) -> int:
        """Return where the program was loaded an address."""
        return address - IMAGE + BASE & self.bits

    # What its threads do.

    def thread(self, tid: int, *, events: bool = True) -> Thread:
        """Begin a thread."""
        thread = Thread(len(self.threads), tid)
        self.threads.append(thread)
        if not self.chunks:
            self._begin_file()
        if events:
            self._begin_events(thread, first=True)
        return thread

    def block(self, thread: Thread, segment: Segment, does: list[Does], happen: int = 99) -> bytes:
        """Let a segment run; return the records of the accesses that do not `happen` now."""
        octets = self._block(segment, does)
        self._room(thread, len(octets))
        chunk = self.chunks[thread.chunk]
        chunk[thread.cursor : thread.cursor + len(octets)] = octets
        thread.cursor += len(octets)
        records = self.records(thread, segment, does)
        thread.expected.append((0, b"".join(records[:happen])))
        return b"".join(records[happen:])

    def range(self, thread: Thread, address: int, size: int, *, writes: bool) -> None:
        """Let a function of a library touch memory."""
        self._put_range(thread, address, size, int(writes))
        records = encode(
            "event", kind=1 + writes, flags=HAS_ADDRESS, cpuid=thread.number & 1023,
            address=address & self.bits) + encode("event_size", size=size & self.bits)  # fmt: skip
        thread.expected.append((0, records))

    def frame(self, thread: Thread, address: int, size: int) -> None:
        """Let a function make a frame; its code is left before it stores these if they are 0."""
        self._put_range(thread, address, size, 2)
        record = encode("event", kind=20, flags=6, cpuid=thread.number & 1023,
                        address=address & self.bits, value=size)  # fmt: skip
        thread.expected.append((0, record if size else b""))

    def _put_range(self, thread: Thread, address: int, size: int, kind: int) -> None:
        assert self._ranges, "ranges have no names"
        name = -((self._ranges[kind] - IMAGE) & 0xFFFFFFFF)
        words = (address & self.bits, size & self.bits, name & self.bits)
        octets = struct.pack(self.order + ("3I" if self.width == 4 else "3Q"), *words)
        self._room(thread, len(octets))
        chunk = self.chunks[thread.chunk]
        chunk[thread.cursor : thread.cursor + len(octets)] = octets
        thread.cursor += len(octets)

    def records(self, thread: Thread, segment: Segment, does: list[Does]) -> list[bytes]:
        """Return the RST records of a segment's accesses."""
        found = []
        rows = zip(
            segment.items, segment.words, segment.pcs, self._does(segment, does), strict=True
        )
        for item, word, pc, one in rows:
            address = one.base + one.index + item.addend
            address += 0 if item.whole or not word.low else item.moved
            address &= self.bits
            records = encode(
                "instr", ea_valid=1, cpuid=thread.number & 1023, instr=word.moved(item.moved),
                pc_va=self.run_time(pc), ea_va=address)  # fmt: skip
            if item.value != "unknown":
                records += encode(
                    "memval64", addrisVA=1, cpuid=thread.number & 1023, size=word.size,
                    addr=address, val=self._value(item, word, one))  # fmt: skip
            found.append(records)
        return found

    def _does(self, segment: Segment, does: list[Does]) -> list[Does]:
        """Return what is done, with the bases that are shared."""
        found: list[Does] = []
        for item, word, one in zip(segment.items, segment.words, does, strict=True):
            base = found[-1].base if item.shares and found else one.base
            found.append(Does(base, 0 if word.low else one.index, one.data))
        return found

    def _value(self, item: Item, word: Word, one: Does) -> int:
        mask = (1 << 8 * word.size) - 1
        data = (item.value_addend if item.value == "constant" else one.data) & mask
        if word.kind == "reversed":
            return int.from_bytes(data.to_bytes(word.size, "big"), "little")
        return data

    def _block(self, segment: Segment, does: list[Does]) -> bytes:
        """Return the words of a block."""
        words = [0] * segment.length  # by distance below the trailer
        name = (IMAGE - segment.label) & 0xFFFFFFFF
        words[0] = (name - (name >> 31 << 32)) & self.bits
        done = self._does(segment, does)
        for item, word, slots, one in zip(
            segment.items, segment.words, segment.slots, done, strict=True
        ):
            base, index, value = slots
            words[base] = one.base & self.bits
            if index:
                words[index] = one.index & self.bits
            if value and word.kind == "raw":
                self._put_raw(words, value, word.size, one.data)
            elif value:
                words[value] = one.data - item.value_addend & self.bits
        return b"".join(
            struct.pack(self.order + ("I" if self.width == 4 else "Q"), word)
            for word in reversed(words)
        )

    def _put_raw(self, words: list[int], slot: int, size: int, data: int) -> None:
        order = "big" if self.order == ">" else "little"
        octets = (data & (1 << 8 * size) - 1).to_bytes(size, order)
        octets = octets.ljust(-(-size // self.width) * self.width, b"\xa5")
        for at in range(0, len(octets), self.width):
            words[slot - at // self.width] = int.from_bytes(octets[at : at + self.width], order)

    def _room(self, thread: Thread, size: int) -> None:
        if not self.has_tables:
            self.has_tables = True
            self._write_tables()
        if not thread.chunk or thread.cursor + size > self.size:
            thread.chunk, thread.cursor = self._new_chunk(b"INST-SEG"), HEADER
            self.runs[thread.chunk] = []
            self._begin_run(thread, self.order_number())
        elif thread.cursor - self.runs[thread.chunk][-1][0] >= self.step:
            self._begin_run(thread, 0)

    def _begin_run(self, thread: Thread, order: int) -> None:
        self.runs[thread.chunk].append((thread.cursor, thread.number, order))
        if order:
            thread.order = order
            thread.expected.append((order, self.beginning(thread, order)))

    def hand_over(self, old: Thread, new: Thread) -> None:
        """Give the rest of an ended thread's chunk to another one."""
        new.chunk, new.cursor = old.chunk, old.cursor
        old.chunk = 0
        self._begin_run(new, self.order_number())

    def order_number(self) -> int:
        """Return the next number of the order of all threads."""
        self.next_order += 1
        return self.next_order - 1

    def beginning(self, thread: Thread, order: int) -> bytes:
        """Return the records that begin a chunk."""
        return (
            encode("cpu", cpu=thread.number & 1023)
            + encode("thread", tid=thread.tid)
            + self.order_record(thread, order)
        )

    def order_record(self, thread: Thread, order: int) -> bytes:
        """Return the record of a place in the order."""
        return encode("event", kind=ORDER, flags=HAS_VALUE, cpuid=thread.number & 1023, value=order)

    # Events.

    def event(self, thread: Thread, records: bytes, *, ordered: bool = False) -> None:
        """Write an event, which may have an order."""
        if thread.at + len(records) + 72 > self.size:  # its place, an order, the end of the trace
            self._fill(thread)
            self._begin_events(thread, first=False)
        order = self.order_number() if ordered else 0
        if ordered:
            records = self.order_record(thread, order) + records
        self._append(thread, self.position(thread) + records)
        thread.expected.append((order, records))

    def _fill(self, thread: Thread) -> None:
        if thread.events >= 0:
            self.chunks[thread.events][thread.at :] = NULL * ((self.size - thread.at) // 24)

    def position(self, thread: Thread) -> bytes:
        """Return the record before an event."""
        where = thread.cursor if thread.chunk else 0
        order = thread.order if self.apart and thread.chunk else 0
        return struct.pack(">B3xIIIQ", 0x50, thread.number, thread.chunk, where, order)

    def signal(
        self, thread: Thread, number: int, pc: int, later: bytes = b"", registers: int = 0
    ) -> None:
        """Let a signal interrupt a thread; some records come later.

        So many groups of records with registers come before its event; those that are in an
        earlier chunk of events do not count.
        """
        thread.later.append((number, later))
        if self.apart:
            self._enter(thread)
        written = []
        for group in range(registers):
            self.event(thread, encode("regval", regtype0=1, regid0=group, reg64_0=pc) * 2)
            written.append((thread.events, thread.expected[-1]))
        self.event(thread, self._special(thread, b"signal", number, pc))
        lost = [id(one) for chunk, one in written if chunk != thread.events]
        thread.expected = [one for one in thread.expected if id(one) not in lost]

    def back(self, thread: Thread) -> None:
        """Return from the last handler."""
        number, later = thread.later.pop()
        self.event(thread, self._special(thread, b"back from signal", number, 0))
        thread.expected.append((0, later))
        if self.apart:
            self._leave(thread)

    def jump(self, thread: Thread) -> None:
        """Leave a handler without a return."""
        thread.later.pop()
        if self.apart:
            thread.interrupted.pop()

    def _enter(self, thread: Thread) -> None:
        """Let a handler write to another chunk."""
        thread.interrupted.append((thread.chunk, thread.cursor))
        thread.chunk, thread.cursor = thread.spare
        thread.spare = (0, 0)
        if thread.chunk:
            self._begin_run(thread, self.order_number())
        elif self.has_tables:
            self._room(thread, 0)

    def _leave(self, thread: Thread) -> None:
        """Go on in the chunk that a signal interrupted."""
        runs = len(self.runs[thread.chunk]) if thread.chunk else 99
        thread.spare = (thread.chunk, thread.cursor) if runs < 60 else (0, 0)
        thread.chunk, thread.cursor = thread.interrupted.pop()
        if thread.chunk and len(self.runs[thread.chunk]) < 100:
            self._begin_run(thread, self.order_number())
        else:
            thread.chunk = 0

    def _special(self, thread: Thread, text: bytes, number: int, pc: int) -> bytes:
        flags, word = HAS_VALUE | (HAS_ADDRESS if pc else 0), len(text)
        return self._text(text, word) + encode(
            "event", kind=0, flags=flags, detail=word, cpuid=thread.number & 1023, address=pc,
            value=number) + encode("event_size")  # fmt: skip

    def _text(self, text: bytes, number: int) -> bytes:
        return encode("event_text", last=1, number=number, text=text.decode())

    def _begin_events(self, thread: Thread, *, first: bool) -> None:
        order = self.order_number()
        if not thread.number and first:
            thread.events, thread.at = 0, len(self.start) + 24
        else:
            thread.events, thread.at = self._new_chunk(b""), 0
        records = self.beginning(thread, order)
        if first:
            records += encode("preg", cpuid=thread.number & 1023) + encode(
                "pavadiff", ea_valid=1, cpuid=thread.number & 1023
            )
        self._append(thread, records)
        thread.expected.append((order, records))

    def _append(self, thread: Thread, records: bytes) -> None:
        self.chunks[thread.events][thread.at : thread.at + len(records)] = records
        thread.at += len(records)

    # The file.

    def _new_chunk(self, magic: bytes) -> int:
        self.chunks.append(bytearray(self.size))
        self.chunks[-1][: len(magic)] = magic
        return len(self.chunks) - 1

    def _begin_file(self) -> None:
        order = b"b" if self.order == ">" else b"l"
        first = b"INST-REC" + struct.pack(
            ">BBcBIQ", self.version, self.width, order, 0, self.size, 0
        )
        texts = (f"arch={self.arch}", "ending=running           ", f"image=/p base={BASE:#x}")
        self.start = (
            encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
            + encode("traceinfo", rtype2=2)
            + b"".join(map(encode_string, texts))
        )
        self._new_chunk(first + self.start)

    def _write_tables(self) -> None:
        rows = b""
        number = "I" if self.width == 4 else "Q"
        for segment in self.segments:
            rows += struct.pack(
                self.order + number + "HH", segment.label, segment.length, len(segment.items)
            )
            for item, slots, pc in zip(segment.items, segment.slots, segment.pcs, strict=True):
                rows += self._row(segment, item, slots, pc)
        for kind, label in enumerate(self._ranges):
            rows += struct.pack(self.order + number + "HH", label, RANGE | kind, 0)
        rows += struct.pack(self.order + number + "HH", 0, 1, 0)  # of a section that is left out
        content = b"".join(
            struct.pack(">16sQQ", name, address, len(data)) + data + bytes(-len(data) % 8)
            for name, address, data in (
                (b"code", FIRST_LABEL, bytes(self.code)),
                (b"segments", 0, rows),
                (b"image", IMAGE, b""),
            )
        )
        data = b"INST-TAB" + struct.pack(">Q", len(content)) + content
        for at in range(0, len(data), self.size):
            part = data[at : at + self.size]
            self._new_chunk(part)

    def _row(self, segment: Segment, item: Item, slots: tuple[int, int, int], pc: int) -> bytes:
        word = self.instructions[item.name]
        flags = {"slot": KNOWN, "constant": KNOWN | CONSTANT, "unknown": 0}[item.value]
        flags |= RAW * (word.kind == "raw" and item.value == "slot") | WHOLE * item.whole
        return struct.pack(
            self.order + "IBBBBii",
            pc - segment.label,
            *slots,
            flags,
            item.addend,
            item.value_addend,
        )

    def finish(self, *, killed: bool = False) -> bytes:
        """Return the recording; that of a killed program has no end."""
        if not killed:
            ending = b"ending=exit              "
            self.chunks[0] = bytearray(
                self.chunks[0].replace(b"ending=running           "[:22], ending[:22], 1)
            )
            main = self.threads[0]
            self._append(main, encode("status", status=2))
            for thread in self.threads:
                self._fill(thread)
        for number, runs in self.runs.items():
            chunk = self.chunks[number]
            struct.pack_into(self.order + "II", chunk, 8, self.width, len(runs))
            for row, run in enumerate(runs):
                struct.pack_into(self.order + "IIQ", chunk, 16 + 16 * row, *run)
        return b"".join(self.chunks)

    def expected(self, *, killed: bool = False) -> bytes:
        """Return the RST trace of the same run, of a program with one thread."""
        (thread,) = self.threads
        start = self.start
        if not killed:
            start = start.replace(b"ending=running  ", b"ending=exit     ")
        end = b"" if killed else encode("status", status=2)
        return start + b"".join(records for _, records in thread.expected) + end
