"""A second encoder of RST records: bytes and shifts from the format's tables, no codec.

Each entry names the record's fields with their widths in bits, and packs them.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack

Fields = dict[str, int]
Pack = Callable[..., bytes]


def cpu_of_instr(cpuid: int) -> tuple[int, int]:
    """cpuid[5:0]=2.7-2.2; cpuid[9:6]=2.1-2.0,3.7-3.6"""
    return (cpuid & 0x3F) << 2 | cpuid >> 8, (cpuid >> 6 & 3) << 6


def cpu_of_pava(cpuid: int) -> tuple[int, int]:
    """cpuid[6:0]=1.6-1.0; cpuid[9:7]=2.7-2.5"""
    return cpuid & 0x7F, (cpuid >> 7) << 5


def instr(ea_valid, tr, hpriv, pr, bt, an, cpuid, instr, pc_va, ea_va):  # type: ignore[no-untyped-def]
    flags = ea_valid << 6 | tr << 5 | hpriv << 4 | pr << 3 | bt << 2 | an << 1
    return pack(">BBBBIQQ", 3, flags, *cpu_of_instr(cpuid), instr, pc_va, ea_va)


def tlb(demap, type, index, unit, cpuid, tag, data):  # type: ignore[no-untyped-def]
    fourth, fifth = unit << 6 | cpuid & 0x3F, cpuid >> 6 << 4
    return pack(">BBHBBxxQQ", 5, demap << 7 | type << 6, index, fourth, fifth, tag, data)


def trap(is_async, tl, cpuid, ttype, pstate, syscall, pc, npc):  # type: ignore[no-untyped-def]
    second, third = (cpuid & 0x3F) << 2 | ttype >> 8, ttype & 0xFF
    sixth = cpuid >> 6 << 4 | syscall >> 8
    return pack(">BBBBHBBQQ", 7, is_async << 7 | tl, second, third, pstate, sixth,
                syscall & 0xFF, pc, npc)  # fmt: skip


def regval(postInstr, cpuid, regtype0, regtype1, regid0, regid1, reg64_0, reg64_1):  # type: ignore[no-untyped-def]
    return pack(">BBBBBBBxQQ", 9, postInstr << 7 | cpuid & 0x7F, regtype0, regtype1, regid0,
                regid1, cpuid >> 7 << 5, reg64_0, reg64_1)  # fmt: skip


def preg(asiReg, traplevel, traptype, pstate, cpuid, primA, secA, primD, secD):  # type: ignore[no-untyped-def]
    return pack(">BBxxBBHBB6xHHHH", 17, asiReg, traplevel, traptype, pstate, cpuid & 0xFF,
                cpuid >> 8 << 6, primA, secA, primD, secD)  # fmt: skip


def physaddr(ea_valid, cpuid, pc_pa, ea_pa):  # type: ignore[no-untyped-def]
    low, high = cpu_of_pava(cpuid)
    return pack(">BBBxxxxxQQ", 18, ea_valid << 7 | low, high, pc_pa, ea_pa)


def pavadiff(ea_valid, cpuid, icontext, dcontext, pc_pa_va, ea_pa_va):  # type: ignore[no-untyped-def]
    low, high = cpu_of_pava(cpuid)
    return pack(">BBBxHHQQ", 19, ea_valid << 7 | low, high, icontext, dcontext, pc_pa_va, ea_pa_va)


def mark(number: int) -> Pack:
    def filemarker(level, recType, cpuid, incount, outcount):  # type: ignore[no-untyped-def]
        return pack(">BBBBBxxxQQ", 22, number << 7 | level, recType, cpuid & 0xFF,
                    cpuid >> 8 << 6, incount, outcount)  # fmt: skip

    return filemarker


def memval64(addrisVA, cpuid, size, addr, val):  # type: ignore[no-untyped-def]
    return pack(">BBBBxxxxQQ", 26, addrisVA << 6 | cpuid >> 8, cpuid & 0xFF, size, addr, val)


def memval128(addrisVA, isContRec, cpuid, addr, val, val2):  # type: ignore[no-untyped-def]
    flags = 1 << 7 | addrisVA << 6 | isContRec << 5 | cpuid >> 8
    return pack(">BBBBIQQ", 26, flags, cpuid & 0xFF, addr >> 36 & 0xFF, addr >> 4 & 0xFFFFFFFF,
                val, val2)  # fmt: skip


def bustrace(  # type: ignore[no-untyped-def]
    flags, bt_type, txType, agentid, tdiff, nsScale, timestamp, data, addr_pa
):
    return pack(">BBBBBBBxQQ", 27, flags << 4 | bt_type, txType << 2 | agentid >> 8,
                agentid & 0xFF, tdiff << 7 | nsScale << 6 | timestamp >> 14,
                timestamp >> 6 & 0xFF, (timestamp & 0x3F) << 2, data, addr_pa)  # fmt: skip


def rfs_cw(cpuid, reftype, asi, va_valid, fcn, va, pa):  # type: ignore[no-untyped-def]
    return pack(">BBBxBBxxQQ", 31, cpuid >> 2, (cpuid & 3) << 6 | reftype, asi,
                va_valid << 7 | fcn << 2, va, pa)  # fmt: skip


def rfs_bt(cpuid, taken, instr, pc_va, npc_va):  # type: ignore[no-untyped-def]
    return pack(">BBBxIQQ", 32, cpuid >> 2, (cpuid & 3) << 6 | taken << 5, instr, pc_va, npc_va)


def trapping_instr(  # type: ignore[no-untyped-def]
    hpriv, priv, iftrap, ea_va_valid, ea_pa_valid, cpuid, instr, pc_va, ea_va
):
    flags = hpriv << 7 | priv << 6 | iftrap << 5 | ea_va_valid << 4 | ea_pa_valid << 3
    second, third = cpuid >> 2, (cpuid & 3) << 6
    return pack(">BBBBIQQ", 34, flags, second, third, instr, pc_va, ea_va)


def plain(code: int, layout: str) -> Pack:
    """Records whose fields are whole bytes, in the order of their names."""
    return lambda *values: pack(layout, code, *values)


U64, U32, U16, U8, CPU = 64, 32, 16, 8, 10

RECORDS: dict[str, tuple[Fields, Pack]] = {
    "header": ({"majorVer": U8, "minorVer": U8, "percent": U8}, plain(2, ">BBBB20x")),
    "instr": ({"ea_valid": 1, "tr": 1, "hpriv": 1, "pr": 1, "bt": 1, "an": 1, "cpuid": CPU,
               "instr": U32, "pc_va": U64, "ea_va": U64}, instr),
    "traceinfo": ({"rtype2": U8, "level": U16, "val32": U32, "time64": U64},
                  plain(4, ">BBHIQ8x")),
    "tlb": ({"demap": 1, "type": 1, "index": U16, "unit": 2, "cpuid": CPU, "tag": U64,
             "data": U64}, tlb),
    "thread": ({"icontext": U16, "tid": U64}, plain(6, ">BxH4xQ8x")),
    "trap": ({"is_async": 1, "tl": 4, "cpuid": CPU, "ttype": 10, "pstate": U16, "syscall": 12,
              "pc": U64, "npc": U64}, trap),
    "trapexit": ({"tl": U8, "cpuid": CPU, "tstate": U32},
                 lambda tl, cpuid, tstate: pack(">BBBBI16x", 8, tl, *cpu_of_instr(cpuid), tstate)),
    "regval": ({"postInstr": 1, "cpuid": CPU, "regtype0": U8, "regtype1": U8, "regid0": U8,
                "regid1": U8, "reg64_0": U64, "reg64_1": U64}, regval),
    "cpu": ({"cpu": U16, "timestamp": U64}, plain(11, ">B5xH8xQ")),
    "process": ({"oldpid": U32, "newpid": U32, "oldcontext": U32, "newcontext": U32},
                plain(12, ">B7xIIII")),
    "dma": ({"iswrite": 1, "nbytes": U32, "start_pa": U64}, plain(13, ">BBxxIQ8x")),
    "leftdelim": ({"id": U8, "what": U16, "length": U32}, plain(15, ">BBHI16x")),
    "rightdelim": ({"id": U8, "what": U16, "length": U32}, plain(16, ">BBHI16x")),
    "preg": ({"asiReg": U8, "traplevel": U8, "traptype": U8, "pstate": U16, "cpuid": CPU,
              "primA": U16, "secA": U16, "primD": U16, "secD": U16}, preg),
    "physaddr": ({"ea_valid": 1, "cpuid": CPU, "pc_pa": U64, "ea_pa": U64}, physaddr),
    "pavadiff": ({"ea_valid": 1, "cpuid": CPU, "icontext": U16, "dcontext": U16,
                  "pc_pa_va": U64, "ea_pa_va": U64}, pavadiff),
    "nullrec": ({}, plain(20, ">B23x")),
    "filemarker": ({"level": 7, "recType": U8, "cpuid": CPU, "incount": U64, "outcount": U64},
                   mark(0)),
    "recnum": ({"level": 7, "recType": U8, "cpuid": CPU, "incount": U64, "outcount": U64},
               mark(1)),
    "status": ({"status": U8, "analyzer": U8, "command": U8}, plain(23, ">BBBB20x")),
    "patch": ({"isBegin": 1, "rewindrecs": U8, "id": U8, "length": U16},
              plain(24, ">BBBBH18x")),
    "hwinfo": ({"sim": 1, "category": U8, "infotype": U8, "entindex": U16, "nument": U16,
                "val": U64, "val2": U64},
               lambda sim, *rest: pack(">BBBBHHQQ", 25, sim << 7, *rest)),
    "memval64": ({"addrisVA": 1, "cpuid": CPU, "size": 4, "addr": U64, "val": U64}, memval64),
    "memval128": ({"addrisVA": 1, "isContRec": 1, "cpuid": CPU, "addr": U64, "val": U64,
                   "val2": U64}, memval128),
    "bustrace": ({"flags": 4, "bt_type": 4, "txType": 6, "agentid": 10, "tdiff": 1,
                  "nsScale": 1, "timestamp": 20, "data": U64, "addr_pa": U64}, bustrace),
    "snoop": ({"snoopreq": U8, "device_id": U16, "size": U32, "addr_pa": U64,
               "device_type": U16}, plain(28, ">BBHIQH6x")),
    "tsb_access": ({"isdata": 1, "cpuid": CPU, "pa": U64, "va": U64},
                   lambda isdata, cpuid, pa, va: pack(">BBH4xQQ", 29, isdata, cpuid, pa, va)),
    "rfs_section": ({"section_type": U8, "n_records": U64}, plain(30, ">BB6xQ8x")),
    "rfs_cw": ({"cpuid": CPU, "reftype": 6, "asi": U8, "va_valid": 1, "fcn": 5, "va": U64,
                "pa": U64}, rfs_cw),
    "rfs_bt": ({"cpuid": CPU, "taken": 1, "instr": U32, "pc_va": U64, "npc_va": U64}, rfs_bt),
    "trapping_instr": ({"hpriv": 1, "priv": 1, "iftrap": 1, "ea_va_valid": 1, "ea_pa_valid": 1,
                        "cpuid": CPU, "instr": U32, "pc_va": U64, "ea_va": U64}, trapping_instr),
}  # fmt: skip

TEXTS: dict[str, tuple[str, int, int, int]] = {
    "header": ("header_str", 2, 4, 20),
    "strdesc": ("string", 14, 1, 23),
    "strcont": ("string", 21, 1, 23),
    "patch": ("descr", 24, 8, 16),
}
"""Record, text field, type, byte where it begins, bytes it has."""

OVER = {"rfs_cw": {"size"}}
"""Fields that lie over others: DMA's size over asi and fcn."""
