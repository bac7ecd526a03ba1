"""The table of records: draws the rows on the screen, and asks for no others."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inst.browse.lines import Line
from inst.browse.records import Records
from inst.errors import InstError

LONGEST = 4096
"""Characters of a row that can be seen by scrolling."""
STEP = 16
"""Columns that a key scrolls by."""


class RecordTable(ScrollView, can_focus=True):
    """The records as lines, of which one is selected."""

    DEFAULT_CSS = """
    RecordTable { width: 1fr; height: 1fr; overflow-x: auto; }
    """
    COMPONENT_CLASSES = {  # noqa: RUF012 - Textual's way
        "records--number", "records--kind", "records--place", "records--cursor", "records--finding",
    }  # fmt: skip
    BINDINGS = [  # noqa: RUF012
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "first", show=False),
        Binding("end", "last", show=False),
        Binding("left", f"sideways(-{STEP})", show=False),
        Binding("right", f"sideways({STEP})", show=False),
    ]
    cursor = reactive(0)
    """Place of the selected row among those shown."""

    class Selected(Message):
        """Another row is selected."""

    def __init__(self, records: Records, marked: Callable[[int], bool]) -> None:
        super().__init__(id="records")
        self._records = records
        self._marked = marked
        self._width = 0

    def on_mount(self) -> None:
        """Show what there is already."""
        self.grow()

    def grow(self) -> None:
        """Show rows that have become known."""
        size = Size(max(self._width, 1), len(self._records))
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()

    def restart(self, cursor: int) -> None:
        """Show other rows: those of a filter, or all again."""
        self._width = 0
        self.grow()
        self.select(cursor)

    def select(self, place: int) -> None:
        """Select a row, and scroll to it."""
        place = max(min(place, len(self._records) - 1), 0)
        same, self.cursor = self.cursor == place, place
        height = max(self.scrollable_content_region.height, 1)
        if not self.scroll_offset.y <= place < self.scroll_offset.y + height:
            self.scroll_to(y=max(place - height // 2, 0), animate=False, force=True)
        if same:
            self.post_message(self.Selected())
        self.refresh()

    def _follow(self, place: int) -> None:
        """Select a row near the present one, scrolling no further than needed."""
        self.cursor = max(min(place, len(self._records) - 1), 0)
        self.scroll_to_region(
            Region(self.scroll_offset.x, self.cursor, 1, 1), animate=False, force=True, y_axis=True
        )

    def watch_cursor(self) -> None:
        """Tell the panes."""
        self.refresh()
        self.post_message(self.Selected())

    @property
    def line(self) -> Line | None:
        """The selected row. Raises InstError."""
        return self._records.line(self.cursor)

    def action_move(self, rows: int) -> None:
        """Go some rows up or down."""
        self._follow(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        """Go some screens up or down."""
        self._follow(self.cursor + pages * max(self.scrollable_content_region.height - 1, 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self._follow(0)

    def action_last(self) -> None:
        """Go to the last row known so far."""
        self._follow(len(self._records) - 1)

    def action_sideways(self, columns: int) -> None:
        """Scroll long lines."""
        self.scroll_to(x=self.scroll_offset.x + columns, animate=False, force=True)

    def on_click(self, event: object) -> None:
        """Select the row that was clicked."""
        self._follow(self.scroll_offset.y + int(getattr(event, "y", 0)))

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        x, top = self.scroll_offset
        place, width = top + y, self.scrollable_content_region.width
        try:
            line = self._records.line(place)
        except InstError as error:
            return Strip([Segment(error.message, self.rich_style)]).adjust_cell_length(width)
        if line is None:
            return Strip.blank(width, self.rich_style)
        style = self.rich_style
        if place == self.cursor:
            style += self.get_component_rich_style("records--cursor", partial=True)
        strip = self._strip(line, style, chosen=place == self.cursor)
        if strip.cell_length > self._width:
            self._width = strip.cell_length
            self.call_later(self.grow)
        return strip.crop_extend(x, x + width, Style(bgcolor=style.bgcolor))

    def _strip(self, line: Line, plain: Style, *, chosen: bool) -> Strip:
        number, kind, place, finding = (
            plain
            if chosen
            else plain + self.get_component_rich_style(f"records--{name}", partial=True)
            for name in ("number", "kind", "place", "finding")
        )
        mark = "!" if self._marked(line.record) else " "
        where = line.where
        return Strip(
            [
                Segment(mark, finding),
                Segment(f"{line.record:>6} ", number),
                Segment(f"{line.kind:<8}: ", kind),
                Segment(line.text[:LONGEST].replace("\t", " "), plain),
                Segment(f"  ; {where}" if where else "", place),
            ]
        )
