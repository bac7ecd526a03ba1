"""VIS, the vector instructions of V9 machines, and the ciphers of SPARC T4."""

from __future__ import annotations

from inst.arch.sparc.tables.registers import words
from inst.arch.sparc.tables.row import Row

BINARY = "d:s d:s d:d"
SINGLE = "f:s f:s f:d"
COMPARE = "d:s d:s r:d"
INTEGER = "r:s r:s r:d"
FOUR = "d:s d:s d:s d:d"

ARITHMETIC = (
    Row(
        "fpadd8 fpadd16 fpadd32 fpadd64 fpsub8 fpsub16 fpsub32 fpsub64 fpadds8 fpadds16 "
        "fpadds32 fpsubs8 fpsubs16 fpsubs32 fpaddus8 fpaddus16 fpsubus8 fpsubus16 fmean16 "
        "fchksm16 fmul8sux16 fmul8ulx16 fsll16 fsll32 fsrl16 fsrl32 fsra16 fsra32 fslas16 "
        "fslas32 fpmax8 fpmax16 fpmax32 fpmaxu8 fpmaxu16 fpmaxu32 fpmin8 fpmin16 fpmin32 "
        "fpminu8 fpminu16 fpminu32 fpsll64x fpsrl64x fpsra64x crc32c",
        BINARY,
    ),
    Row("fpadd16s fpadd32s fpsub16s fpsub32s fpadds16s fpadds32s fpsubs16s fpsubs32s", SINGLE),
    Row("fmul8x16", "f:s d:s d:d"),
    Row("fmul8x16au fmul8x16al fmuld8sux16 fmuld8ulx16 fpmerge", "f:s f:s d:d"),
    Row("fexpand", "f:s d:d"),
    Row("fpack16 fpackfix", "d:s f:d", uses="gsr"),
    Row("fpack32", BINARY, uses="gsr"),
    Row("pdist", "d:s d:s d:x"),
    Row("pdistn", COMPARE),
    Row("fpmaddx fpmaddxhi", FOUR),
)

LOGIC = (
    Row(
        "for fnor fand fnand fxor fxnor fornot1 fornot2 fandnot1 fandnot2 "
        "ford fnord fandd fnandd fxord fxnord fornot1d fornot2d fandnot1d fandnot2d",
        BINARY,
    ),
    Row("fors fnors fands fnands fxors fxnors fornot1s fornot2s fandnot1s fandnot2s", SINGLE),
    Row("fsrc1 fsrc2 fnot1 fnot2 fsrc1d fsrc2d fnot1d fnot2d", "d:s d:d"),
    Row("fsrc1s fsrc2s fnot1s fnot2s", "f:s f:d"),
    Row("fzero fone fzerod foned", "d:d"),
    Row("fzeros fones", "f:d"),
)

_COMPARES = words("fcmpgt fcmple fcmpne fcmpeq fpcmpgt fpcmple fpcmpne fpcmpeq fpcmpune fpcmpueq")
_SHIFTING_COMPARES = words(
    "ule8 ugt8 eq8 ne8 ule16 ugt16 eq16 ne16 ule32 ugt32 eq32 ne32 de8 de16 de32 ur8 ur16 ur32"
)

COMPARES = (
    Row(" ".join(f"{name}{width}" for name in _COMPARES for width in (16, 32)), COMPARE),
    Row(
        "fpcmple8 fpcmpgt8 fpcmpne8 fpcmpeq8 fpcmpule8 fpcmpugt8 fpcmpune8 fpcmpueq8 "
        "fucmple8 fucmpgt8 fucmpne8 fucmpeq8 fpcmpule16 fpcmpugt16 fpcmpule32 fpcmpugt32",
        COMPARE,
    ),
    Row(
        " ".join(f"fpcmp{name}shl" for name in _SHIFTING_COMPARES),
        "d:s d:s i r:d",
    ),
)

_EDGES = " ".join(f"edge{width}{{0}} edge{width}l{{0}}" for width in (8, 16, 32))

ADDRESSES = (
    Row("alignaddr alignaddrl bmask", INTEGER, uses="gsr", defs="gsr"),
    Row("faligndata bshuffle", BINARY, uses="gsr"),
    Row("faligndata", FOUR),  # by a register in the place of %gsr
    Row("array8 array16 array32", INTEGER),
    Row(_EDGES.format("cc"), INTEGER, defs="icc xcc"),
    Row(_EDGES.format(""), INTEGER, defs="icc xcc"),
    Row(_EDGES.format("n"), INTEGER),
    Row("cmask8 cmask16 cmask32", "r:s", uses="gsr", defs="gsr"),
    Row("siam", "i", uses="gsr", defs="gsr"),
    Row("shutdown"),
)

TRANSFERS = (
    Row("movdtox", "d:s r:d"),
    Row("movxtod", "r:s d:d"),
    Row("movwtos", "r:s f:d"),
    Row("movstouw movstosw", "f:s r:d"),
)

CIPHERS = (
    Row(
        "aes_eround01 aes_eround23 aes_dround01 aes_dround23 aes_eround01_l aes_eround23_l "
        "aes_dround01_l aes_dround23_l des_round camellia_f kasumi_fl_xor kasumi_fi_xor",
        FOUR,
    ),
    Row("aes_kexpand0 aes_kexpand2 kasumi_fi_fi camellia_fl camellia_fli", BINARY),
    Row("aes_kexpand1", "d:s d:s i d:d"),
    Row("des_kexpand", "d:s i d:d"),
    Row("des_ip des_iip", "d:s d:d"),
)

ALL = (*ARITHMETIC, *LOGIC, *COMPARES, *ADDRESSES, *TRANSFERS, *CIPHERS)
