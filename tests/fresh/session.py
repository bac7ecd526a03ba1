"""A shell that goes on from command to command, as a person's does, and says how each ended."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.docs.console import matches, whole_lines
from tests.fresh.commands import Command

_MARK = "\x01ended "


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did."""

    command: Command
    status: int
    """Its exit status; -1 if the shell ended with it."""
    output: str
    seconds: float

    @property
    def wrong(self) -> str:
        """What is not as the document says; "" if all is."""
        wanted = self.command.wanted
        if wanted is None:
            return f"exit status {self.status}" if self.status else ""
        return "" if matches(wanted, whole_lines(self.output)) else f"it should print\n{wanted}"


class Session:
    """A shell at work: `command` starts it, such as `bash` or one in another root."""

    def __init__(self, command: Iterable[str]) -> None:
        self._shell = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def run(self, commands: Iterable[Command]) -> Iterator[Outcome]:
        """Run commands in order; what one sets or enters is so for the next."""
        for command in commands:
            start = time.monotonic()
            status, output = self._one(command.text)
            yield Outcome(command, status, output, time.monotonic() - start)

    def _one(self, text: str) -> tuple[int, str]:
        assert self._shell.stdin is not None and self._shell.stdout is not None
        try:
            self._shell.stdin.write(f"{{ {text}\n}} </dev/null; printf '\\n\\001ended %d\\n' $?\n")
            self._shell.stdin.flush()
        except BrokenPipeError:
            return -1, ""
        lines: list[str] = []
        for line in self._shell.stdout:
            if line.startswith(_MARK):
                return int(line.removeprefix(_MARK)), "".join(lines).removesuffix("\n")
            lines.append(line)
        return -1, "".join(lines)

    def close(self) -> None:
        """End the shell."""
        assert self._shell.stdin is not None and self._shell.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # the shell may have ended before
            self._shell.stdin.close()
        self._shell.stdout.close()
        self._shell.wait()
