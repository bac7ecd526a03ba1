"""Functions whose result is a `long double` or a complex number and which touch no other memory.

Rows are those of `inst.calls.touched`. In 32-bit SPARC code such a result goes where the caller's
[%sp+64] points; `inst_result_written` of `inst/wrap.h` reports it, elsewhere nothing is needed.
`ROWS` has SPARC's functions for numbers of 128 bits, which compilers call, `MATHEMATICS` those of
<math.h>, `COMPLEX` those of <complex.h>. Facts: the SPARC ABI supplements (32-bit: `_Q_`, 64-bit:
`_Qp_`); C11, 7.3 and 7.12, and glibc's manual. Functions that only read flags are left out.
"""

PREFIX = "_Q"
"""A prefix that no other function's name has."""
_OPERATIONS = ("add", "sub", "mul", "div")
_RELATIONS = ("cmp", "cmpe", "feq", "fne", "flt", "fle", "fgt", "fge")
_FROM = {"itoq": "int", "utoq": "unsigned", "stoq": "float", "dtoq": "double",
         "lltoq": "long long", "ulltoq": "unsigned long long",
         "xtoq": "long", "uxtoq": "unsigned long"}  # fmt: skip
_TO = {"qtoi": "int", "qtou": "unsigned", "qtos": "float", "qtod": "double",
       "qtoll": "long long", "qtoull": "unsigned long long",
       "qtox": "long", "qtoux": "unsigned long"}  # fmt: skip
_ONE = "const long double *one"
_BOTH = f"{_ONE}, const long double *other"
_READ_ONE, _READ_BOTH = "one: sizeof *one", "one: sizeof *one; other: sizeof *other"
_WRITTEN = "to: sizeof *to"


def _rows() -> list[str]:
    rows = ["#include <string.h>"]  # as there, nothing fails
    for name in _OPERATIONS:
        rows += [
            f"long double _Q_{name}({_BOTH}) | {_READ_BOTH} |",
            f"void _Qp_{name}(long double *to, {_BOTH}) | {_READ_BOTH} | {_WRITTEN}",
        ]
    for name in ("neg", "sqrt"):
        rows += [
            f"long double _Q_{name}({_ONE}) | {_READ_ONE} |",
            f"void _Qp_{name}(long double *to, {_ONE}) | {_READ_ONE} | {_WRITTEN}",
        ]
    for name, kind in _FROM.items():
        rows += [
            f"long double _Q_{name}({kind} number) | |",
            f"void _Qp_{name}(long double *to, {kind} number) | | {_WRITTEN}",
        ]
    for start in ("_Q_", "_Qp_"):
        rows += [f"int {start}{name}({_BOTH}) | {_READ_BOTH} |" for name in _RELATIONS]
        rows += [f"{kind} {start}{name}({_ONE}) | {_READ_ONE} |" for name, kind in _TO.items()]
    return rows


ROWS = "\n".join(_rows())

_OF_ONE = """
acosl asinl atanl cosl sinl tanl acoshl asinhl atanhl coshl sinhl tanhl
expl exp2l exp10l expm1l logl log10l log1pl log2l logbl cbrtl fabsl sqrtl erfl erfcl tgammal
ceill floorl nearbyintl rintl roundl roundevenl truncl significandl j0l j1l y0l y1l
"""
_OF_TWO = """
atan2l powl hypotl fmodl remainderl dreml copysignl nextafterl nexttowardl fdiml fmaxl fminl scalbl
"""


def _mathematics() -> list[str]:
    rows = ["#include <math.h>"]
    rows += [f"long double {name}(long double one) | |" for name in _OF_ONE.split()]
    rows += [
        f"long double {name}(long double one, long double other) | |" for name in _OF_TWO.split()
    ]
    return [
        *rows,
        "long double fmal(long double one, long double other, long double third) | |",
        "long double ldexpl(long double one, int exponent) | |",
        "long double scalbnl(long double one, int exponent) | |",
        "long double scalblnl(long double one, long exponent) | |",
        "long double jnl(int order, long double one) | |",
        "long double ynl(int order, long double one) | |",
        "long double nanl(const char *text) | text: STRING(text) |",
    ]


MATHEMATICS = "\n".join(_mathematics())

_OF_ONE_COMPLEX = """
cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog clog10 csqrt conj
cproj
"""


def _complex() -> list[str]:
    rows = ["#include <complex.h>"]
    for end, kind in (("", "double _Complex"), ("l", "long double _Complex")):
        rows += [f"{kind} {name}{end}({kind} one) | |" for name in _OF_ONE_COMPLEX.split()]
        rows.append(f"{kind} cpow{end}({kind} one, {kind} other) | |")
    return rows


COMPLEX = "\n".join(_complex())
