"""The record types of RST 2.13 as a table: where each field of each record is.

A field is `name=B.b-B.b,...` (byte and bits, 0x80 being bit 7, most significant part
first) or `name:uN@B` / `name:char[N]@B`. Parts before a `|` exist from version 2.12 on:
older traces hold junk there, and readers of that time see the rest of the number. `name^1010=`
is a field that exists from 1.10 on: before, Shade's hash of the instruction was where INSTR has
its cpu. (Versions: the history in Sun's rstf.h.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SIZE = 24
"""Bytes of a record, of every type."""

MODERN = 2012
"""major * 1000 + minor of the first version with the wide cpu numbers."""

CURRENT = 2013


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the bit ranges (start from the record's first bit, width) it is made of."""

    name: str
    parts: tuple[tuple[int, int], ...]
    modern_parts: int = 0
    """How many of the leading parts exist only from 2.12 on."""
    text: bool = False
    signed_shift: int = -1
    """For addresses stored without their low bits: how many, and sign-extend. -1: plain."""
    since: int = 0
    """The first version that has the field."""

    def parts_for(self, version: int) -> tuple[tuple[int, int], ...]:
        """Return the bit ranges that hold the field in a trace of that version; none before it."""
        if version < self.since:
            return ()
        return self.parts if version >= MODERN else self.parts[self.modern_parts :]

    @property
    def width(self) -> int:
        return sum(width for _, width in self.parts)

    @property
    def flag(self) -> int:
        """Return the bit of byte 1 that the field is; 0 if it is more, or elsewhere."""
        start, width = self.parts[0]
        return 0x80 >> start % 8 if self.width == width == 1 and start // 8 == 1 else 0


@dataclass(frozen=True, slots=True)
class RecordType:
    """One record type; `variant` is bit 1.7 where that bit distinguishes two layouts."""

    code: int
    name: str
    fields: tuple[Field, ...]
    variant: int | None = None

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


_CPU_INSTR = "cpuid^1010=2.1-2.0,3.7-3.6|2.7-2.2"
_CPU_PAVA = "cpuid^1006=2.7-2.5|1.6-1.0"
_CPU_MEMVAL = "cpuid=1.1-1.0|2.7-2.0"

# rtype, name, layout. The last four types are this project's own, for what other formats
# record and RST has no record for: see rst_events.
_ROWS = """
2    header           majorVer:u8@1 minorVer:u8@2 percent:u8@3 header_str:char[20]@4
3    instr            ea_valid=1.6 tr=1.5 hpriv=|1.4 pr=1.3 bt=1.2 an=1.1 {instr} instr:u32@4 \
                      pc_va:u64@8 ea_va:u64@16
4    traceinfo        rtype2:u8@1 level:u16@2 val32:u32@4 time64:u64@8
5    tlb              demap=1.7 type=1.6 index:u16@2 unit=4.7-4.6 cpuid^1006=5.7-5.4|4.5-4.0 \
                      tag:u64@8 data:u64@16
6    thread           icontext:u16@2 tid:u64@8
7    trap             is_async=1.7 tl=1.3-1.0 cpuid^1010=6.7-6.4|2.7-2.2 ttype=2.1-2.0,3.7-3.0 \
                      pstate:u16@4 syscall=6.3-6.0,7.7-7.0 pc:u64@8 npc:u64@16
8    trapexit         tl:u8@1 {instr} tstate:u32@4
9    regval           postInstr=1.7 cpuid^1010=6.7-6.5|1.6-1.0 regtype0:u8@2 regtype1:u8@3 \
                      regid0:u8@4 regid1:u8@5 reg64_0:u64@8 reg64_1:u64@16
11   cpu              cpu:u16@6 timestamp:u64@16
12   process          oldpid:u32@8 newpid:u32@12 oldcontext:u32@16 newcontext:u32@20
13   dma              iswrite=1.0 nbytes:u32@4 start_pa:u64@8
14   strdesc          string:char[23]@1
15   leftdelim        id:u8@1 what:u16@2 length:u32@4
16   rightdelim       id:u8@1 what:u16@2 length:u32@4
17   preg             asiReg:u8@1 traplevel:u8@4 traptype:u8@5 pstate:u16@6 \
                      cpuid^1009=9.7-9.6|8.7-8.0 primA:u16@16 secA:u16@18 primD:u16@20 secD:u16@22
18   physaddr         ea_valid=1.7 {pava} pc_pa:u64@8 ea_pa:u64@16
19   pavadiff         ea_valid=1.7 {pava} icontext:u16@4 dcontext:u16@6 pc_pa_va:u64@8 \
                      ea_pa_va:u64@16
20   nullrec
21   strcont          string:char[23]@1
22/0 filemarker       level=1.6-1.0 recType:u8@2 cpuid=4.7-4.6|3.7-3.0 incount:u64@8 \
                      outcount:u64@16
22/1 recnum           level=1.6-1.0 recType:u8@2 cpuid=4.7-4.6|3.7-3.0 incount:u64@8 \
                      outcount:u64@16
23   status           status:u8@1 analyzer:u8@2 command:u8@3
24   patch            isBegin=1.0 rewindrecs:u8@2 id:u8@3 length:u16@4 descr:char[16]@8
25   hwinfo           sim=1.7 category:u8@2 infotype:u8@3 entindex:u16@4 nument:u16@6 val:u64@8 \
                      val2:u64@16
26/0 memval64         addrisVA=1.6 {memval} size=3.3-3.0 addr:u64@8 val:u64@16
26/1 memval128        addrisVA=1.6 isContRec=1.5 {memval} addr<<4=3.7-3.0,4.7-7.0 val:u64@8 \
                      val2:u64@16
27   bustrace         flags=1.7-1.4 bt_type=1.3-1.0 txType=2.7-2.2 agentid=2.1-2.0,3.7-3.0 \
                      tdiff=4.7 nsScale=4.6 timestamp=4.5-4.0,5.7-5.0,6.7-6.2 data:u64@8 \
                      addr_pa:u64@16
28   snoop            snoopreq:u8@1 device_id:u16@2 size:u32@4 addr_pa:u64@8 device_type:u16@16
29   tsb_access       isdata=1.0 cpuid=2.1-2.0,3.7-3.0 pa:u64@8 va:u64@16
30   rfs_section      section_type:u8@1 n_records:u64@8
31   rfs_cw           cpuid=1.7-1.0,2.7-2.6 reftype=2.5-2.0 asi:u8@4 va_valid=5.7 fcn=5.6-5.2 \
                      size:u32@4 va:u64@8 pa:u64@16
32   rfs_bt           cpuid=1.7-1.0,2.7-2.6 taken=2.5 instr:u32@4 pc_va:u64@8 npc_va:u64@16
34   trapping_instr   hpriv=1.7 priv=1.6 iftrap=1.5 ea_va_valid=1.4 ea_pa_valid=1.3 \
                      cpuid=2.7-2.0,3.7-3.6 instr:u32@4 pc_va:u64@8 ea_va:u64@16
40   event            kind:u8@1 flags:u16@2 detail:u16@4 cpuid:u16@6 address:u64@8 value:u64@16
41   event_pc         stated=1.7 word:u32@4 pc:u64@8 id:u64@16
42   event_size       placed=1.7 site:u32@4 size:u64@8 value_high:u64@16
43   event_text       last=1.7 is_site=1.6 number:u32@4 text:char[16]@8
"""


def _bit(place: str) -> int:
    byte, bit = place.split(".")
    return int(byte) * 8 + 7 - int(bit)


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    start = _bit(first)
    return start, _bit(last or first) - start + 1


def _parse_field(text: str) -> Field:
    sized = re.fullmatch(r"(\w+):(u|char\[)(\d+)\]?@(\d+)", text)
    if sized:
        name, kind, number, byte = sized.groups()
        width = int(number) if kind == "u" else int(number) * 8
        return Field(name, ((int(byte) * 8, width),), text=kind != "u")
    name, _, places = text.partition("=")
    name, _, shift = name.partition("<<")
    name, _, since = name.partition("^")
    modern, bar, always = places.rpartition("|")
    modern_parts = [_range(place) for place in modern.split(",") if place]
    parts = [_range(place) for place in always.split(",")]
    if bar and not modern_parts:  # `=|1.4`: the whole field is modern
        return Field(name, tuple(parts), len(parts))
    signed_shift = int(shift) if shift else -1
    count, first = len(modern_parts), int(since or 0)
    return Field(name, (*modern_parts, *parts), count, signed_shift=signed_shift, since=first)


def _parse_row(row: str) -> RecordType:
    code, name, *fields = row.split()
    number, _, variant = code.partition("/")
    return RecordType(
        int(number),
        name,
        tuple(_parse_field(field) for field in fields),
        int(variant) if variant else None,
    )


TYPES: tuple[RecordType, ...] = tuple(
    _parse_row(row)
    for row in _ROWS.format(instr=_CPU_INSTR, pava=_CPU_PAVA, memval=_CPU_MEMVAL).splitlines()
    if row
)

BY_NAME = {kind.name: kind for kind in TYPES}
BY_CODE = {(kind.code, kind.variant or 0): kind for kind in TYPES}
CODES = frozenset(kind.code for kind in TYPES)
OWN = max(CODES)
"""The highest code that inst writes."""
VARIANT_CODES = frozenset(kind.code for kind in TYPES if kind.variant is not None)


def type_of(code: int, byte1: int) -> RecordType | None:
    """Return the table's row for a record's first two bytes; None for an unknown type."""
    return BY_CODE.get((code, byte1 >> 7 if code in VARIANT_CODES else 0))
