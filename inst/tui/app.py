"""The browser: puts records, panes, prompt and status together, and carries out its keys."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Static

from inst.browse import search as searches
from inst.browse.calls import CallIndex, calls_of
from inst.browse.filtering import Choose, Filtered
from inst.browse.findings import Findings, findings_of
from inst.browse.lines import Line
from inst.browse.records import Records
from inst.browse.source import Sources
from inst.errors import InstError
from inst.tui.help import Help
from inst.tui.keys import KEYS
from inst.tui.panes import CallsPane, FindingsPane, SourcePane
from inst.tui.prompt import Prompt
from inst.tui.styles import STYLES
from inst.tui.table import RecordTable
from inst.tui.work import Done, Work

INTERVAL = 0.1
"""Seconds between two looks at how far the work in the background is."""
QUESTIONS = {
    "search forwards": ("Search", "a text in the lines"),
    "search backwards": ("Search backwards", "a text in the lines"),
    "record": ("Record", "the number of a record, from 0"),
    "function": ("Function", "the name of a function, which may have *"),
    "address": ("Address", "an address, in hexadecimal"),
    "filter": ("Filter", "a text in the lines, or options of inst view such as --type instr"),
}
"""What is asked for: title, and what stands where nothing was typed."""
_ACTIONS = {key.action.partition("(")[0] for key in KEYS}
SEARCH, CALLS, FINDINGS, FILTER, INDEX = "search", "calls", "findings", "filter", "index"
"""What is done in the background, each in a thread of its own."""


class Browser(App[None]):
    """The terminal browser of one trace."""

    CSS = STYLES
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's way
    BINDINGS = [  # noqa: RUF012
        Binding(key.keys, key.action, key.what, key_display=key.shown, show=key.footer)
        for key in KEYS
    ]

    def __init__(self, records: Records, parse_filter: Callable[[str], Choose]) -> None:
        """Browse a trace; `parse_filter` makes a filter of options, or raises InstError."""
        super().__init__()
        self.records = records
        self.parse_filter = parse_filter
        self.work = Work(self)
        self.calls: CallIndex | None = None
        self.findings: Findings | None = None
        self._marked: frozenset[int] = frozenset()
        self._again: Callable[[bool], None] | None = None
        self._then: dict[str, list[Callable[[], None]]] = {CALLS: [], FINDINGS: []}
        self._said = ""
        self.source = SourcePane(Sources(str(records.index.path), records.programs))
        self.calls_pane, self.findings_pane = CallsPane(), FindingsPane()
        self.table = RecordTable(records, lambda record: record in self._marked)
        self.prompt = Prompt()
        self.notice, self.status = Static(id="notice"), Static(id="status")

    def compose(self) -> ComposeResult:
        """Lay the widgets out."""
        with Horizontal(id="main"):
            yield self.table
            with Vertical(id="side"):
                yield self.source
                yield self.calls_pane
                yield self.findings_pane
        yield self.notice
        yield self.status
        yield self.prompt
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to read the trace."""
        self.prompt.display = False
        self.action_pane("source")
        self.table.focus()
        self.set_interval(INTERVAL, self._tick)
        self.work.start(INDEX, "reading", lambda _: self.records.index.build(), self._indexed)

    def _tick(self) -> None:
        """Show how far the work in the background is."""
        if self.work.running:
            self.table.grow()
        if job := self.work.running.get(INDEX):
            job.tell(self.records.index.progress)
        self._show_status()

    def _indexed(self, _result: None) -> None:
        self.table.grow()
        self._show_selected()
        self._show_notice()

    def _show_notice(self) -> None:
        """Say what is wrong with the trace and the programs, and what is missing in them."""
        index = self.records.index
        locator = self.records.locator
        errors = [index.error, *(locator.failures if locator else ())]
        text = Text("\n".join(error.render() for error in errors if error), style="bold red")
        for note in index.trace.notes[:3]:
            text.append(f"{chr(10) if text else ''}note: {note}", "yellow")
        self.notice.update(text)
        self.notice.display = bool(text)

    def _show_status(self) -> None:
        index, line = self.records.index, self._line()
        parts = [index.trace.name if len(index.trace.name) < 40 else f"...{index.trace.name[-36:]}"]
        if line is not None:
            parts.append(f"record {line.record}")
        parts.append(f"row {min(self.table.cursor + 1, len(self.records))} of {len(self.records)}")
        if self.records.filter is not None:
            parts[-1] += f" ({self.records.filter.text})"
        if line is not None and line.thread is not None:
            parts.append(f"thread {line.thread}")
        said = "  ".join(part for part in (self._said, *self.work.told()) if part)
        text = Text(f"{said}  " if said else "", "bold")
        text.append("  ".join(parts), "not bold")
        self.status.update(text)

    def say(self, text: str) -> None:
        """Show a sentence until the next key."""
        self._said = text
        self._show_status()

    def _line(self) -> Line | None:
        try:
            return self.table.line
        except InstError as error:
            self._said = error.message
            return None

    @on(RecordTable.Selected)
    def _show_selected(self) -> None:
        line = self._line()
        try:
            named_by = self.records.named_by(line) if line else None
        except InstError as error:
            self._said, named_by = error.message, None
        self.source.show(line, named_by)
        self.calls_pane.show(line)
        self._show_status()

    def on_key(self) -> None:
        """Take back what was said."""
        self._said = ""

    @on(Done)
    def _done(self, done: Done) -> None:
        """Use the result of work in the background."""
        try:
            if done.error is not None:
                raise done.error
            if done.is_wanted:
                done.then(done.result)
        except InstError as error:
            self.say(error.message)
        self._show_status()

    # Places to go to

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no key while something is typed."""
        return not self.prompt.has_focus or action not in _ACTIONS

    def go_to_row(self, row: int) -> None:
        """Select a row of the trace, or the next one that is shown."""
        self.table.select(self.records.number(row))

    def go_to_record(self, record: int) -> None:
        """Select the row of a record, when it has been read."""
        index = self.records.index

        def wait(work: Any) -> int:
            number = 0
            while index.pages == 0 or index.starts[-1].mark.record <= record:
                number = index.pages
                if not index.wait(number, work.cancelled):
                    break
            return index.row_of_record(record)

        self.work.start(SEARCH, f"going to record {record}", wait, self.go_to_row)

    def _find(self, search: searches.Search, forwards: bool) -> None:
        """Select the next row that a search finds."""
        if not len(self.records):
            return
        start = self.records.row(self.table.cursor)

        def look(work: Any) -> int | None:
            return searches.find(
                self.records, search, start, forwards=forwards,
                cancelled=work.cancelled, progress=lambda row: work.tell(f"row {row}"),
            )  # fmt: skip

        def found(row: int | None) -> None:
            if row is None:
                self.say(f"no {'further' if forwards else 'earlier'} {search.what}")
            else:
                self.go_to_row(row)

        self.work.start(SEARCH, f"looking for {search.what}", look, found)

    # Questions

    def _ask(self, question: str) -> None:
        self.prompt.ask(question, *QUESTIONS[question])

    def action_search(self, forwards: bool) -> None:
        """Ask for a text."""
        self._ask("search forwards" if forwards else "search backwards")

    def action_record(self) -> None:
        """Ask for the number of a record."""
        self._ask("record")

    def action_function(self) -> None:
        """Ask for a function."""
        self._ask("function")

    def action_address(self) -> None:
        """Ask for an address."""
        self._ask("address")

    def action_filter(self) -> None:
        """Ask for a filter."""
        self._ask("filter")

    @on(Prompt.Left)
    def _left(self) -> None:
        self.table.focus()

    @on(Prompt.Answered)
    def _answered(self, answer: Prompt.Answered) -> None:
        self.table.focus()
        try:
            self._answer(answer.question, answer.text, answer.regular)
        except InstError as error:
            self.say(f"{error.message}{f' ({error.hint})' if error.hint else ''}")

    def _answer(self, question: str, text: str, regular: bool) -> None:
        if question == "filter":
            self._filter(text)
        elif not text:
            return
        elif question.startswith("search"):
            self._repeat(searches.text_search(self.records, text, regular=regular),
                         question == "search forwards")  # fmt: skip
        elif question == "record":
            if not text.isdecimal():
                raise InstError(f"{text!r} is not the number of a record, from 0")
            self.go_to_record(int(text))
        elif question == "address":
            self._repeat(searches.address_search(self.records, parse_address(text)), True)
        else:
            self.go_to_function(text, True)

    def _repeat(self, search: searches.Search, forwards: bool) -> None:
        """Find something, and again with n (in this direction) and N (in the other)."""
        self._again = lambda same: self._find(search, forwards == same)
        self._find(search, forwards)

    def action_again(self, same: bool) -> None:
        """Find the last thing again."""
        if self._again is None:
            self.say("nothing has been looked for")
        else:
            self._again(same)

    def action_thread(self, forwards: bool) -> None:
        """Find a record of another thread."""
        line = self._line()
        self._find(searches.thread_search(self.records, line.thread if line else None), forwards)

    def action_cancel(self) -> None:
        """End a search, and go back to the records."""
        if self.work.cancel(SEARCH):
            self.say("ended")
        self.table.focus()

    # Filters

    def _filter(self, text: str) -> None:
        line = self._line()
        row = self.records.row(self.table.cursor) if line else 0
        self.work.cancel(FILTER)
        if not text:
            self.records.set_filter(None)
            self.table.restart(row)
            return
        chosen = Filtered(text, self.parse_filter(text))
        self.records.set_filter(chosen)
        self.table.restart(0)

        def built(_result: None) -> None:
            self.table.restart(self.records.number(row))
            if not len(chosen):
                self.say("no record is selected; & and Enter show all")

        index = self.records.index
        self.work.start(
            FILTER, "filtering", lambda work: chosen.build(index, work.cancelled), built
        )

    # Panes

    def action_pane(self, name: str) -> None:
        """Show a pane, and work out what it shows."""
        for pane in (self.source, self.calls_pane, self.findings_pane):
            pane.set_class(pane.id == name, "-chosen")
        if name == "calls":
            self._want(CALLS, lambda: None)
        elif name == "findings":
            self._want(FINDINGS, lambda: None)

    def _want(self, what: str, then: Callable[[], None]) -> None:
        """Do something when the calls or the findings are known, which are now wanted."""
        if (self.calls if what == CALLS else self.findings) is not None:
            then()
            return
        self._then[what].append(then)
        if what in self.work.running:
            return
        if what == CALLS:
            self.work.start(CALLS, "following calls", self._read_calls, self._calls_known)
        else:
            self.work.start(FINDINGS, "checking", self._read_findings, self._findings_known)

    def _read_calls(self, work: Any) -> CallIndex:
        return calls_of(self.records, work.cancelled, self._part(work))

    def _read_findings(self, work: Any) -> Findings:
        return findings_of(self.records, work.cancelled, self._part(work))

    def _part(self, work: Any) -> Callable[[int], object]:
        index = self.records.index
        return lambda size: work.tell(
            f"{100 * size // max(index.bytes_read, 1)} %" if index.done else ""
        )

    def _calls_known(self, calls: CallIndex) -> None:
        self.calls = calls
        self.calls_pane.fill(calls)
        self.calls_pane.show(self._line())
        self._continue(CALLS)

    def _findings_known(self, findings: Findings) -> None:
        self.findings = findings
        self._marked = frozenset(each.record for each in findings.found)
        self.findings_pane.fill(findings)
        self.table.refresh()
        self._continue(FINDINGS)

    def _continue(self, what: str) -> None:
        waiting, self._then[what] = self._then[what], []
        for then in waiting:
            then()

    def go_to_function(self, name: str, forwards: bool) -> None:
        """Select the next record in a function."""
        self._again = lambda same: self.go_to_function(name, same)

        def go() -> None:
            line = self._line()
            assert self.calls
            try:
                record = self.calls.next(name, line.record if line else -1, forwards=forwards)
            except InstError as error:
                self.say(f"{error.message}{f' ({error.hint})' if error.hint else ''}")
                return
            if record is None:
                self.say(f"{name} runs no {'further' if forwards else 'earlier'} time")
            else:
                self.go_to_record(record)

        self._want(CALLS, go)

    def action_finding(self, forwards: bool) -> None:
        """Select the next record with a finding."""

        def go() -> None:
            assert self.findings
            line = self._line()
            records = [each.record for each in self.findings.found]
            here = line.record if line else -1
            at = (
                bisect.bisect_right(records, here)
                if forwards
                else bisect.bisect_left(records, here) - 1
            )
            if not 0 <= at < len(records):
                self.say(f"no {'further' if forwards else 'earlier'} finding")
                return
            self.findings_pane.point(at)
            self.say(self.findings.found[at].message)
            self.go_to_record(records[at])

        self._want(FINDINGS, go)

    @on(DataTable.RowSelected, "#functions")
    def _function_chosen(self, event: DataTable.RowSelected) -> None:
        self.go_to_function(_literal(str(event.row_key.value)), True)

    @on(DataTable.RowSelected, "#list")
    def _finding_chosen(self, event: DataTable.RowSelected) -> None:
        if self.findings and event.cursor_row < len(self.findings.found):
            self.go_to_record(self.findings.found[event.cursor_row].record)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help())

    def on_unmount(self) -> None:
        """Let go of files; threads end soon."""
        self.work.cancel_all()
        self.records.close()
        if self.calls:
            self.calls.close()


def parse_address(text: str) -> int:
    """Read an address, hexadecimal with or without 0x."""
    try:
        address = int(text, 16)
    except ValueError:
        raise InstError(f"{text!r} is not an address in hexadecimal") from None
    if not 0 <= address < 1 << 64:
        raise InstError(f"{text!r} is not in the 64 bits of an address")
    return address


def _literal(name: str) -> str:
    """Return a pattern that a name alone matches."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)
