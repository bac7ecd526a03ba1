"""Events as a table: the columns that Parquet and CSV have.

| column | type | meaning |
|---|---|---|
| record | u64 | ordinal of the record in the source, from 0 |
| id | u64 | sequence id; the record's ordinal where the source has none |
| thread | u64 | thread id; the cpu where the source names no thread |
| cpu | u16 | cpu number; 0 where the source has none |
| kind | text | read, write, instruction, trap, ... (`inst.trace.model.Kind`) |
| pc | u64, may be null | run-time address of the instruction |
| address | u64, may be null | effective address, start of the region, target, or trap type |
| size | u64 | bytes accessed; 0 when unknown |
| value | u64, may be null | low 64 bits of what was read or written; the system call of a trap |
| value_high | u64, may be null | bits 64 to 127 of a 16-byte access |
| word | u32, may be null | instruction word |
| detail | text | memory order, barrier, register, hint; "" for none |
| site | text | file:line; "" for none |
| atomic, privileged, taken, annulled, trapped | boolean | `inst.trace.model.Flag` |
| physical | u64, may be null | physical address, where PAVADIFF gives another than `address` |
| opcode | text | mnemonic, also of two words, for which `word` has no room; "" for none |
| function | text | function that the pc lies in, with `--program`; "" for none |
| file | text | source file, from the program or else the site; "" for none |
| line | u32, may be null | source line |
| arch | text | instruction set as the trace calls it, the same in all rows; "" for none |

In CSV addresses, values and words are hexadecimal with 0x, null is empty, and booleans are
0 and 1.
"""

from __future__ import annotations

from inst.trace.model import Flag

NUMBERS = ("record", "id", "thread", "cpu")
NULLABLE = (("pc", Flag.HAS_PC), ("address", Flag.HAS_ADDRESS), ("value", Flag.HAS_VALUE),
            ("value_high", Flag.HAS_VALUE), ("word", Flag.HAS_WORD))  # fmt: skip
BOOLEANS = (("atomic", Flag.ATOMIC), ("privileged", Flag.PRIVILEGED), ("taken", Flag.TAKEN),
            ("annulled", Flag.ANNULLED), ("trapped", Flag.TRAPPED))  # fmt: skip

NAMES = ("record", "id", "thread", "cpu", "kind", "pc", "address", "size", "value", "value_high",
         "word", "detail", "site", *(name for name, _ in BOOLEANS), "physical", "opcode",
         "function", "file", "line", "arch")  # fmt: skip
"""All columns in their order."""
DERIVED = ("physical", "opcode", "function", "file", "line", "arch")
"""Columns that follow from others, and from what is known beside the events."""
STORED = tuple(name for name in NAMES if name not in DERIVED)
"""Columns that events are made of."""
TEXTS = ("kind", "detail", "site", "opcode", "function", "file", "arch")
