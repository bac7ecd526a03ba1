"""A file on its way through the passes, in one or several parts: what its parts share."""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement, source_line
from inst.asm.opaque import check_opaque
from inst.asm.places import Places
from inst.asm.split import split
from inst.errors import InstError, Location
from inst.flow.code import Code
from inst.flow.read import read_code
from inst.flow.sections import Sections
from inst.isa.model import Isa
from inst.rewrite.options import Options
from inst.rewrite.segment_table import SegmentTable
from inst.rewrite.site_table import SiteTable
from inst.rewrite.wrapping import Wrapping

_SPLIT_STACK = ".note.GNU-split-stack"
"""The section by which objects say that they grow their stacks (gcc -fsplit-stack)."""
_LOCAL_LABEL = re.compile(r"\.L.*|\d+[bf]")


class NeedsWholeFile(Exception):
    """A part refers to what may stand in another one: a local label, a conditional store."""


class UsesSmallData(Exception):
    """The file uses the register that probes of 32-bit PowerPC put addresses in."""


class SourceFile:
    """What the parts of a file have in common."""

    def __init__(
        self, isa: Isa, options: Options, name: str, labels: frozenset[str] | None = None
    ) -> None:
        self.isa = isa
        self.options = options
        self.name = name
        self.labels = labels
        """Labels of the whole file that are not local; None if it is in one part."""
        self.sections = Sections()
        self.places = Places()
        self.table = SiteTable(isa, options)
        self.segments = SegmentTable(isa, states_code=options.global_cursor)
        self.wrapping = Wrapping(options.keep_wrappers)
        self.table_labels: frozenset[str] = frozenset()
        """Labels of the file's table of contents (64-bit PowerPC)."""
        self.is_partial = False
        """Whether functions are left out."""
        self.left_out: set[str] = set()
        """Their names."""
        self.line = 1
        """Where the present part begins."""
        self.declared: set[str] = set()
        """Registers that are declared to the assembler."""
        self.probe_labels = self.opened_labels = 0
        """How many labels probes and rewritten forms have so far."""
        self.calls_glue = False
        """Whether glue is called for something other than an access."""

    def read(self, source: str) -> Code:
        """Read a part of the file, whose first line is `self.line`."""
        statements = split(source, self.isa.name, self.name, self.line)
        check_opaque(statements, self.name)
        if _SPLIT_STACK in source:
            _refuse_split_stack(statements, self.name)
        compiled = self.labels is not None  # only a compiler's file is cut
        code = read_code(statements, self.isa, self.name, self.sections, compiled)
        code.table = self.table_labels
        code.elsewhere = self.labels or frozenset()
        return code

    def refuse_crossing_labels(self, code: Code) -> None:
        """Raise NeedsWholeFile where control goes to a local label of another part."""
        for index, fact in enumerate(code.facts if self.labels is not None else ()):
            if fact.target and _LOCAL_LABEL.fullmatch(fact.target) and code.target(index) < 0:
                raise NeedsWholeFile(fact.target)


def _refuse_split_stack(statements: list[Statement], file: str) -> None:
    """Refuse functions that check for stack space by code which the linker must recognise.

    The linker rewrites the first instructions of functions that call code without split stacks,
    which hooks are, and refuses a file whose functions do not begin as the compiler wrote them.
    """
    for statement in statements:
        if statement.kind == Kind.DIRECTIVE and _SPLIT_STACK in statement.operands:
            raise InstError(
                "code with split stacks cannot be instrumented",
                location=Location(file, statement.line, statement.column),
                source=source_line(statements, statement),
                hint="compile without -fsplit-stack (gccgo: -fno-split-stack)",
            )
