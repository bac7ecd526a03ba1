"""Functions that print and scan by a format: what the format makes them touch as well.

A row is `NAME(PARAMETERS) | READS | WRITES`, of a function that takes a va_list after these.
Each row stands for the function with a list, the one with `...`, and their other names: the checked
variants of _FORTIFY_SOURCE and those that C99 introduced for scanf.
"""

from __future__ import annotations

from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Formatted:
    """A function with a format."""

    name: str
    parameters: str
    """Those before the list or the `...`."""
    reads: str
    writes: str
    calls: str
    """The function with a list that does the work."""
    takes_list: bool
    kind: str
    """Which function of `runtime/wrap/formats.h` interprets the format: print, scan and so on."""

    @property
    def file(self) -> str:
        """The parameter that is the open file it prints to; "": it prints to none."""
        words = self.parameters.split(", ")
        return "file" if "int file" in words else ""

    @property
    def allocates(self) -> bool:
        """Whether it allocates a new block for the program, at `*to`."""
        return self.writes.strip() == _NEW


_TEXT = "to: result < 0 ? 0 : result + 1"
_PART = "to: result < 0 ? 0 : (size_t)result < size ? result + 1 : size"
_NEW = "to: result < 0 ? 0 : sizeof *to; *to: result < 0 ? 0 : result + 1"
_WIDE = "to: result < 0 ? size * sizeof *to : (result + 1) * sizeof *to"

_ROWS = {
    "print": f"""
vprintf(const char *format) | | OUTPUT()
vfprintf(FILE *file, const char *format) | | STREAM(file)
vdprintf(int file, const char *format) | |
vsprintf(char *to, const char *format) | | {_TEXT}
vsnprintf(char *to, size_t size, const char *format) | | {_PART}
vasprintf(char **to, const char *format) | | {_NEW}
""",
    "wide_print": f"""
vwprintf(const wchar_t *format) | | OUTPUT()
vfwprintf(FILE *file, const wchar_t *format) | | STREAM(file)
vswprintf(wchar_t *to, size_t size, const wchar_t *format) | | {_WIDE}
""",
    "scan": """
vscanf(const char *format) | | INPUT()
vfscanf(FILE *file, const char *format) | | STREAM(file)
vsscanf(const char *text, const char *format) | text: STRING(text) |
""",
    "wide_scan": """
vwscanf(const wchar_t *format) | | INPUT()
vfwscanf(FILE *file, const wchar_t *format) | | STREAM(file)
vswscanf(const wchar_t *text, const wchar_t *format) | text: WIDE(text) |
""",
}
_SIZED = "vsprintf vsnprintf vswprintf"
"""Those whose checked variants take the size of the buffer."""


def _checked(name: str, parameters: str) -> str:
    *before, last = parameters.split(", ")
    extra = ["int flag", "size_t room"] if name in _SIZED.split() else ["int flag"]
    return ", ".join([*before, *extra, last])


def _variants(kind: str, name: str, parameters: str) -> list[tuple[str, str, str]]:
    """Return name, parameters and the function with a list of each variant."""
    short = name[1:]
    plain = [(name, parameters, name), (short, parameters, name)]
    if kind.endswith("print"):
        room, listed = _checked(name, parameters), f"__{name}_chk"
        return [*plain, (listed, room, listed), (f"__{short}_chk", room, listed)]
    c99 = f"__isoc99_{name}"
    return [*plain, (c99, parameters, c99), (f"__isoc99_{short}", parameters, c99)]


def _read() -> list[Formatted]:
    found = []
    for kind, rows in _ROWS.items():
        for row in rows.strip().splitlines():
            prototype, reads, writes = row.split("|")
            base, _, parameters = prototype.strip().rstrip(")").partition("(")
            for name, given, calls in _variants(kind, base, parameters):
                is_list = name == calls
                found.append(Formatted(name, given, reads, writes, calls, is_list, kind))
    return found


FORMATTED: list[Formatted] = _read()
