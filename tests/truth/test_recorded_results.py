"""Instructions that re-execution does not execute: what they leave is recorded after them.

Each is in a function of assembly that stores all that it can have left, registers and status. What
is stored is computed again from what was recorded, and held against the emulator's accesses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.cli import main
from inst.target.targets import TARGETS
from truth.emulator import Plugins, run
from truth.harness import Build, check_program, compile_object, link_program

_MAIN = """\
#include <stdint.h>
extern void recorded(void *to, const void *from);
uint64_t from[16] __attribute__((aligned(16))), to[1500] __attribute__((aligned(16)));
int main(void)
{
    uint64_t sum = 0;
    for (int n = 0; n < 16; n++)
        from[n] = (0x3ff0000040600000u + n * 0x0123456789abcdefu) ^ (uint64_t)(n & 3) << 62;
    from[4] = 0x1234567890123456u, from[5] = 0x789012345678901cu; /* of decimal digits */
    from[6] = 0x2208000000000123u, from[7] = 0x2208000000000456u; /* decimal floating point */
    recorded(to, from);
    for (int n = 0; n < 1500; n++)
        sum = sum * 31 + to[n];
    return sum >> 7 & 63;
}
"""
_ESTIMATES = """
    vrefp 5,2 vrsqrtefp 5,3 vexptefp 5,2 vlogefp 5,2 fres 8,1 frsqrte. 8,1 frsqrte 8,2"""
_VECTORS = """
    xsaddqp 5,2,3 xssubqp 5,2,3 xsmulqp 5,2,3 xsdivqp 5,2,3 xsmaddqp 5,2,3 xsnmsubqp 5,2,3
    xssqrtqp 5,2 xscvdpqp 5,2 xscvqpdp 5,2 xscvsdqp 5,2 xscvudqp 5,3 xscvqpsdz 5,2 xscvqpuwz 5,2
    xsxexpqp 5,2 xsxsigqp 5,2 xsiexpqp 5,2,3 xsrqpi 0,5,2,0 xsrqpxp 0,5,2,0 bcdadd. 5,4,4,0
    bcdsub. 5,4,4,1 bcdcfn. 5,4,0 bcdctn. 5,4 bcdcfsq. 5,2,0 bcdctsq. 5,4 bcds. 5,2,4,0
    bcdtrunc. 5,2,4,0 bcdcpsgn. 5,4,2 bcdsetsgn. 5,4,1
    xvresp 6,34 xvrsqrtesp 6,35 xvredp 40,34 xvrsqrtedp 40,34 xsredp 6,1 xsresp 40,1
    xsrsqrtedp 6,1 xsrsqrtesp 40,1 xvcvsphp 6,34 xvcvhpsp 40,34 xscvhpdp 6,34 xscvdphp 40,34
    xsmaxjdp 6,1,2 xsminjdp 40,1,2"""
_FLOATS = """
    fre 8,1 dadd 8,10,11 dsub. 8,10,11 dmul 8,10,11 ddiv. 8,10,11 dctdp 8,10 drsp 8,10 dcffix 8,1
    dctfix 8,10 dxex 8,10 diex 8,10,11 dscli 8,10,2 dscri 8,10,1 dqua 8,10,11,0 dquai 1,8,10,0
    drrnd 8,10,11,0 drintn 0,8,10,0 ddedpd 0,8,10 denbcd 0,8,10
    daddq 8,10,10 dmulq. 8,10,10 dctqpq 8,10 drdpq 8,10 dcffixq 8,1"""
_CONDITIONS = """
    xscmpuqp 6,2,3 xscmpoqp 2,2,3 xscmpexpqp 6,2,3 xststdcqp 6,2,9 xststdcsp 6,1,9 ftdiv 6,1,2
    ftsqrt 5,1 xstdivdp 6,1,2 xvtdivsp 6,34,35 xvtsqrtdp 6,34 dcmpu 6,10,11 dcmpo 0,10,11
    dtstdc 6,10,1 dtstsf 6,1,10 addg6s 7,8,9 cdtbcd 7,8 cbcdtd 7,8 addex 7,8,9,0"""
_VIS = """
    fpsub16 %f0,%f4,%f8 fpsub32 %f0,%f4,%f8 fmul8x16 %f0,%f4,%f8 fmul8x16au %f0,%f4,%f8
    fmul8ulx16 %f0,%f4,%f8 fmuld8sux16 %f0,%f4,%f8 fpmerge %f0,%f4,%f8 fexpand %f0,%f8
    fpsub16s %f0,%f4,%f9 bshuffle %f0,%f4,%f8 fcmpgt16 %f0,%f4,%o3 fcmple32 %f0,%f4,%o3
    edge8 %o2,%o4,%o3 edge16l %o4,%o2,%o3 edge32n %o2,%o4,%o3 array8 %o2,%o4,%o3
    faddq %f0,%f4,%f8 fsubq %f0,%f4,%f8 fmulq %f0,%f4,%f8 fdivq %f0,%f4,%f8 fdmulq %f0,%f4,%f8
    fsqrtq %f0,%f8 fitoq %f1,%f8 fstoq %f1,%f8 fdtoq %f0,%f8 fxtoq %f0,%f8 fqtoi %f0,%f8
    fqtos %f0,%f8 fqtod %f0,%f8 fqtox %f0,%f8 fnegq %f0,%f8 fabsq %f4,%f8 fmovq %f0,%f8
    fcmpq %fcc0,%f0,%f4 fmovqe %icc,%f0,%f8"""
_UPPER = " faddq %f0,%f4,%f36 fpmerge %f0,%f4,%f36 fcmpq %fcc2,%f4,%f0 fmovrqnz %o1,%f0,%f36"
_SLOTS = """
    subcc %o2,%o4,%g0
    bne 1f
    fpmerge %f0,%f4,%f8
    add %o0,8,%o0
1:  std %f8,[%o0]
    retl
    fexpand %f4,%f10"""
"""Two in delay slots: each goes before its branch, and what it leaves is recorded there."""


def _instructions(table: str) -> list[str]:
    words = table.split()
    starts = [n for n, word in enumerate(words) if word[0].isalpha()]
    return [" ".join(words[a:b]) for a, b in zip(starts, [*starts[1:], len(words)], strict=True)]


def _powerpc(table: str, wide: bool) -> str:
    """Return the function for a table: the stack is nowhere where a vector could lie."""
    push, store = ("stdu 1,-648(1)", "std") if wide else ("stwu 1,-40(1)", "stw")
    code = ["li 5,16", "lvx 2,0,4", "lvx 3,4,5", "li 5,32", "lvx 4,4,5", "li 7,1", "li 8,409"]
    code += ["li 12,0", "mtcrf 255,12", "mtxer 12", "li 9,773"]
    code += ["lfd 1,0(4)", "lfd 2,16(4)", "lfd 10,48(4)", "lfd 11,56(4)", push]
    code += ["lfd 8,0(4)", "lfd 9,8(4)", "vor 5,2,2"] + ["xxlor 6,34,34", "xxlor 40,35,35"] * wide
    for instruction in _instructions(table):
        code += [instruction, "stvx 5,0,3", "stfd 8,16(3)", "stfd 9,24(3)", "mfcr 12"]
        code += [f"{store} 12,32(3)", f"{store} 7,40(3)", "mfxer 12", f"{store} 12,48(3)"]
        code += ["mffs 12", "stfd 12,56(3)", "addi 3,3,64"]
        code += ["stxvd2x 6,0,3", "addi 3,3,16", "stxvd2x 40,0,3", "addi 3,3,16"] * wide
    return _function([*code, f"addi 1,1,{648 if wide else 40}", "blr"])


def _sparc(table: str, wide: bool) -> str:
    code = [f"ldd [%o1+{8 * n}],%f{2 * n}" for n in range(4)] + ["mov 83,%o2", "mov 245,%o4"]
    code += ["bmask %o2,%o4,%o3", "subcc %o2,%o4,%g0"]
    for instruction in _instructions(table):
        code += [instruction, "std %f8,[%o0]", "std %f10,[%o0+8]", "st %o3,[%o0+16]"]
        code += ["rd %ccr,%o5", f"and %o5,{255 if wide else 15},%o5", "st %o5,[%o0+20]"]
        code += [f"{'stx' if wide else 'st'} %fsr,[%o0+24]"]
        code += ["std %f36,[%o0+32]", "std %f38,[%o0+40]"] * wide + ["add %o0,48,%o0"]
    return _function([*code, *_SLOTS.splitlines()[1:]])


def _function(code: list[str]) -> str:
    lines = "".join(f"{one}\n" if one[0].isdigit() else f"\t{one}\n" for one in code)
    head = "\t.text\n\t.align 2\n\t.globl recorded\n\t.type recorded,%function\nrecorded:\n"
    return f'{head}{lines}\t.section .note.GNU-stack,"",%progbits\n'


_POWER9 = ("-mcpu=power9", "-Wa,-many")
_WAYS = {
    "ppc32": (("-maltivec", "-Wa,-many"), "7447a", _powerpc(_ESTIMATES, wide=False)),
    **dict.fromkeys(
        ("ppc64", "ppc64le"),
        (_POWER9, "power9", _powerpc(_ESTIMATES + _VECTORS + _FLOATS + _CONDITIONS, wide=True)),
    ),
    "sparc-v8": (("-Wa,-Av8plusb",), "", _sparc(_VIS, wide=False)),
    "sparc-v9": (("-mcpu=ultrasparc3",), "", _sparc(_VIS + _UPPER, wide=True)),
}
"""Options, the emulated processor, and the function, by target."""


@pytest.mark.rotated("ppc64le", "sparc-v9")
@pytest.mark.parametrize("target", sorted(_WAYS))
def test_what_is_not_executed(
    plugins: Plugins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    flags, processor, function = _WAYS[target]
    if processor:
        monkeypatch.setenv("QEMU_CPU", processor)
    build = Build(TARGETS[target], ("-O1", *flags), (), "record", "loads", record=True)
    source, more = tmp_path / "main.c", tmp_path / "recorded.s"
    source.write_text(_MAIN)
    more.write_text(function)
    verdict = check_program(plugins, build, source, tmp_path, more=[more])
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 1500


@pytest.mark.parametrize(
    ("target", "options", "processor", "code"),
    [
        ("ppc64le", "-mcpu=power9", "power9", "lfd 1,0(4); mttar 5"),
        (
            "sparc-v9",
            "-mcpu=ultrasparc3",
            "",
            "ld [%o1],%f0; cmp %o0,0; bne,a 1f; fexpand %f0,%f8; 1: nop",
        ),
    ],
    ids=["target register", "annulled slot"],
)
def test_what_cannot_be_recorded_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    target: str,
    options: str,
    processor: str,
    code: str,
) -> None:
    if processor:
        monkeypatch.setenv("QEMU_CPU", processor)
    build = Build(TARGETS[target], ("-O1", options), (), "record", "loads", record=True)
    (tmp_path / "main.c").write_text(_MAIN)
    returns = ["retl", "nop"] if target == "sparc-v9" else ["blr"]
    (tmp_path / "recorded.s").write_text(_function([*code.split("; "), *returns]))
    objects = [tmp_path / "main.o", tmp_path / "recorded.o"]
    for name, made in zip(("main.c", "recorded.s"), objects, strict=True):
        compile_object(build, tmp_path / name, made)
    recording = tmp_path / "t.rec"
    run(
        link_program(build, objects, tmp_path / "p").path,
        (),
        environment={"INST_OUT": str(recording)},
    )
    assert main(["check", str(recording)]) == 2
    assert "the instruction is not known" in capsys.readouterr().err
