"""The help screen."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from inst.tui.keys import KEYS, MOVES

FILTER_HELP = """\
A filter is a text to find in the lines, or options of inst view:
  --type instr,mem-read   --thread 1-3   --cpu 0   -i
  --pc 1000,1fff   --ea 20000   --source list.c:10-20"""


class Help(ModalScreen[None]):
    """Lists the keys; any key leaves it but those that scroll."""

    DEFAULT_CSS = """
    Help { align: center middle; }
    Help > VerticalScroll {
        width: 74; max-width: 100%; height: auto; max-height: 100%;
        border: round $accent; padding: 0 1; background: $surface;
    }
    Help Static { height: auto; }
    """
    BINDINGS = [Binding("escape,q,question_mark,f1,enter", "dismiss", "Close")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        """Make the list of keys."""
        text = Text()
        rows = [*((key.shown, key.meaning) for key in KEYS), *MOVES]
        for shown, meaning in rows:
            text.append(f"{shown:>10}  ", "bold")
            text.append(f"{meaning}\n")
        text.append(f"\n{FILTER_HELP}", "dim")
        with VerticalScroll() as box:
            box.border_title = "Keys"
            box.border_subtitle = "Esc closes"
            yield Static(text)
