"""Text in, text out: a file goes through the passes of its instruction set (`inst.arch`).

Large files go through in parts that end where functions end (see `inst.flow.pieces`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from inst import isa as instruction_sets
from inst.dataclass import replace
from inst.errors import InstError
from inst.flow import pieces
from inst.flow.read import table_labels
from inst.isa.model import Isa
from inst.isa.sites import Sites
from inst.rewrite import small_data
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits, apply_edits
from inst.rewrite.options import Options
from inst.rewrite.passes import Passes
from inst.rewrite.selection import MARK
from inst.rewrite.source_file import NeedsWholeFile, SourceFile, UsesSmallData
from inst.rewrite.writer import Writer
from inst.target.model import Target


def translate(
    source: str,
    target: Target,
    options: Options,
    file: str = "<stdin>",
    left_out: set[str] | None = None,
) -> str:
    """Return the instrumented form of an assembly file.

    Text that holds neither an access nor a watched function is returned unchanged. The names of
    functions that the user's lists leave out are added to `left_out`; `*` stands for all.
    Raises InstError (or ErrorList) with file, line and text for what cannot be understood or cannot
    be instrumented.
    """
    selection = options.selection.in_file(source, file)
    names = set() if left_out is None else left_out
    if selection is None:
        names.add("*")
        return source + MARK
    options = replace(options, selection=selection)
    isa = instruction_sets.get(target.isa, target.abi)
    if small_data.names_small_data(source, isa):
        options = replace(options, small_data=True)
    with _collector_paused():
        if pieces.may_be_cut(source, _scratch(isa)):
            try:
                labels = pieces.function_names(source)
                whole = SourceFile(isa, options, file, labels)
                text = translate_parts(whole, source, pieces.cut(source))
                names |= whole.left_out
                return text
            except (InstError, NeedsWholeFile, UsesSmallData):
                pass  # as one piece: errors are complete then, and every label is there
        try:
            whole, text = _in_one_piece(source, isa, options, file)
        except InstError as error:
            whole, text = _with_values_kept(source, isa, options, file, error)
        names |= whole.left_out
        return text


def _in_one_piece(source: str, isa: Isa, options: Options, file: str) -> tuple[SourceFile, str]:
    try:
        whole = SourceFile(isa, options, file)
        return whole, translate_parts(whole, source, [source])
    except UsesSmallData:
        whole = SourceFile(isa, replace(options, small_data=True), file)
        return whole, translate_parts(whole, source, [source])


def _with_values_kept(
    source: str, isa: Isa, options: Options, file: str, error: InstError
) -> tuple[SourceFile, str]:
    """Translate a file whose own values are elsewhere where sites need their registers.

    Raises the error that the file gave as it is, unless that cures it. Functions that the user's
    lists leave out would not be what they are.
    """
    if options.dropped or not options.check_registers or options.selection.is_partial:
        raise error
    with suppress(InstError):
        kept = isa.part(Writer).keep(source, isa, file, True)
        if kept.dropped:
            return _in_one_piece(kept.text, isa, replace(options, dropped=kept.dropped), file)
    raise error


def translate_parts(file: SourceFile, source: str, parts: Iterable[str]) -> str:
    """Return the whole output: the parts in order, then wrappers' names and the site table."""
    file.table_labels = table_labels(source)
    if file.options.executed:
        file.wrapping.unwrapped = _called_by_name(file, source)
    texts = []
    for part in parts:
        texts.append(_translate_part(file, part))
        file.line += part.count("\n")
    wrapped = file.wrapping.text()
    mark = MARK if file.is_partial else ""
    segments = file.segments
    is_plain = not (file.table.rows or file.calls_glue or segments.has_calls or segments.has_frames)
    if is_plain and not wrapped:
        return source + mark
    return "".join([*texts, wrapped, mark, *segments.text(), *file.table.text()])


def _called_by_name(file: SourceFile, source: str) -> frozenset[str]:
    from inst.rewrite.record.calls import called_by_name  # which few builds need
    from inst.rewrite.record.recorder import Recorder

    return called_by_name(source, file.options, file.isa.part(Recorder).loose)


def _translate_part(file: SourceFile, source: str) -> str:
    start = file.sections.state()
    code = file.read(source)
    if file.options.wrapping:
        file.wrapping.add(code.statements)
    work = Rewriting(file, code, start, code.mentioned(), edits=Edits(labels=file.probe_labels))
    for run in work.isa.part(Passes).passes:
        run(work)
    statements = work.code.statements
    file.wrapping.define_commons(statements, work.edits)
    file.probe_labels = work.edits.labels
    file.table.add(work.rows, statements, file.places.of(statements), file.name)
    return apply_edits(statements, work.edits)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the cycle collector from visiting the many statements that live to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _scratch(isa: Isa) -> tuple[str, ...]:
    """Return the registers that make a file one piece when it names them."""
    return isa.part(Sites).abis[isa.abi].scratch
