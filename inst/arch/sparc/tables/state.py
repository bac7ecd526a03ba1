"""State registers, coprocessor and implementation-dependent operations."""

from __future__ import annotations

from inst.arch.sparc.tables.row import Row

ALL = (
    Row("rd", "=pc r:d | =asr5 r:d", pc_relative_data=True),
    Row("rd mov", "state:s r:d"),
    Row("wr", "r:s ri state:d | i r:s state:d | ri state:d"),
    Row("mov", "ri state:d"),
    Row("pwr", "r:s ri =psr | ri =psr", defs="psr"),
    Row("rdpr rdhpr", "privileged:s r:d"),
    Row("wrpr wrhpr", "r:s ri privileged:d | i r:s privileged:d | ri privileged:d"),
    Row("cpop1 cpop2", "memory any", uses="coprocessor", defs="coprocessor"),
    Row("impdep1 impdep2", "r:s ri r:d | i r:s ri r:d"),
    Row("impdep1 impdep2", "i f:s f:s f:d"),
)
