"""The instructions that POWER10 added: their text, and the opcodes of all but accesses.

Source: Power ISA 3.1, Book I. A line is `mnemonic opcode | operands`, in their order in GNU as; the
opcode is in the language of `inst.arch.powerpc.words.patterns`. The accesses are those of
`inst.arch.powerpc.words.accesses`; `texts` has the text of those with prefixes.
"""

from __future__ import annotations

from collections.abc import Callable

from inst.arch.powerpc.words.accesses import (
    EXTENDED,
    PAIRS,
    access_of,
    base,
    displacement,
    first_of_pair,
    immediate,
    place_text,
    second,
    target,
)
from inst.arch.powerpc.words.patterns import pattern

TABLE = """
    paddi        mls 14                       | t,a,si,r
    pnop         mrr/0 0 low 0              |
    xxsplti32dx  8rr/16 32 20=0 19=0 18=0     | xt16,ix,imm
    xxspltidp    8rr/16 32 20=0 19=0 18=1 17=0 | xt16,imm
    xxspltiw     8rr/16 32 20=0 19=0 18=1 17=1 | xt16,imm
    xxblendvb    8rr/0 33 xx4 0               | xt,xa,xb,xc
    xxblendvh    8rr/0 33 xx4 1               | xt,xa,xb,xc
    xxblendvw    8rr/0 33 xx4 2               | xt,xa,xb,xc
    xxblendvd    8rr/0 33 xx4 3               | xt,xa,xb,xc
    xxpermx      8rr/3 34 xx4 0               | xt,xa,xb,xc,ui3
    xxeval       8rr/8 34 xx4 1               | xt,xa,xb,xc,ui8
    setbc        31 x 384 rb 0 0=0            | t,a
    setbcr       31 x 416 rb 0 0=0            | t,a
    setnbc       31 x 448 rb 0 0=0            | t,a
    setnbcr      31 x 480 rb 0 0=0            | t,a
    brh          31 x 219 rb 0 0=0            | a,t
    brw          31 x 155 rb 0 0=0            | a,t
    brd          31 x 187 rb 0 0=0            | a,t
    cfuged       31 x 220 0=0                 | a,t,b
    cntlzdm      31 x 59 0=0                  | a,t,b
    cnttzdm      31 x 571 0=0                 | a,t,b
    pdepd        31 x 156 0=0                 | a,t,b
    pextd        31 x 188 0=0                 | a,t,b
    mtvsrbm      4 vx 1602 ra 16              | t,b
    mtvsrhm      4 vx 1602 ra 17              | t,b
    mtvsrwm      4 vx 1602 ra 18              | t,b
    mtvsrdm      4 vx 1602 ra 19              | t,b
    mtvsrqm      4 vx 1602 ra 20              | t,b
    mtvsrbmi     4 a 10                       | t,bm
    vexpandqm    4 vx 1602 ra 4               | t,b
    vextractqm   4 vx 1602 ra 12              | t,b
    vgnb         4 vx 1228 20=0 19=0          | t,b,a
    vinsw        4 vx 207 20=0                | t,b,a
    vinsd        4 vx 463 20=0                | t,b,a
    vsldbi       4 va 22 10=0 9=0             | t,a,b,sh
    vsrdbi       4 va 22 10=0 9=1             | t,a,b,sh
    vmulld       4 vx 457                     | t,a,b
    vmulhuw      4 vx 649                     | t,a,b
    vmulhsw      4 vx 905                     | t,a,b
    vmulhud      4 vx 713                     | t,a,b
    vmulhsd      4 vx 969                     | t,a,b
    vmuleud      4 vx 712                     | t,a,b
    vmuloud      4 vx 200                     | t,a,b
    vmulesd      4 vx 968                     | t,a,b
    vmulosd      4 vx 456                     | t,a,b
    vmsumcud     4 va 23                      | t,a,b,c
    vrlq         4 vx 5                       | t,a,b
    vrlqnm       4 vx 325                     | t,a,b
    vrlqmi       4 vx 69                      | t,a,b
    vslq         4 vx 261                     | t,a,b
    vsrq         4 vx 517                     | t,a,b
    vsraq        4 vx 773                     | t,a,b
    vcmpuq       4 vx 257 22=0 21=0           | f,a,b
    vcmpsq       4 vx 321 22=0 21=0           | f,a,b
    vextsd2q     4 vx 1538 ra 27              | t,b
    vclrlb       4 vx 397                     | t,a,b
    vclrrb       4 vx 461                     | t,a,b
    vcfuged      4 vx 1357                    | t,a,b
    vpdepd       4 vx 1485                    | t,a,b
    vpextd       4 vx 1421                    | t,a,b
    vclzdm       4 vx 1924                    | t,a,b
    vctzdm       4 vx 1988                    | t,a,b
    lxvkq        60 xx1 360 ra 31             | xt,b
    xvtlsbb      60 xx2 475 ra 2 22=0 21=0 0=0 | f,xb
    xvcvbf16spn  60 xx2 475 ra 16             | xt,xb
    vdivsw       4 vx 395                     | t,a,b
    vdivuw       4 vx 139                     | t,a,b
    vdivesw      4 vx 907                     | t,a,b
    vdiveuw      4 vx 651                     | t,a,b
    vmodsw       4 vx 1931                    | t,a,b
    vmoduw       4 vx 1675                    | t,a,b
    vdivsd       4 vx 459                     | t,a,b
    vdivud       4 vx 203                     | t,a,b
    vdivesd      4 vx 971                     | t,a,b
    vdiveud      4 vx 715                     | t,a,b
    vmodsd       4 vx 1995                    | t,a,b
    vmodud       4 vx 1739                    | t,a,b
    vdivsq       4 vx 267                     | t,a,b
    vdivuq       4 vx 11                      | t,a,b
    vdivesq      4 vx 779                     | t,a,b
    vdiveuq      4 vx 523                     | t,a,b
    vmodsq       4 vx 1803                    | t,a,b
    vmoduq       4 vx 1547                    | t,a,b
    vexpandbm    4 vx 1602 ra 0               | t,b
    vextractbm   4 vx 1602 ra 8               | t,b
    vcntmbb      4 vx 1602 20=1 19=1 18=0 17=0 | t,b,mp
    xxgenpcvbm   60 xx1 916                   | xt,b,a
    vinsblx      4 vx 527                     | t,a,b
    vinsbvlx     4 vx 15                      | t,a,b
    vextdubvlx   4 va 24                      | t,a,b,c
    vinsbrx      4 vx 783                     | t,a,b
    vinsbvrx     4 vx 271                     | t,a,b
    vextdubvrx   4 va 25                      | t,a,b,c
    vexpandhm    4 vx 1602 ra 1               | t,b
    vextracthm   4 vx 1602 ra 9               | t,b
    vcntmbh      4 vx 1602 20=1 19=1 18=0 17=1 | t,b,mp
    xxgenpcvhm   60 xx1 917                   | xt,b,a
    vinshlx      4 vx 591                     | t,a,b
    vinshvlx     4 vx 79                      | t,a,b
    vextduhvlx   4 va 26                      | t,a,b,c
    vinshrx      4 vx 847                     | t,a,b
    vinshvrx     4 vx 335                     | t,a,b
    vextduhvrx   4 va 27                      | t,a,b,c
    vexpandwm    4 vx 1602 ra 2               | t,b
    vextractwm   4 vx 1602 ra 10              | t,b
    vcntmbw      4 vx 1602 20=1 19=1 18=1 17=0 | t,b,mp
    xxgenpcvwm   60 xx1 948                   | xt,b,a
    vinswlx      4 vx 655                     | t,a,b
    vinswvlx     4 vx 143                     | t,a,b
    vextduwvlx   4 va 28                      | t,a,b,c
    vinswrx      4 vx 911                     | t,a,b
    vinswvrx     4 vx 399                     | t,a,b
    vextduwvrx   4 va 29                      | t,a,b,c
    vexpanddm    4 vx 1602 ra 3               | t,b
    vextractdm   4 vx 1602 ra 11              | t,b
    vcntmbd      4 vx 1602 20=1 19=1 18=1 17=1 | t,b,mp
    xxgenpcvdm   60 xx1 949                   | xt,b,a
    vinsdlx      4 vx 719                     | t,a,b
    vextddvlx    4 va 30                      | t,a,b,c
    vinsdrx      4 vx 975                     | t,a,b
    vextddvrx    4 va 31                      | t,a,b,c
    vstribl      4 vc 13 ra 0 10=0            | t,b
    vstribl.     4 vc 13 ra 0 10=1            | t,b
    vstribr      4 vc 13 ra 1 10=0            | t,b
    vstribr.     4 vc 13 ra 1 10=1            | t,b
    vstrihl      4 vc 13 ra 2 10=0            | t,b
    vstrihl.     4 vc 13 ra 2 10=1            | t,b
    vstrihr      4 vc 13 ra 3 10=0            | t,b
    vstrihr.     4 vc 13 ra 3 10=1            | t,b
    vcmpequq     4 vc 455 10=0                | t,a,b
    vcmpequq.    4 vc 455 10=1                | t,a,b
    vcmpgtuq     4 vc 647 10=0                | t,a,b
    vcmpgtuq.    4 vc 647 10=1                | t,a,b
    vcmpgtsq     4 vc 903 10=0                | t,a,b
    vcmpgtsq.    4 vc 903 10=1                | t,a,b
    xvcvspbf16   60 xx2 475 ra 17             | xt,xb
    xscvqpuqz    63 x 836 ra 0 0=0            | t,b
    xscvqpsqz    63 x 836 ra 8 0=0            | t,b
    xscvuqqp     63 x 836 ra 3 0=0            | t,b
    xscvsqqp     63 x 836 ra 11 0=0           | t,b
    xscmpeqqp    63 x 68 0=0                  | t,a,b
    xscmpgeqp    63 x 196 0=0                 | t,a,b
    xscmpgtqp    63 x 228 0=0                 | t,a,b
    xsmaxcqp     63 x 676 0=0                 | t,a,b
    xsmincqp     63 x 740 0=0                 | t,a,b
    xxmfacc        31 x 177 ra 0 at 0 rb 0 0=0            | f
    xxmtacc        31 x 177 ra 1 at 0 rb 0 0=0            | f
    xxsetaccz      31 x 177 ra 3 at 0 rb 0 0=0            | f
    xvi4ger8       59 xx3 35 at 0 0=0                     | f,xa,xb
    xvi4ger8pp     59 xx3 34 at 0 0=0                     | f,xa,xb
    xvi8ger4       59 xx3 3 at 0 0=0                      | f,xa,xb
    xvi8ger4pp     59 xx3 2 at 0 0=0                      | f,xa,xb
    xvi8ger4spp    59 xx3 99 at 0 0=0                     | f,xa,xb
    xvi16ger2      59 xx3 75 at 0 0=0                     | f,xa,xb
    xvi16ger2pp    59 xx3 107 at 0 0=0                    | f,xa,xb
    xvi16ger2s     59 xx3 43 at 0 0=0                     | f,xa,xb
    xvi16ger2spp   59 xx3 42 at 0 0=0                     | f,xa,xb
    xvf32ger       59 xx3 27 at 0 0=0                     | f,xa,xb
    xvf32gerpp     59 xx3 26 at 0 0=0                     | f,xa,xb
    xvf32gernp     59 xx3 90 at 0 0=0                     | f,xa,xb
    xvf32gerpn     59 xx3 154 at 0 0=0                    | f,xa,xb
    xvf32gernn     59 xx3 218 at 0 0=0                    | f,xa,xb
    xvf64ger       59 xx3 59 at 0 0=0 16=0                | f,xa,xb
    xvf64gerpp     59 xx3 58 at 0 0=0 16=0                | f,xa,xb
    xvf64gernp     59 xx3 122 at 0 0=0 16=0               | f,xa,xb
    xvf64gerpn     59 xx3 186 at 0 0=0 16=0               | f,xa,xb
    xvf64gernn     59 xx3 250 at 0 0=0 16=0               | f,xa,xb
    pmxvi4ger8     mmirr/16 59 xx3 35 at 0 0=0            | f,xa,xb,xm,ym,pm8
    pmxvi4ger8pp   mmirr/16 59 xx3 34 at 0 0=0            | f,xa,xb,xm,ym,pm8
    pmxvi8ger4     mmirr/16 59 xx3 3 at 0 0=0 p4 0        | f,xa,xb,xm,ym,pm4
    pmxvi8ger4pp   mmirr/16 59 xx3 2 at 0 0=0 p4 0        | f,xa,xb,xm,ym,pm4
    pmxvi8ger4spp  mmirr/16 59 xx3 99 at 0 0=0 p4 0       | f,xa,xb,xm,ym,pm4
    pmxvi16ger2    mmirr/16 59 xx3 75 at 0 0=0 p6 0       | f,xa,xb,xm,ym,pm2
    pmxvi16ger2pp  mmirr/16 59 xx3 107 at 0 0=0 p6 0      | f,xa,xb,xm,ym,pm2
    pmxvi16ger2s   mmirr/16 59 xx3 43 at 0 0=0 p6 0       | f,xa,xb,xm,ym,pm2
    pmxvi16ger2spp mmirr/16 59 xx3 42 at 0 0=0 p6 0       | f,xa,xb,xm,ym,pm2
    pmxvf32ger     mmirr/8 59 xx3 27 at 0 0=0             | f,xa,xb,xm,ym
    pmxvf32gerpp   mmirr/8 59 xx3 26 at 0 0=0             | f,xa,xb,xm,ym
    pmxvf32gernp   mmirr/8 59 xx3 90 at 0 0=0             | f,xa,xb,xm,ym
    pmxvf32gerpn   mmirr/8 59 xx3 154 at 0 0=0            | f,xa,xb,xm,ym
    pmxvf32gernn   mmirr/8 59 xx3 218 at 0 0=0            | f,xa,xb,xm,ym
    pmxvf64ger     mmirr/8 59 xx3 59 at 0 0=0 16=0 p2 0   | f,xa,xb,xm,ym2
    pmxvf64gerpp   mmirr/8 59 xx3 58 at 0 0=0 16=0 p2 0   | f,xa,xb,xm,ym2
    pmxvf64gernp   mmirr/8 59 xx3 122 at 0 0=0 16=0 p2 0  | f,xa,xb,xm,ym2
    pmxvf64gerpn   mmirr/8 59 xx3 186 at 0 0=0 16=0 p2 0  | f,xa,xb,xm,ym2
    pmxvf64gernn   mmirr/8 59 xx3 250 at 0 0=0 16=0 p2 0  | f,xa,xb,xm,ym2
"""


def _rows() -> dict[str, tuple[str, tuple[str, ...]]]:
    found = {}
    for line in filter(None, map(str.strip, TABLE.splitlines())):
        name, rest = line.split(None, 1)
        opcode, _, operands = rest.partition("|")
        found[name] = opcode.strip(), tuple(filter(None, operands.strip().split(",")))
    return found


_ROWS = _rows()
OPCODES = {name: opcode for name, (opcode, _) in _ROWS.items()}
"""Mnemonic -> opcode."""
_PATTERNS = {name: pattern(opcode) for name, opcode in OPCODES.items()}


_FIELDS: dict[str, Callable[[int], int]] = {
    "t": lambda n: n >> 21 & 31,
    "a": lambda n: n >> 16 & 31,
    "b": lambda n: n >> 11 & 31,
    "c": lambda n: n >> 6 & 31,
    "f": lambda n: n >> 23 & 7,
    "xt": lambda n: n >> 21 & 31 | (n & 1) << 5,
    "xt16": lambda n: n >> 21 & 31 | (n >> 16 & 1) << 5,
    "xa": lambda n: n >> 16 & 31 | (n >> 2 & 1) << 5,
    "xb": lambda n: n >> 11 & 31 | (n >> 1 & 1) << 5,
    "xc": lambda n: n >> 6 & 31 | (n >> 3 & 1) << 5,
    "si": displacement,
    "r": lambda n: n >> 52 & 1,
    "imm": lambda n: (n >> 32 & 0xFFFF) << 16 | n & 0xFFFF,
    "ui3": lambda n: n >> 32 & 7,
    "ui8": lambda n: n >> 32 & 255,
    "xm": lambda n: n >> 36 & 15,
    "ym": lambda n: n >> 32 & 15,
    "ym2": lambda n: n >> 34 & 3,
    "pm8": lambda n: n >> 40 & 255,
    "pm4": lambda n: n >> 44 & 15,
    "pm2": lambda n: n >> 46 & 3,
    "ix": lambda n: n >> 17 & 1,
    "mp": lambda n: n >> 16 & 1,
    "sh": lambda n: n >> 6 & 7,
    "bm": lambda n: (n >> 6 & 1023) << 6 | (n >> 16 & 31) << 1 | n & 1,
}


def text_of(number: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of an instruction; None for others."""
    is_long = number >> 32 != 0
    for name, (mask, value) in _PATTERNS.items():
        if number & mask == value and (value >> 32 != 0) == is_long:
            fields = (_FIELDS[field](number) for field in _ROWS[name][1])
            return name, ", ".join(map(str, fields))
    return None if is_long else _access(number)


def _access(word: int) -> tuple[str, str] | None:
    """Return the text of an access of a pair of registers, or of a right element."""
    access = access_of(word)
    if access is None or not (access.bank in PAIRS or access.value == "second"):
        return None
    register = first_of_pair(target(word)) if access.bank in PAIRS else _FIELDS["xt"](word)
    first = base(word)
    if word >> 26 == EXTENDED:
        place = f"{f'r{first}' if first else '0'}, r{second(word)}"
    else:
        place = place_text(immediate(word & 0xFFF0), first)
    return access.mnemonic, f"vs{register}, {place}"
