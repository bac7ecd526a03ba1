"""The compilers' own output, and the assemblers as judges of what is printed."""

from __future__ import annotations

import functools
import random
import subprocess
from pathlib import Path

import pytest

from inst.asm.model import Kind, Number, Operand, Statement
from inst.asm.opaque import check_opaque
from inst.asm.operands import parse_operand, parse_operands, print_operands
from inst.asm.split import split

PROGRAM = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { int a; double b; long long c; char text[12]; };
extern int elsewhere; extern double outside(double, struct pair);
static int table[64]; __thread int mine; static __thread long long own[4];
const char *words[] = {"one;two", "three!#", "a\"b\\", "tab\t\n/* no comment */"};
int (*hooks[3])(const char *, ...) = {printf, 0, 0};

static double sum(int n, ...) {
    va_list list; double s = 0; va_start(list, n);
    while (n-- > 0) s += va_arg(list, double);
    va_end(list); return s;
}
int choose(int n, struct pair *p) {
    switch (n) {
    case 0: return p->a; case 1: return p->text[3]; case 2: return elsewhere++;
    case 3: return table[p->a & 63]; case 4: return mine += n; case 5: return own[n & 3]--;
    case 6: p->c *= n; return p->c >> 7; case 7: return (int)outside(p->b, *p);
    case 9: return strlen(words[n & 3]); default: return hooks[0](words[0], n);
    }
}
int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
struct pair swap(struct pair p) { p.b = -p.b; memset(p.text, n_of(p.a), 12); return p; }
int main(int argc, char **argv) {
    char *space = __builtin_alloca(argc * 100);
    struct pair p = {argc, 2.5, 1LL << 40, "abc"};
    for (int i = 0; i < 64; i++) table[i] = (i * 7919) ^ (i << 5);
    qsort(table, 64, sizeof *table, by_number);
    __atomic_fetch_add(&elsewhere, 3, __ATOMIC_SEQ_CST);
    strcpy(space, argv[0]); p = swap(p);
    return choose(argc, &p) + (int)sum(3, 1.0, 2.0, p.b / 3) + space[0] + (p.c > 5) + (p.b < 0.1);
}
""".replace("n_of(p.a)", "(char)p.a")

GCC = {
    "sparc": ("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"),
    "powerpc": ("powerpc-linux-gnu-gcc",),
}
CLANG = {
    "sparc": (
        "clang",
        "--target=sparc-linux-gnu",
        "-fno-addrsig",
        "-isystem/usr/sparc64-linux-gnu/include",
    ),
    "powerpc": (
        "clang",
        "--target=powerpc-linux-gnu",
        "-fno-addrsig",
        "-isystem/usr/powerpc-linux-gnu/include",
    ),
}
ASSEMBLERS = {
    "sparc": ("sparc64-linux-gnu-as", "-K", "PIC", "-Av9a", "-32", "-relax"),
    "powerpc": ("powerpc-linux-gnu-as", "-a32", "-mppc", "-many", "-mbig"),
}
OPTIONS = (("-O0",), ("-O2", "-g"), ("-Os", "-fPIC", "-g"), ("-O3", "-fno-pie", "-dA", "-pthread"))
SYNTAXES = ("sparc", "powerpc")


@functools.cache
def compiled(compiler: tuple[str, ...], options: tuple[str, ...]) -> str:
    """Return the assembly of the program above."""
    command = [*compiler, *options, "-x", "c", "-S", "-o", "-", "-"]
    if compiler[0] == "clang":
        command = [part for part in command if part != "-dA"]
    done = subprocess.run(command, input=PROGRAM, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("compilers", [GCC, CLANG], ids=["gcc", "clang"])
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_compiler_output(
    syntax: str, compilers: dict[str, tuple[str, ...]], options: tuple[str, ...]
) -> None:
    source = compiled(compilers[syntax], options)
    statements = split(source, syntax)
    assert "".join(statement.text for statement in statements) == source
    check_opaque(statements, "t.s")
    assert sum(statement.kind == Kind.INSTRUCTION for statement in statements) > 250
    for statement in statements:
        if statement.kind == Kind.INSTRUCTION:
            assert statement.name.replace(",", "").rstrip("+-").replace(".", "").isalnum()
            assert str(parse_operands(statement.operands, syntax)[:1])


def assemble(source: str, syntax: str, place: Path) -> bytes:
    """Return the object file that the cross assembler makes."""
    output = place / "out.o"
    command = [*ASSEMBLERS[syntax], "-o", str(output)]
    done = subprocess.run(
        command, input=source.encode("latin-1"), stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return output.read_bytes()


def reprinted(statements: list[Statement], syntax: str) -> str:
    """Return the source with every instruction's operands printed from their trees."""
    parts = []
    for statement in statements:
        if statement.kind == Kind.INSTRUCTION and statement.operands:
            printed = print_operands(parse_operands(statement.operands, syntax))
            parts.append(f"\t{statement.name}\t{printed}\n")
        else:
            parts.append(statement.text)
    return "".join(parts)


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("compilers", [GCC, CLANG], ids=["gcc", "clang"])
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_reprinted_operands_assemble_to_the_same(
    syntax: str,
    compilers: dict[str, tuple[str, ...]],
    options: tuple[str, ...],
    tmp_path: Path,
) -> None:
    source = compiled(compilers[syntax], options)
    again = reprinted(split(source, syntax), syntax)
    assert assemble(again, syntax, tmp_path) == assemble(source, syntax, tmp_path)


HAND_WRITTEN = {
    "sparc": r"""
1:  ld [%g1+%lo(x)], %o0; ld [%lo(x)+%g1], %o1
    ld [ %sp + 4 * 4 - 1 ], %o0
    ld [%fp-8+4], %o1
    st %o0, [8+%o0]
    ldub [1], %o0
    ld [%g0-4], %o0
    lda [%o0]0x80, %o1
    lda [%o0+8] %asi, %o1
    stda %f0, [%o0] #ASI_P
    casa [%o1] 0x80, %o2, %o3
    membar #LoadLoad | #StoreStore
    prefetch [%o0+64], #n_reads
    jmpl %o7+8, %g0
    nop
    jmp %g1+%g2
    nop
    jmpl %o5+(2f-1b), %o7
    nop
    bne , a 2f
    nop
    bne,a,pn %icc, 2f
    nop
2:  call f, 0
    nop
    mov 'a + 1, %o0
    add %o0, -(1+2), %o0
    and %o1, ~7 & 0xff, %o0
    sethi %hi (x + 4), %o0
    or %o0, %lo(x + 4), %o0
    sethi %hi(_GLOBAL_OFFSET_TABLE_-(1b-.)), %l7
    sethi %tgd_hi22(v), %o0
    add %o0, %tgd_lo10(v), %o0
    add %l7, %o0, %o0, %tgd_add(v)
    call __tls_get_addr, %tgd_call(v)
    nop
    sethi %tle_hix22(v), %o0
    xor %o0, %tle_lox10(v), %o0
    ld [%l7+%o0], %o1, %tie_ld(v)
    ld [%l7+%o1], %o1, %gdop(g)
    rd %y, %r9
    rd %asr19, %d4 ! not assembled
    ta %icc, %g0 + 5
    ta 3
    ba "two words"
    nop
"two words": fmovd %d2, %d34
    fcmps %fcc1, %f1, %f2
    movne %icc, %o0, %o1
""".replace("    rd %asr19, %d4 ! not assembled\n", ""),
    "powerpc": r"""
1:  lwz 3,8(1); lwz 3,-8+4(1)
    lwz 3, 8 ( %r1 )
    lwz 3,x@l+4(9)
    lwz 3,x+4@l(9)
    lwz 3,(x+4)@l(9)
    lwz 3,x@l + (4*2)(9)
    lis 9,(x-1b)@ha
    addi 9,9,(x-1b)@l
    addis 30,30,.LCTOC1-1b@ha
    lwz 9,.LC0-.LCTOC1(30)
    lwz 3,v@got@tprel(30)
    add 3,3,v@tls
    addis 3,2,v@tprel@ha
    lwz 3,v@tprel@l(3)
    bl __tls_get_addr(v@tlsgd)@plt
    bl __tls_get_addr+32768(v@tlsgd)@plt
    bl f+32768@plt
    bl f@local
    bcl 20,31,$+4
    bcl 20,31,1f
1:  mflr 30
    b .+8
    b 1b+4
    bne+ cr7,1b
    bne- %cr7,.
    cmpwi cr.6,3,-1
    crand 4*cr7+eq,cr1*4+lt,2
    crxor 6,6,6
    li 3,'a
    li 3,'\n
    li 3,'#'
    li 3,!1 + 3!=4
    li 3,~5 & 12 | 1
    li 3,1<<2+1
    li 3,10 - 2 - -3
    li 3,1 - (2 - 3)
    mtcrf 0x20,12
    lfd %f1,0(%r.3)
    lwz 3,"x y"@l(4)
    rlwinm 3,4,0b11,037,0x1f
    b f1
    lis 3,r3@ha
.LC0: .long 0
.LCTOC1 = .+32764
""",
}


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_reprinted_hand_written_operands(syntax: str, tmp_path: Path) -> None:
    source = HAND_WRITTEN[syntax]
    again = reprinted(split(source, syntax), syntax)
    assert assemble(again, syntax, tmp_path) == assemble(source, syntax, tmp_path)


INFIX = {
    "sparc": "+ - * | & ^ << == < > <= >= <> && ||",
    "powerpc": "+ - * | & ^ << == < > <= >= <> && || ! != !!",
}


def random_expression(choose: random.Random, depth: int, syntax: str) -> str:
    """Return an expression of constants, with and without parentheses and blanks."""
    if depth == 0 or choose.random() < 0.2:
        return choose.choice(["0", "1", "7", "0x1f", "017", "0b101", "'a'", "65537"])
    inner = random_expression(choose, depth - 1, syntax)
    shape = choose.randrange(4)
    if shape == 0:
        return f"({inner})"
    if shape == 1:
        return choose.choice("-~+" if syntax == "sparc" else "-~+!") + inner
    infix = INFIX[syntax].split()
    blank = choose.choice(["", " "])
    right = random_expression(choose, depth - 1, syntax)
    return f"{inner}{blank}{choose.choice(infix)}{blank}{right}"


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_precedence_is_the_assemblers(syntax: str, tmp_path: Path) -> None:
    choose = random.Random(20)
    texts = [random_expression(choose, choose.randrange(1, 5), syntax) for _ in range(600)]
    trees: list[Operand] = [parse_operand(text, syntax) for text in texts]
    assert sum(not isinstance(tree, Number) for tree in trees) > 300
    source = "".join(f".quad {text}\n" for text in texts)
    again = "".join(f".quad {tree}\n" for tree in trees)
    assert assemble(again, syntax, tmp_path) == assemble(source, syntax, tmp_path)


NUMBERS = "0 12 017 0x1F 0b101 10U 7LL 'a 'a' '\\n '\\1 '\\\\ '\\' '\\t' -4 -0x10 0xfffffff"


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_number_values_are_the_assemblers(syntax: str, tmp_path: Path) -> None:
    texts = NUMBERS.split()
    values = [parse_operand(text, syntax) for text in texts]
    assert all(isinstance(value, Number) for value in values)
    source = "".join(f".long {text}\n" for text in texts)
    again = "".join(f".long {value.value}\n" for value in values if isinstance(value, Number))
    assert assemble(again, syntax, tmp_path) == assemble(source, syntax, tmp_path)


ODD_LINES = {
    "both": [
        "nop ; # c, foo\n",
        "  # c, foo\n1: # c foo\n",
        "foo : nop\n",
        "\fnop\n",
        "nop\r\n",
        'nop; .ascii "a;b!#/*c"; nop\n',
        ".byte '\"\n.balign 4\n nop\n",
        ".byte '!,';,'a',' ,'#'\n",
        "a==5\n .long a\n",
        ".=.+8\n nop\n",
        '"q x": .long "q x"\n',
        '"q": .long q\n',
        "$x: .long $x\n",
        "NOP\n.LONG 1\n",
        "/* x */ nop /* y\n z */ ; nop\n",
        ".long /* 1\n */ 2, 3 /* 4 */ + 5\n",
        " foo: bar: nop; 1: nop\n",
        "xfoo\xe9: .long xfoo\xe9\n",
        ';nop;;nop;"a":;nop\n',
        "#NO_APP\n nop\n#APP\n nop\n",
        "a.b$c=5\n.long a.b$c\n",
        "nop",
        ".macro two\n nop\n nop\n.endm\n TWO; two\n",
        ".rep 2\n nop\n.endr\n .irep x,1,2\n.long \\x\n.endr\n",
        ".macro m n\nl\\n\\()_\\@: .long \\n\n.endm\n m 4\n",
        ".if 0\n nop\n.else\n .long 7\n.endif\n",
    ],
    "sparc": [
        "nop ; ! x ; nop\n",
        "mov 1,%o0 !x\n",
        "bne , a .\n nop\n bne,a,pt %icc, .\n nop\n",
        ".type f, #function\nf: membar #LoadLoad\n",
        "mov /* x\n */ 1,%o0\n",
    ],
    "powerpc": [
        "li 3,1;li 4,2 # ; li\n",
        "li 3,'#'#c\n",
        "li 3,3!1 ; nop;#c\n",
        "bne+ 7,. ; add. 3,4,5 ; ADD 3,4,5\n",
    ],
}


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_odd_lines_mean_to_the_assembler_what_they_mean_here(syntax: str, tmp_path: Path) -> None:
    for source in ODD_LINES["both"] + ODD_LINES[syntax]:
        lines = [one_line(statement) for statement in split(source, syntax)]
        again = "".join(lines)
        assert assemble(again, syntax, tmp_path) == assemble(source, syntax, tmp_path), source


def one_line(statement: Statement) -> str:
    """Return a statement on a line of its own, made from its parts and not from its text."""
    if statement.kind == Kind.BLANK or not statement.name:
        return "\n"
    if statement.kind == Kind.LABEL:
        return f"{statement.name}:\n"
    if statement.kind == Kind.ASSIGNMENT:
        return f"{statement.name}={statement.operands}\n"
    if statement.kind == Kind.OPAQUE:
        return statement.text
    return f" {statement.name} {statement.operands}\n"
