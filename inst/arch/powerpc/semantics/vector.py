"""AltiVec: integers, permutations, comparisons, ciphers, and floating point.

Source: Power ISA 3.0B, Book I, chapter 6. Not here: estimates, whose values depend on the processor.
The emulator does vrldmi as if it were vrldnm: it is executed where that is the same.
"""

from __future__ import annotations

from collections.abc import Iterator

_SIZES = {"b": 8, "h": 16, "w": 32, "d": 64}
# Mnemonic with {} for the size -> value of an element from a and b; opcodes by size, and the sign.
_EACH = (
    ("vaddu{}m", "u", "a + b", {"b": 0, "h": 64, "w": 128, "d": 192}),
    ("vsubu{}m", "u", "a - b", {"b": 1024, "h": 1088, "w": 1152, "d": 1216}),
    ("vmaxu{}", "u", "a > b ? a : b", {"b": 2, "h": 66, "w": 130, "d": 194}),
    ("vmaxs{}", "s", "a > b ? a : b", {"b": 258, "h": 322, "w": 386, "d": 450}),
    ("vminu{}", "u", "a < b ? a : b", {"b": 514, "h": 578, "w": 642, "d": 706}),
    ("vmins{}", "s", "a < b ? a : b", {"b": 770, "h": 834, "w": 898, "d": 962}),
    ("vavgu{}", "u", "((u64)a + b + 1) >> 1", {"b": 1026, "h": 1090, "w": 1154}),
    ("vavgs{}", "s", "((s64)a + b + 1) >> 1", {"b": 1282, "h": 1346, "w": 1410}),
    ("vrl{}", "u", "(u64)a << (b & (BITS - 1)) | a >> (-b & (BITS - 1))", {"b": 4, "h": 68, "w": 132, "d": 196}),
    ("vsl{}", "u", "(u64)a << (b & (BITS - 1))", {"b": 260, "h": 324, "w": 388, "d": 1476}),
    ("vsr{}", "u", "a >> (b & (BITS - 1))", {"b": 516, "h": 580, "w": 644, "d": 1732}),
    ("vsra{}", "s", "a >> (b & (BITS - 1))", {"b": 772, "h": 836, "w": 900, "d": 964}),
    ("vaddu{}s", "u", "CLAMP_U(BITS, (s128)a + b)", {"b": 512, "h": 576, "w": 640}),
    ("vadds{}s", "s", "CLAMP_S(BITS, (s128)a + b)", {"b": 768, "h": 832, "w": 896}),
    ("vsubu{}s", "u", "CLAMP_U(BITS, (s128)a - b)", {"b": 1536, "h": 1600, "w": 1664}),
    ("vsubs{}s", "s", "CLAMP_S(BITS, (s128)a - b)", {"b": 1792, "h": 1856, "w": 1920}),
    ("vaddcu{}", "u", "((u64)a + b) >> 32", {"w": 384}),
    ("vsubcu{}", "u", "a >= b", {"w": 1408}),
    ("vmulu{}m", "u", "a * b", {"w": 137}),
    ("vpopcnt{}", "u", "(void)a, __builtin_popcountll(b)", {"b": 1795, "h": 1859, "w": 1923, "d": 1987}),
    ("vabsdu{}", "u", "a > b ? a - b : b - a", {"b": 1027, "h": 1091, "w": 1155}),
    ("vclz{}", "u", "(void)a, b ? __builtin_clzll(b) - (64 - BITS) : BITS", {"b": 1794, "h": 1858, "w": 1922, "d": 1986}),
)  # fmt: skip
_COMPARES = (
    ("vcmpequ{}", "u", "a == b", {"b": 6, "h": 70, "w": 134, "d": 199}),
    ("vcmpgtu{}", "u", "a > b", {"b": 518, "h": 582, "w": 646, "d": 711}),
    ("vcmpgts{}", "s", "a > b", {"b": 774, "h": 838, "w": 902, "d": 967}),
    ("vcmpne{}", "u", "a != b", {"b": 7, "h": 71, "w": 135}),
    ("vcmpnez{}", "u", "a != b || !a || !b", {"b": 263, "h": 327, "w": 391}),
)
_FLOATING_COMPARES = (
    ("vcmpeqfp", "EQUAL", 198),
    ("vcmpgefp", "GREATER_EQUAL", 454),
    ("vcmpgtfp", "GREATER", 710),
)
_POWER8 = ("vmulu", "vpopcnt", "vclz", "vabsdu")
"""How mnemonics begin that only 64-bit programs have, beside those of doublewords."""
_FIXED = """
    vand 4 vx 1028  | SET_BOTH(VT, VA[0] & VB[0], VA[1] & VB[1]);
    vandc 4 vx 1092 | SET_BOTH(VT, VA[0] & ~VB[0], VA[1] & ~VB[1]);
    vor 4 vx 1156   | SET_BOTH(VT, VA[0] | VB[0], VA[1] | VB[1]);
    vxor 4 vx 1220  | SET_BOTH(VT, VA[0] ^ VB[0], VA[1] ^ VB[1]);
    vnor 4 vx 1284  | SET_BOTH(VT, ~(VA[0] | VB[0]), ~(VA[1] | VB[1]));
    vorc 4 vx 1348 (64)  | SET_BOTH(VT, VA[0] | ~VB[0], VA[1] | ~VB[1]);
    vnand 4 vx 1412 (64) | SET_BOTH(VT, ~(VA[0] & VB[0]), ~(VA[1] & VB[1]));
    veqv 4 vx 1668 (64)  | SET_BOTH(VT, ~(VA[0] ^ VB[0]), ~(VA[1] ^ VB[1]));
    vadduqm 4 vx 256 (64)  | SET_WHOLE(VT, WHOLE(VA) + WHOLE(VB));
    vsubuqm 4 vx 1280 (64) | SET_WHOLE(VT, WHOLE(VA) - WHOLE(VB));
    vaddcuq 4 vx 320 (64)  | SET_WHOLE(VT, WHOLE(VA) + WHOLE(VB) < WHOLE(VA));
    vsubcuq 4 vx 1344 (64) | SET_WHOLE(VT, WHOLE(VA) >= WHOLE(VB));
    vaddeuqm 4 va 60 (64)  | SET_WHOLE(VT, WHOLE(VA) + WHOLE(VB) + (VC[1] & 1));
    vaddecuq 4 va 61 (64)  | u128 sum = WHOLE(VA) + WHOLE(VB); SET_WHOLE(VT, sum < WHOLE(VA) || ((VC[1] & 1) && !(sum + 1)));
    vsubeuqm 4 va 62 (64)  | SET_WHOLE(VT, WHOLE(VA) + ~WHOLE(VB) + (VC[1] & 1));
    vsubecuq 4 va 63 (64)  | u128 sum = WHOLE(VA) + ~WHOLE(VB); SET_WHOLE(VT, sum < WHOLE(VA) || ((VC[1] & 1) && !(sum + 1)));
    vsl 4 vx 452  | SET_WHOLE(VT, WHOLE(VA) << (VB[1] & 7));
    vsr 4 vx 708  | SET_WHOLE(VT, WHOLE(VA) >> (VB[1] & 7));
    vslo 4 vx 1036 | SET_WHOLE(VT, WHOLE(VA) << (VB[1] >> 3 & 15) * 8);
    vsro 4 vx 1100 | SET_WHOLE(VT, WHOLE(VA) >> (VB[1] >> 3 & 15) * 8);
    vrlwnm 4 vx 389 (64) | MAKE(VT, 32, rotated_within(GET(VA, 32, n), GET(VB, 32, n), 32, 0));
    vrlwmi 4 vx 133 (64) | MAKE(VT, 32, rotated_within(GET(VA, 32, n), GET(VB, 32, n), 32, GET(VT, 32, n)));
    vrldmi 4 vx 197 (64) | for (unsigned n = 0; n < 2; n++)
        | if (rotated_within(VA[n], VB[n], 64, 0) != rotated_within(VA[n], VB[n], 64, VT[n])) UNDEFINED;
        | MAKE(VT, 64, rotated_within(VA[n], VB[n], 64, 0));
    vrldnm 4 vx 453 (64) | MAKE(VT, 64, rotated_within(VA[n], VB[n], 64, 0));
    vmul10uq 4 vx 513 rb 0 (64)  | u128 low; times_ten(WHOLE(VA), 0, &low); SET_WHOLE(VT, low);
    vmul10cuq 4 vx 1 rb 0 (64)   | u128 low; u64 high = times_ten(WHOLE(VA), 0, &low); SET_BOTH(VT, 0, high);
    vmul10euq 4 vx 577 (64)      | if ((VB[1] & 15) > 9) UNDEFINED; u128 low; times_ten(WHOLE(VA), VB[1] & 15, &low); SET_WHOLE(VT, low);
    vmul10ecuq 4 vx 65 (64)      | if ((VB[1] & 15) > 9) UNDEFINED; u128 low; u64 high = times_ten(WHOLE(VA), VB[1] & 15, &low); SET_BOTH(VT, 0, high);
    vslv 4 vx 1860 (64) | MAKE(VT, 8, ((GET(VA, 8, n) << 8 | (n < 15 ? GET(VA, 8, n + 1) : 0)) << (GET(VB, 8, n) & 7)) >> 8);
    vsrv 4 vx 1796 (64) | MAKE(VT, 8, ((n ? GET(VA, 8, n - 1) : 0) << 8 | GET(VA, 8, n)) >> (GET(VB, 8, n) & 7));
    vmrghb 4 vx 12  | MAKE(VT, 8, GET(n % 2 ? VB : VA, 8, n / 2));
    vmrghh 4 vx 76  | MAKE(VT, 16, GET(n % 2 ? VB : VA, 16, n / 2));
    vmrghw 4 vx 140 | MAKE(VT, 32, GET(n % 2 ? VB : VA, 32, n / 2));
    vmrglb 4 vx 268 | MAKE(VT, 8, GET(n % 2 ? VB : VA, 8, 8 + n / 2));
    vmrglh 4 vx 332 | MAKE(VT, 16, GET(n % 2 ? VB : VA, 16, 4 + n / 2));
    vmrglw 4 vx 396 | MAKE(VT, 32, GET(n % 2 ? VB : VA, 32, 2 + n / 2));
    vmrgew 4 vx 1932 (64) | MAKE(VT, 32, GET(n % 2 ? VB : VA, 32, n & 2));
    vmrgow 4 vx 1676 (64) | MAKE(VT, 32, GET(n % 2 ? VB : VA, 32, (n & 2) + 1));
    vspltb 4 vx 524 20=0       | u64 v = GET(VB, 8, FA & 15); MAKE(VT, 8, v);
    vsplth 4 vx 588 20=0 19=0  | u64 v = GET(VB, 16, FA & 7); MAKE(VT, 16, v);
    vspltw 4 vx 652 20=0 19=0 18=0 | u64 v = GET(VB, 32, FA & 3); MAKE(VT, 32, v);
    vspltisb 4 vx 780 rb 0 | MAKE(VT, 8, (s32)(FA << 27) >> 27);
    vspltish 4 vx 844 rb 0 | MAKE(VT, 16, (s32)(FA << 27) >> 27);
    vspltisw 4 vx 908 rb 0 | MAKE(VT, 32, (s32)(FA << 27) >> 27);
    vupkhsb 4 vx 526 ra 0  | MAKE(VT, 16, (s8)GET(VB, 8, n));
    vupkhsh 4 vx 590 ra 0  | MAKE(VT, 32, (s16)GET(VB, 16, n));
    vupkhsw 4 vx 1614 ra 0 (64) | MAKE(VT, 64, (s32)GET(VB, 32, n));
    vupklsb 4 vx 654 ra 0  | MAKE(VT, 16, (s8)GET(VB, 8, 8 + n));
    vupklsh 4 vx 718 ra 0  | MAKE(VT, 32, (s16)GET(VB, 16, 4 + n));
    vupklsw 4 vx 1742 ra 0 (64) | MAKE(VT, 64, (s32)GET(VB, 32, 2 + n));
    vsel 4 va 42 | SET_BOTH(VT, (VA[0] & ~VC[0]) | (VB[0] & VC[0]), (VA[1] & ~VC[1]) | (VB[1] & VC[1]));
    vperm 4 va 43 | MAKE(VT, 8, byte_of(VA, VB, GET(VC, 8, n)));
    vpermr 4 va 59 (64) | MAKE(VT, 8, byte_of(VA, VB, 31 - (GET(VC, 8, n) & 31)));
    vpermxor 4 va 45 (64) | MAKE(VT, 8, GET(VA, 8, GET(VC, 8, n) >> 4) ^ GET(VB, 8, GET(VC, 8, n) & 15));
    vsldoi 4 va 44 10=0 | MAKE(VT, 8, byte_of(VA, VB, n + FC));
    vmladduhm 4 va 34 | MAKE(VT, 16, GET(VA, 16, n) * GET(VB, 16, n) + GET(VC, 16, n));
    vmsumubm 4 va 36 | MAKE(VT, 32, products_of_bytes(VA, VB, n, 0) + GET(VC, 32, n));
    vmsummbm 4 va 37 | MAKE(VT, 32, products_of_bytes(VA, VB, n, 1) + GET(VC, 32, n));
    vmsumuhm 4 va 38 | MAKE(VT, 32, GET(VA, 16, 2 * n) * GET(VB, 16, 2 * n) + GET(VA, 16, 2 * n + 1) * GET(VB, 16, 2 * n + 1) + GET(VC, 32, n));
    vmsumshm 4 va 40 | MAKE(VT, 32, (s16)GET(VA, 16, 2 * n) * (s16)GET(VB, 16, 2 * n) + (s64)(s16)GET(VA, 16, 2 * n + 1) * (s16)GET(VB, 16, 2 * n + 1) + GET(VC, 32, n));
    vmsumuhs 4 va 39 | MAKE(VT, 32, CLAMP_U(32, (s64)PRODUCTS_OF_HALVES(u16, u64) + (s64)GET(VC, 32, n)));
    vmsumshs 4 va 41 | MAKE(VT, 32, CLAMP_S(32, PRODUCTS_OF_HALVES(s16, s64) + (s32)GET(VC, 32, n)));
    vmsumudm 4 va 35 (64) | SET_WHOLE(VT, (u128)VA[0] * VB[0] + (u128)VA[1] * VB[1] + WHOLE(VC));
    vmhaddshs 4 va 32 | MAKE(VT, 16, CLAMP_S(16, (((s16)GET(VA, 16, n) * (s16)GET(VB, 16, n)) >> 15) + (s16)GET(VC, 16, n)));
    vmhraddshs 4 va 33 | MAKE(VT, 16, CLAMP_S(16, (((s16)GET(VA, 16, n) * (s16)GET(VB, 16, n) + 0x4000) >> 15) + (s16)GET(VC, 16, n)));
    vpkpx 4 vx 782 | MAKE(VT, 16, pixel(GET(n < 4 ? VA : VB, 32, n % 4)));
    vupkhpx 4 vx 846 ra 0 | MAKE(VT, 32, of_pixel(GET(VB, 16, n)));
    vupklpx 4 vx 974 ra 0 | MAKE(VT, 32, of_pixel(GET(VB, 16, 4 + n)));
    vpmsumb 4 vx 1032 (64) | MAKE(VT, 16, carryless(VA, VB, 8, 2 * n) ^ carryless(VA, VB, 8, 2 * n + 1));
    vpmsumh 4 vx 1096 (64) | MAKE(VT, 32, carryless(VA, VB, 16, 2 * n) ^ carryless(VA, VB, 16, 2 * n + 1));
    vpmsumw 4 vx 1160 (64) | MAKE(VT, 64, carryless(VA, VB, 32, 2 * n) ^ carryless(VA, VB, 32, 2 * n + 1));
    vpmsumd 4 vx 1224 (64) | SET_WHOLE(VT, carryless(VA, VB, 64, 0) ^ carryless(VA, VB, 64, 1));
    vcipher 4 vx 1288 (64)      | u64 r[2]; substitute(VA, r, 1); mix_columns(r, encrypting); SET_BOTH(VT, r[0] ^ VB[0], r[1] ^ VB[1]);
    vcipherlast 4 vx 1289 (64)  | u64 r[2]; substitute(VA, r, 1); SET_BOTH(VT, r[0] ^ VB[0], r[1] ^ VB[1]);
    vncipher 4 vx 1352 (64)     | u64 r[2]; substitute_back(VA, r); r[0] ^= VB[0]; r[1] ^= VB[1]; mix_columns(r, decrypting); SET(VT, r);
    vncipherlast 4 vx 1353 (64) | u64 r[2]; substitute_back(VA, r); SET_BOTH(VT, r[0] ^ VB[0], r[1] ^ VB[1]);
    vsbox 4 vx 1480 rb 0 (64)   | u64 r[2]; substitute(VA, r, 0); SET(VT, r);
    vshasigmaw 4 vx 1666 (64) | MAKE(VT, 32, sigma_of_word(GET(VA, 32, n), W(15, 15), W(14, 11) >> (3 - n) & 1));
    vshasigmad 4 vx 1730 (64) | MAKE(VT, 64, sigma_of_doubleword(VA[n], W(15, 15), W(14, 11) >> (3 - 2 * n) & 1));
    vbpermd 4 vx 1484 (64) | MAKE(VT, 64, picked_from(VA[n], VB[n]));
    vprtybw 4 vx 1538 ra 8 (64) | MAKE(VT, 32, __builtin_parityll(GET(VB, 32, n) & LOW_BITS));
    vprtybd 4 vx 1538 ra 9 (64) | MAKE(VT, 64, __builtin_parityll(VB[n] & LOW_BITS));
    vprtybq 4 vx 1538 ra 10 (64) | SET_BOTH(VT, 0, __builtin_parityll((VB[0] ^ VB[1]) & LOW_BITS));
    vaddfp 4 vx 10   | VECTOR_ARITHMETIC(ADD, VA, VB, no_operand);
    vsubfp 4 vx 74   | VECTOR_ARITHMETIC(SUB, VA, VB, no_operand);
    vmaddfp 4 va 46  | VECTOR_ARITHMETIC(MADD, VA, VB, VC);
    vnmsubfp 4 va 47 | VECTOR_ARITHMETIC(NMSUB, VA, VB, VC);
    vmaxfp 4 vx 1034 | VECTOR_EACH(extreme(a, b, 0));
    vminfp 4 vx 1098 | VECTOR_EACH(extreme(a, b, 1));
    vrfin 4 vx 522 ra 0 | VECTOR_EACH(to_integral(b, 0, &found_));
    vrfiz 4 vx 586 ra 0 | VECTOR_EACH(to_integral(b, 1, &found_));
    vrfip 4 vx 650 ra 0 | VECTOR_EACH(to_integral(b, 2, &found_));
    vrfim 4 vx 714 ra 0 | VECTOR_EACH(to_integral(b, 3, &found_));
    vcfux 4 vx 778 | MAKE(VT, 32, scaled_float((s64)GET(VB, 32, n), FA));
    vcfsx 4 vx 842 | MAKE(VT, 32, scaled_float((s32)GET(VB, 32, n), FA));
    vctuxs 4 vx 906 | REFUSE_NANS(VB); MAKE(VT, 32, CLAMP_U(32, scaled_integer(GET(VB, 32, n), FA)));
    vctsxs 4 vx 970 | REFUSE_NANS(VB); MAKE(VT, 32, CLAMP_S(32, scaled_integer(GET(VB, 32, n), FA)));
    vsumsws 4 vx 1928 | s64 sum = (s32)VB[1]; for (unsigned n = 0; n < 4; n++) sum += (s32)GET(VA, 32, n);
                      | SET_BOTH(VT, 0, (u32)CLAMP_S(32, sum));
    vsum2sws 4 vx 1672 | MAKE(VT, 64, (u32)CLAMP_S(32, (s64)(s32)GET(VA, 32, 2 * n) + (s32)GET(VA, 32, 2 * n + 1) + (s32)VB[n]));
    vsum4sbs 4 vx 1800 | MAKE(VT, 32, CLAMP_S(32, sum_of_bytes(VA, n, 1) + (s32)GET(VB, 32, n)));
    vsum4ubs 4 vx 1544 | MAKE(VT, 32, CLAMP_U(32, sum_of_bytes(VA, n, 0) + (s64)GET(VB, 32, n)));
    vsum4shs 4 vx 1608 | MAKE(VT, 32, CLAMP_S(32, (s64)(s16)GET(VA, 16, 2 * n) + (s16)GET(VA, 16, 2 * n + 1) + (s32)GET(VB, 32, n)));
    vctzb 4 vx 1538 ra 28 (64) | MAKE(VT, 8, __builtin_ctz(GET(VB, 8, n) | 0x100));
    vctzh 4 vx 1538 ra 29 (64) | MAKE(VT, 16, __builtin_ctz(GET(VB, 16, n) | 0x10000));
    vctzw 4 vx 1538 ra 30 (64) | MAKE(VT, 32, __builtin_ctzll(GET(VB, 32, n) | (u64)1 << 32));
    vctzd 4 vx 1538 ra 31 (64) | MAKE(VT, 64, VB[n] ? __builtin_ctzll(VB[n]) : 64);
    vextsb2w 4 vx 1538 ra 16 (64) | MAKE(VT, 32, (s8)GET(VB, 32, n));
    vextsh2w 4 vx 1538 ra 17 (64) | MAKE(VT, 32, (s16)GET(VB, 32, n));
    vextsb2d 4 vx 1538 ra 24 (64) | MAKE(VT, 64, (s8)VB[n]);
    vextsh2d 4 vx 1538 ra 25 (64) | MAKE(VT, 64, (s16)VB[n]);
    vextsw2d 4 vx 1538 ra 26 (64) | MAKE(VT, 64, (s32)VB[n]);
    vnegw 4 vx 1538 ra 6 (64) | MAKE(VT, 32, -GET(VB, 32, n));
    vnegd 4 vx 1538 ra 7 (64) | MAKE(VT, 64, -VB[n]);
    vclzlsbb 4 vx 1538 ra 0 (64) | unsigned n = 0; while (n < 16 && !(GET(VB, 8, n) & 1)) n++; RT = n;
    vctzlsbb 4 vx 1538 ra 1 (64) | unsigned n = 0; while (n < 16 && !(GET(VB, 8, 15 - n) & 1)) n++; RT = n;
    vgbbd 4 vx 1292 ra 0 (64) | SET_BOTH(VT, gathered_bits(VB, 0), gathered_bits(VB, 1));
    vbpermq 4 vx 1356 (64) | SET_BOTH(VT, picked_bits(VA, VB), 0);
    vextractub 4 vx 525 20=0 (64) | if (FA > 15) UNDEFINED; SET_BOTH(VT, (u8)(WHOLE(VB) >> (15 - FA) * 8), 0);
    vextractuh 4 vx 589 20=0 (64) | if (FA > 14) UNDEFINED; SET_BOTH(VT, (u16)(WHOLE(VB) >> (14 - FA) * 8), 0);
    vextractuw 4 vx 653 20=0 (64) | if (FA > 12) UNDEFINED; SET_BOTH(VT, (u32)(WHOLE(VB) >> (12 - FA) * 8), 0);
    vextractd 4 vx 717 20=0 (64)  | if (FA > 8) UNDEFINED; SET_BOTH(VT, (u64)(WHOLE(VB) >> (8 - FA) * 8), 0);
    vinsertb 4 vx 781 20=0 (64) | if (FA > 15) UNDEFINED; INSERT(0xff, (u8)VB[0], 15 - FA);
    vinserth 4 vx 845 20=0 (64) | if (FA > 14) UNDEFINED; INSERT(0xffff, (u16)VB[0], 14 - FA);
    vinsertw 4 vx 909 20=0 (64) | if (FA > 12) UNDEFINED; INSERT(0xffffffff, (u32)VB[0], 12 - FA);
    vinsertd 4 vx 973 20=0 (64) | if (FA > 8) UNDEFINED; INSERT(~(u64)0, VB[0], 8 - FA);
    vextublx 4 vx 1549 (64) | unsigned n = RA & 15; RT = (u8)(WHOLE(VB) >> (15 - n) * 8);
    vextuhlx 4 vx 1613 (64) | unsigned n = RA & 15; if (n > 14) UNDEFINED; RT = (u16)(WHOLE(VB) >> (14 - n) * 8);
    vextuwlx 4 vx 1677 (64) | unsigned n = RA & 15; if (n > 12) UNDEFINED; RT = (u32)(WHOLE(VB) >> (12 - n) * 8);
    vextubrx 4 vx 1805 (64) | unsigned n = RA & 15; RT = (u8)(WHOLE(VB) >> n * 8);
    vextuhrx 4 vx 1869 (64) | unsigned n = RA & 15; if (n > 14) UNDEFINED; RT = (u16)(WHOLE(VB) >> n * 8);
    vextuwrx 4 vx 1933 (64) | unsigned n = RA & 15; if (n > 12) UNDEFINED; RT = (u32)(WHOLE(VB) >> n * 8);
    mfvscr 4 vx 1540 ra 0 rb 0 | SET_BOTH(VT, 0, s->vscr);
    mtvscr 4 vx 1604 rt 0 ra 0 | if ((u32)VB[1] & ~0x10001) UNDEFINED; s->vscr = (u32)VB[1];
    lvsl 31 x 6 0=0  | unsigned from = (RA0 + RB) & 15; MAKE(VT, 8, from + n);
    lvsr 31 x 38 0=0 | unsigned from = (RA0 + RB) & 15; MAKE(VT, 8, 16 - from + n);
"""
_PACKS = (
    ("vpkuhum", 14, 16, "u", "v"), ("vpkuwum", 78, 32, "u", "v"), ("vpkudum", 1102, 64, "u", "v"),
    ("vpkuhus", 142, 16, "u", "CLAMP_U(8, v)"), ("vpkuwus", 206, 32, "u", "CLAMP_U(16, v)"),
    ("vpkudus", 1230, 64, "u", "CLAMP_U(32, v)"),
    ("vpkshus", 270, 16, "s", "CLAMP_U(8, v)"), ("vpkswus", 334, 32, "s", "CLAMP_U(16, v)"),
    ("vpksdus", 1358, 64, "s", "CLAMP_U(32, v)"),
    ("vpkshss", 398, 16, "s", "CLAMP_S(8, v)"), ("vpkswss", 462, 32, "s", "CLAMP_S(16, v)"),
    ("vpksdss", 1486, 64, "s", "CLAMP_S(32, v)"),
)  # fmt: skip
_PRODUCTS = (
    ("vmuloub", 8, 8, "u", 1), ("vmulouh", 72, 16, "u", 1), ("vmulouw", 136, 32, "u", 1),
    ("vmulosb", 264, 8, "s", 1), ("vmulosh", 328, 16, "s", 1), ("vmulosw", 392, 32, "s", 1),
    ("vmuleub", 520, 8, "u", 0), ("vmuleuh", 584, 16, "u", 0), ("vmuleuw", 648, 32, "u", 0),
    ("vmulesb", 776, 8, "s", 0), ("vmulesh", 840, 16, "s", 0), ("vmulesw", 904, 32, "s", 0),
)  # fmt: skip
"""Mnemonic, opcode, bits of an operand's element, sign, and whether the odd ones are multiplied."""


def _wide(name: str, bits: int) -> str:
    return "(64)" if bits == 64 or name.startswith(_POWER8) else ""


def _lines() -> Iterator[str]:
    for name, sign, value, opcodes in _EACH:
        for size, opcode in opcodes.items():
            bits, full = _SIZES[size], name.format(size)
            operands = "ra 0" if full.startswith(("vpopcnt", "vclz")) else ""
            text = value.replace("BITS", str(bits))
            yield f"{full} 4 vx {opcode} {operands} {_wide(full, bits)} | EACH({sign}{bits}, {bits}, ({text}));"
    for name, sign, value, opcodes in _COMPARES:
        for size, opcode in opcodes.items():
            bits, wide = _SIZES[size], size == "d" or "ne" in name
            for record in (0, 1):
                yield (
                    f"{name.format(size)}{'.' * record} 4 vc {opcode} 10={record} {'(64)' * wide} | "
                    f"enum {{ RC = {record} }}; COMPARE_EACH({sign}{bits}, {bits}, ({value}));"
                )
    for record in (0, 1):
        constant = f"10={record} | enum {{ RC = {record} }};"
        for name, relation, opcode in _FLOATING_COMPARES:
            yield (
                f"{name}{'.' * record} 4 vc {opcode} {constant} "
                f"VECTOR_WORDS(-(u32)holds(a, b, {relation}, &found_)); if (RC) set_all_or_none(s, VT);"
            )
        yield (
            f"vcmpbfp{'.' * record} 4 vc 966 {constant} "
            "VECTOR_WORDS((u32)!holds(b, a, GREATER_EQUAL, &found_) << 31 | (u32)!holds(a, b ^ SIGN, GREATER_EQUAL, &found_) << 30); "
            "if (RC) set_field(s, 6, (!VT[0] && !VT[1]) << 1);"
        )
    for name, opcode, bits, sign, value in _PACKS:
        half = 64 // bits * 2
        element = f"{sign}{bits} v = ({sign}{bits})GET(n < {half} ? VA : VB, {bits}, n % {half})"
        yield (
            f"{name} 4 vx {opcode} {_wide(name, bits)} | u64 made[2] = {{0, 0}}; for (unsigned n = 0; n < {2 * half}; n++) "
            f"{{ {element}; set_element(made, {bits // 2}, n, (u64)({value})); }} SET(VT, made);"
        )
    for name, opcode, bits, sign, odd in _PRODUCTS:
        operand = f"({sign}64)({sign}{bits})GET({{}}, {bits}, 2 * n + {odd})"
        yield (
            f"{name} 4 vx {opcode} {'(64)' * (bits == 32)} | "
            f"MAKE(VT, {2 * bits}, {operand.format('VA')} * {operand.format('VB')});"
        )


TABLE = "\n".join((_FIXED, *_lines()))
