"""Instructions that compilers for Linux do not emit: read only when a file has one of them.

Building the tables of `inst.arch.powerpc.tables` costs a good part of what starting inst costs, and
these here would double it.  All that GNU as 2.40 accepts is in one of the two, but for what
`tests/isa/gas_names.py` names with the reason.

- External-PID loads and stores (`lbepx`, `stwepx`: Power ISA 2.07, book III-E, 5.4.7) and
  caching-inhibited ones (`lwzcix`: book III-S, 4.4.1) are privileged and go to another address
  space, or to real addresses: they are no accesses here, since a trace with their
  addresses would mix up two spaces.
- The same for what asks a coprocessor to access memory (`icswx`).
- Accesses with `form:opaque` are user-visible, but the run-time library cannot say what they
  move; the rewriter refuses them.
"""

from __future__ import annotations

from inst.arch.powerpc.tables.uncommon import (
    decimal,
    embedded,
    matrix,
    moves,
    paired,
    power,
    server,
    signal,
    signal2,
)

MODULES = (server, decimal, matrix, embedded, signal, signal2, power, paired, moves)
TABLES = tuple(table for module in MODULES for table in module.TABLES)
