"""The table of hooks and the texts made from it; building libraries; what is refused."""

from __future__ import annotations

import argparse
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_runtime_process import touch_source

from inst.build.library import build_library, flags
from inst.commands import new_hook
from inst.errors import InstError
from inst.glue import texts
from inst.glue.usage import hook_usages
from inst.hooktable import ACCESS_HOOKS, BY_NAME, HOOKS, LEVEL_SYMBOLS
from inst.paths import data
from inst.target.targets import TARGETS

FILES = Path(__file__).parent / "files"


def run_new_hook(*words: str) -> int:
    """Run `inst new-hook` with arguments."""
    parser = argparse.ArgumentParser()
    new_hook.add_arguments(parser)
    return new_hook.run(parser.parse_args(words))


def build(hooks: str | Path, target_name: str, shared: bool = True) -> Path:
    """Build a hook library for a target."""
    target = TARGETS[target_name]
    return build_library(str(hooks), list(target.compiler), target, shared)


def test_the_header_is_up_to_date() -> None:
    header = data("runtime") / "include" / "inst" / "hooks.h"
    assert header.read_text() == texts.header()


def test_hooks_keep_the_numbers_of_1994() -> None:
    numbers = {hook.name: hook.id for hook in HOOKS}
    assert len(set(numbers.values())) == len(HOOKS)
    assert (numbers["inithook"], numbers["windowhook"]) == (1, 3)
    assert [numbers[f"ld{c}hook"] for c in "bhwd"] == [4, 5, 6, 7]
    assert [numbers[f"st{c}hook"] for c in "bhwd"] == [8, 9, 10, 11]
    assert {hook.size for hook in ACCESS_HOOKS} == {1, 2, 4, 8, 16}


def test_the_table_names_every_hook(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_new_hook("--table") == 0
    table = capsys.readouterr().out
    assert all(f"`{name}(" in table for name in BY_NAME)


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target_name", TARGETS)
def test_a_skeleton_compiles_and_costs_nothing(
    target_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_new_hook("mine") == 0
    text = Path("mine.c").read_text()
    assert all(hook.name in text for hook in HOOKS)
    with pytest.raises(InstError, match="already exists"):
        run_new_hook("mine")
    library = build(tmp_path / "mine.c", target_name)
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    assert "inst.ldw" in symbols
    target = TARGETS[target_name]
    flags = [f"-I{data('runtime') / 'include'}", "-Wall", "-Wextra", "-Werror", "-std=gnu11"]
    subprocess.run([*target.compiler, *flags, "-fsyntax-only", "mine.c"], check=True)


def test_a_bad_name_is_refused() -> None:
    with pytest.raises(InstError, match="cannot name"):
        run_new_hook("../mine")


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target_name", TARGETS)
def test_objects_without_values_need_hooks_without_values(target_name: str, tmp_path: Path) -> None:
    target = TARGETS[target_name]
    source = tmp_path / "main.s"
    source.write_text(
        f'\t.globl main\nmain:\tnop\n\t.data\n\t.long "{LEVEL_SYMBOLS["addresses"]}"\n'
    )
    command = [*target.compiler, "-static", source, "-o", tmp_path / "main"]
    subprocess.run([*command, build("count", target_name)], check=True, capture_output=True)
    refused = subprocess.run([*command, build("rst", target_name)], capture_output=True, text=True)
    assert refused.returncode != 0
    assert LEVEL_SYMBOLS["addresses"] in refused.stderr


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("level", ["record-values", "record-addresses"])
def test_objects_that_record_need_the_library_record(
    level: str, target_name: str, tmp_path: Path
) -> None:
    target = TARGETS[target_name]
    source = tmp_path / "main.s"
    source.write_text(f'\t.globl main\nmain:\tnop\n\t.data\n\t.long "{LEVEL_SYMBOLS[level]}"\n')
    command = [*target.compiler, "-static", source, build("rst", target_name), "-o", "main"]
    refused = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode != 0
    assert LEVEL_SYMBOLS[level] in refused.stderr


@pytest.mark.parametrize("target_name", TARGETS)
def test_the_compilers_words_are_shown(target_name: str, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("#include <inst/hooks.h>\nvoid ldwhook(void) { return 1 + ; }\n")
    with pytest.raises(InstError, match=r"wrong.c:2:\d+: error: expected expression"):
        build(source, target_name)


def test_unknown_libraries_and_compilers_are_named() -> None:
    with pytest.raises(InstError, match="unknown hook library `nothing`"):
        build("nothing", "ppc32")
    with pytest.raises(InstError, match="was not found"):
        build("./nothing.c", "ppc32")
    with pytest.raises(InstError, match="no-such-compiler was not found"):
        build_library("empty", ["no-such-compiler"], TARGETS["ppc32"])


def test_a_library_is_built_once_and_again_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INST_CACHE", str(tmp_path / "cache"))
    header, source = tmp_path / "own.h", tmp_path / "own.c"
    header.write_text("#define NUMBER 1\n")
    source.write_text('#include "own.h"\nvolatile int x;\nvoid ldwhook(void) { x = NUMBER; }\n')
    with ThreadPoolExecutor(4) as pool:
        (first,) = set(pool.map(lambda _: build(source, "ppc32"), range(4)))
    written = first.stat().st_mtime_ns
    assert build(source, "ppc32") == first
    assert first.stat().st_mtime_ns == written
    header.write_text("#define NUMBER 2\n")
    assert build(source, "ppc32") != first
    assert not list((tmp_path / "cache" / "libraries").glob(".building*"))


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target_name", TARGETS)
def test_hooks_may_call_the_c_library(target_name: str, tmp_path: Path) -> None:
    target = TARGETS[target_name]
    program = tmp_path / "program"
    sources = [FILES / "events.c", touch_source(target)]
    library = build(FILES / "calling.c", target_name, False)
    command = [*target.compiler, "-O2", "-static", "-pthread", *sources, library, "-lc"]
    subprocess.run([*command, "-o", program], check=True)
    done = subprocess.run([target.emulator, program], capture_output=True, text=True, check=True)
    assert done.stdout == "20000 events\n"


SPARC = """
\t.type ldwhook, #function
ldwhook:
\tsave %sp, -96, %sp
\tst %i1, [%g1]
\tcall helper
\t mov %i0, %o0
\tret
\t restore
\t.type helper, #function
helper:
\taddcc %o0, 1, %o0
\tretl
\t mov 1, %g2
\t.type stwhook, #function
stwhook:
\tretl
\t nop
\t.type stdhook, #function
stdhook:
\tsave %sp, -96, %sp
\tcall unknown
\t nop
\tret
\t restore
"""

POWERPC = """
\t.type ldwhook, @function
ldwhook:
\tcmpwi 5,0
\tbeqlr
\tli 3,1
\tb helper
\t.type helper, @function
helper:
\tmtctr 4
\tblr
\t.type stwhook, @function
stwhook:
\tblr
\t.type stdhook, @function
stdhook:
\tstwu 1,-16(1)
\tbl unknown
\taddi 1,1,16
\tblr
"""


def test_what_a_sparc_hook_reads_and_changes_is_found() -> None:
    usages = hook_usages({"hooks.s": SPARC}, "sparc")
    ldw = usages["ldwhook"]
    assert (ldw.address, ldw.pc, ldw.value, ldw.empty) == (True, True, False, False)
    assert {"g2", "icc"} <= ldw.clobbers
    assert not {"g1", "g3", "y", "f0"} & ldw.clobbers
    assert usages["stwhook"].empty
    assert {"g1", "g4", "f30", "y", "fcc0"} <= usages["stdhook"].clobbers


def test_what_a_powerpc_hook_reads_and_changes_is_found() -> None:
    usages = hook_usages({"hooks.s": POWERPC}, "powerpc")
    ldw = usages["ldwhook"]
    assert (ldw.address, ldw.pc, ldw.value, ldw.empty) == (False, True, True, False)
    assert {"r3", "cr0", "ctr"} <= ldw.clobbers
    assert not {"r0", "r4", "r5", "xer", "f0"} & ldw.clobbers
    assert usages["stwhook"].empty
    assert {"r12", "f13", "v0", "cr7"} <= usages["stdhook"].clobbers


def test_a_hook_that_changes_upper_halves_is_refused() -> None:
    """Entries save words: of SPE's registers they would lose the rest."""
    hook = "\t.type ldwhook, @function\nldwhook:\n\tevldd 5,0(3)\n\tblr\n"
    with pytest.raises(InstError, match="mno-spe"):
        hook_usages({"hooks.s": hook}, "powerpc")
    scalar = hook.replace("evldd 5,0(3)", "efsadd 5,3,4")
    assert "r5" in hook_usages({"hooks.s": scalar}, "powerpc")["ldwhook"].clobbers


def test_static_functions_of_one_name_in_two_files_are_two() -> None:
    """The runtime has static functions too, whose names a library cannot know."""
    other = "\t.type helper, @function\nhelper:\n\tblr\n"
    for sources in ({"a.s": POWERPC, "b.s": other}, {"b.s": other, "a.s": POWERPC}):
        assert "ctr" in hook_usages(sources, "powerpc")["ldwhook"].clobbers


IDLE = {
    "powerpc": ("ori 2,2,0", "ori 1,1,0", "mr 31,31", "or 27,27,27", "xori 14,14,0", "addi 2,2,0"),
    "sparc": ("mov %g2,%g2", "or %g3,0,%g3", "add %g7,%g0,%g7", "and %l0,%l0,%l0"),
}
"""Instructions that leave the register they name as it was."""
CHANGING = {
    "powerpc": ("ori 2,2,1", "mr 2,31", "addi 2,2,8", "or. 2,2,2", "or 2,2,3"),
    "sparc": ("mov %g3,%g2", "or %g2,1,%g2", "sub %g2,%g2,%g2", "and %g2,0,%g2"),
}


@pytest.mark.parametrize("isa_name", IDLE)
def test_what_leaves_its_register_as_it_was_changes_nothing(isa_name: str) -> None:
    def hook(*instructions: str) -> str:
        body = "".join(f"\t{one}\n" for one in instructions)
        leave = "blr" if isa_name == "powerpc" else "retl\n\tnop"
        return f"\t.type ldwhook, @function\nldwhook:\n{body}\t{leave}\n"

    usage = hook_usages({"a.s": hook(*IDLE[isa_name])}, isa_name)["ldwhook"]
    assert not usage.clobbers
    assert usage.empty
    changed = "r2" if isa_name == "powerpc" else "g2"
    for instruction in CHANGING[isa_name]:
        usage = hook_usages({"a.s": hook(instruction)}, isa_name)["ldwhook"]
        assert changed in usage.clobbers, instruction


@pytest.mark.parametrize("target_name", ["ppc32", "ppc64", "ppc64le"])
def test_no_ops_of_the_scheduler_change_no_register(target_name: str) -> None:
    target = TARGETS[target_name]
    source = FILES / "scheduled.c"
    command = [*target.compiler, *flags(target, True), "-S", source, "-o", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "ori 2,2,0" in text or target_name == "ppc64le"
    usage = hook_usages({"scheduled.s": text}, target.isa, target.abi)["ldwhook"]
    assert "r2" not in usage.clobbers


@pytest.mark.parametrize(("label", "target"), [(".L1", ".L1"), ("1", "1b")])
def test_a_branch_of_a_hook_goes_to_its_label(label: str, target: str) -> None:
    """A number, as inline assembly has them, is a label like any other."""
    loop = f"\tmov 10,%o2\n{label}:\tsubcc %o2,1,%o2\n\tbne {target}\n\tnop\n\tretl\n\tnop\n"
    text = f"\t.text\n\t.type ldwhook,#function\n\t.global ldwhook\nldwhook:\n{loop}"
    usage = hook_usages({"hooks.s": text}, "sparc")["ldwhook"]
    assert usage.clobbers == {"o2", "icc", "xcc"}


def test_a_hook_with_a_jump_table() -> None:
    """What the cases of a switch clobber is all that a hook clobbers."""
    jump = "\tlis 9,.L4@ha\n\tla 9,.L4@l(9)\n\tlwzx 10,9,3\n\tadd 10,10,9\n\tmtctr 10\n\tbctr\n"
    table = "\t.section .rodata\n\t.align 2\n.L4:\n\t.long .L1-.L4\n\t.long .L2-.L4\n"
    cases = f"{table}\t.text\n.L1:\tli 4,1\n\tblr\n.L2:\tli 5,2\n\tblr\n"
    start = '\t.file "a.c"\n\t.text\n\t.type ldwhook,@function\n\t.globl ldwhook\nldwhook:\n'
    end = '\t.size ldwhook,.-ldwhook\n\t.ident "GCC: (Debian) 12"\n'
    usage = hook_usages({"hooks.s": start + jump + cases + end}, "powerpc")["ldwhook"]
    assert usage.clobbers == {"r4", "r5", "r9", "r10", "ctr"}


def test_what_a_restore_passes_was_not_passed_to_the_hook() -> None:
    """The slot of a hook's last call sets an argument, which entries need not find then."""
    body = "\t.type slow_body, #function\nslow_body:\n\tadd %o0,%o1,%o0\n\tretl\n\tnop\n"
    slow = f"! inst: slow clobbers only o0 o1 o7 icc xcc\n{body}"
    for slot, has_pc in (("restore %g0,1026,%o1", False), ("restore", True)):
        hook = f"\t.type ldwhook, #function\nldwhook:\n\tsave %sp,-96,%sp\n\tcall slow\n\t{slot}\n"
        usage = hook_usages({"hooks.s": hook + slow}, "sparc")["ldwhook"]
        assert (usage.address, usage.pc) == (True, has_pc), slot


@pytest.mark.parametrize("abi", ["elfv1", "elfv2"])
def test_routines_that_preserve_registers_find_the_toc_pointer_themselves(abi: str) -> None:
    body = "\t.type slow_body, @function\nslow_body:\n\tld 4,8(2)\n\tblr\n"
    slow = f"# inst: slow clobbers only r3 lr\n{body}"
    for callee, reads in (("slow", False), ("slow_body", True)):
        hook = f"\t.type ldwhook, @function\nldwhook:\n\tbl {callee}\n\tnop\n\tblr\n"
        usage = hook_usages({"hooks.s": hook + slow}, "powerpc", abi)["ldwhook"]
        assert usage.toc is reads, callee
