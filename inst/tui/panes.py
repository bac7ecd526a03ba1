"""The panes beside the records: source, calls, findings."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import DataTable, Static

from inst.browse.calls import CallIndex
from inst.browse.findings import Findings
from inst.browse.lines import Line
from inst.browse.source import Sources, source_of


class SourcePane(Widget):
    """The source line of the selected record, with lines around it."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(id="source")
        self.border_title = "Source"
        self._sources = sources
        self._line: Line | None = None
        self._named_by: int | None = None

    def show(self, line: Line | None, named_by: Line | None) -> None:
        """Show the source of a row, which an earlier one may name."""
        self._line = named_by or line
        self._named_by = named_by.record if named_by else None
        file, number = source_of(self._line) if self._line else ("", 0)
        self.border_title = Text(f"{file}:{number}" if number else "Source")
        self.refresh()

    def render(self) -> Text:
        """Return the lines, of which the selected record's stands in the middle."""
        line = self._line
        if line is None:
            return Text("no record", style="dim")
        file, number = source_of(line)
        head = [f"instruction: {line.place.text.strip()}"] if line.place and line.place.text else []
        if line.place and line.place.function:
            head.insert(0, f"function: {line.place.function}+{line.place.offset:#x}")
        if self._named_by is not None:
            head.insert(0, f"of record {self._named_by}:")
        if not number:
            return Text("\n".join([*head, "no source line is known for this record"]), style="dim")
        lines = self._sources.lines(file)
        if lines is None:
            return Text("\n".join([*head, f"{file} was not found", f"line {number}"]), style="dim")
        text = Text("".join(f"{one[: self.size.width]}\n" for one in head))
        room, width = max(self.size.height - len(head), 1), max(self.size.width - 7, 1)
        first = max(min(number - 1 - room // 2, len(lines) - room), 0)
        for at in range(first, min(first + room, len(lines))):
            chosen = at == number - 1
            text.append(f"{'>' if chosen else ' '}{at + 1:5} ", "bold" if chosen else "dim")
            shown = Text(lines[at], "bold reverse" if chosen else "")
            shown.truncate(width)
            text.append(shown)
            text.append("\n" if at + 1 < first + room else "")
        return text


class CallsPane(Vertical):
    """The calls that the selected record was made in, and all functions."""

    def __init__(self) -> None:
        super().__init__(id="calls")
        self.border_title = "Calls"
        self._calls: CallIndex | None = None
        self._chain = Static(Text("reading the trace ...", style="dim"), id="chain")
        self._functions: DataTable[Text] = DataTable(id="functions", cursor_type="row")

    def compose(self) -> ComposeResult:
        """Lay out the chain and the table."""
        yield self._chain
        yield self._functions

    def on_mount(self) -> None:
        """Name the columns."""
        self._functions.add_columns("accesses", "calls", "function")

    def fill(self, calls: CallIndex) -> None:
        """Show the functions."""
        self._calls = calls
        table = self._functions
        table.clear()
        for row in calls.functions:
            many = f"{row.calls}{'' if row.exact else '+'}" if row.depth else "-"
            numbers = [Text(cell, justify="right") for cell in (str(row.accesses), many)]
            table.add_row(*numbers, Text(row.name, no_wrap=True), key=row.name)

    def show(self, line: Line | None) -> None:
        """Show the calls that a record was made in."""
        if self._calls is None:
            return
        chain = self._calls.chain(line.record) if line else []
        room = max(self.size.height // 2, 1)
        text = Text(no_wrap=True)
        left_out = max(len(chain) - room, 0)
        if left_out:
            text.append(f"... {left_out + 1} calls\n", "dim")
            chain = chain[left_out + 1 :]
        for depth, name in enumerate(chain):
            last = depth + 1 == len(chain)
            text.append(f"{' ' * min(depth, 16)}{name}", "bold" if last else "")
            text.append("" if last else "\n")
        if not chain:
            text = Text(self._calls.note or "in no function that is known", style="dim")
        self._chain.update(text)


class FindingsPane(Vertical):
    """What inst check finds."""

    def __init__(self) -> None:
        super().__init__(id="findings")
        self.border_title = "Findings"
        self._verdict = Static(Text("checking ...", style="dim"), id="verdict")
        self._list: DataTable[Text] = DataTable(id="list", cursor_type="row", show_header=False)

    def compose(self) -> ComposeResult:
        """Lay out the heading and the list."""
        yield self._verdict
        yield self._list

    def on_mount(self) -> None:
        """Name the columns."""
        self._list.add_columns("record", "finding")

    def fill(self, findings: Findings) -> None:
        """Show the findings."""
        table = self._list
        table.clear()
        for each in findings.found:
            text = Text(f"{each.code}: {each.message}", no_wrap=True)
            if each.where:
                text.append(f"  ; {each.where}", "dim")
            table.add_row(Text(str(each.record), justify="right"), text)
        count = len(findings.found) + findings.more
        said = f"{count} finding{'s' * (count != 1)}" if count else "no findings"
        if findings.more:
            said += f", the first {len(findings.found)} are listed"
        if findings.error:
            said += "; the trace is damaged"
        self._verdict.update(Text(said, style="bold" if count else "dim"))

    def point(self, number: int) -> None:
        """Select a finding of the list."""
        self._list.move_cursor(row=number)
