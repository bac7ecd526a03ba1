"""The line at the bottom in which a user types what to look for."""

from __future__ import annotations

from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input


class Prompt(Input):
    """Asks for one thing at a time; hidden while nothing is asked."""

    BINDINGS = [  # noqa: RUF012 - Textual's way
        Binding("enter", "submit", "Go", key_display="Enter"),
        Binding("escape", "leave", "Cancel", key_display="Esc"),
        Binding("ctrl+r", "regular", "Text or regular expression", key_display="Ctrl+R"),
    ]

    class Answered(Message):
        """The user has typed something."""

        def __init__(self, question: str, text: str, *, regular: bool) -> None:
            super().__init__()
            self.question, self.text, self.regular = question, text, regular

    class Left(Message):
        """The user wants nothing."""

    def __init__(self) -> None:
        super().__init__(id="prompt", compact=True)
        self.question = ""
        self.regular = False
        self._given: dict[str, str] = {}

    def ask(self, question: str, title: str, example: str) -> None:
        """Ask for something; the last answer to the same question is there to be edited."""
        self.question = question
        self._title = title
        self.placeholder = example
        self.value = self._given.get(question, "")
        self.display = True
        self._entitle()
        self.focus()
        self.action_select_all()

    @property
    def _searches(self) -> bool:
        return self.question.startswith("search")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer regular expressions for searches alone."""
        return action != "regular" or self._searches

    def _entitle(self) -> None:
        regular = self.regular and self._searches
        self.border_title = f"{self._title} for a regular expression" if regular else self._title

    def action_regular(self) -> None:
        """Search for a text, or for a regular expression."""
        self.regular = not self.regular
        self._entitle()

    def action_leave(self) -> None:
        """Ask no longer."""
        self.display = False
        self.post_message(self.Left())

    async def action_submit(self) -> None:
        """Hand on what was typed."""
        self._given[self.question] = self.value
        self.display = False
        self.post_message(self.Answered(self.question, self.value.strip(), regular=self.regular))
