"""SPARC V8 and V9 as tables.

Register windows: an instruction with `window` +1 (save) or -1 (restore, return) reads its
`uses` in the window before it and writes its `defs` in the window after it.  A pass that
walks backwards takes `defs` from what is live after it, renames what remains (after a
save %i is what %o was before it; after a restore %o is what %i was), and adds `uses`;
%l and the other half of the window are new or gone.

Calls say what the instruction itself writes (%o7); what the callee reads and changes is
`REGISTERS.arguments` and `REGISTERS.volatile`.  `call .+8` and the like are branches with
`pc_relative_data`: nothing is called.  `bn,a` is a branch over the next instruction.

The tables are the same for both widths, but for the mnemonics of `natural`.
"""

from __future__ import annotations

from inst.arch.sparc.sites import CHOSEN
from inst.arch.sparc.tables.interpret import facts, wide_facts
from inst.arch.sparc.tables.registers import REGISTERS, V9_REGISTERS, with_reserved
from inst.dataclass import replace
from inst.isa.model import Isa, Tables

ISA = Isa("sparc", "v8", 32, REGISTERS, "ba,a", facts, "sparcv8")
WIDE = Isa("sparc", "v9", 64, V9_REGISTERS, "ba,a", wide_facts, "sparcv9")
PART = Tables((
    ISA,
    WIDE,
    *(replace(ISA, abi=abi, registers=with_reserved(*pair)) for abi, pair in CHOSEN.items()),
))  # fmt: skip
