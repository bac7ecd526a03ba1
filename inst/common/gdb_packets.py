"""Packets of gdb's remote serial protocol (gdb's manual, appendix "Remote Serial Protocol")."""

from __future__ import annotations

from collections.abc import Callable

INTERRUPT = b"\x03"
_ESCAPED = b"}#$*"


def packed(content: bytes) -> bytes:
    """Return a packet with its checksum."""
    return b"$" + content + b"#%02x" % (sum(content) & 0xFF)


def escaped(data: bytes) -> bytes:
    """Return binary data as packets hold it."""
    return b"".join(b"}" + bytes([one ^ 0x20]) if one in _ESCAPED else bytes([one]) for one in data)


class Packets:
    """The packets that arrive on a connection.

    `receive` returns the next bytes, one at least, or raises what is wrong.
    """

    def __init__(self, receive: Callable[[], bytes], send: Callable[[bytes], None]) -> None:
        self._receive, self._send = receive, send
        self.acknowledges = True
        self.waiting = b""
        """What has been received and not been taken."""

    def next(self) -> bytes | None:
        """Return the next packet, or INTERRUPT; None if it is damaged, or if the other side asks
        for the last one again."""
        while (start := self._byte()) != b"$":
            if start == b"-":
                return None
            if start == INTERRUPT:
                return INTERRUPT
        content = self._up_to(b"#")
        check = self._byte() + self._byte()
        good = check.lower() == b"%02x" % (sum(content) & 0xFF)
        if self.acknowledges:
            self._send(b"+" if good else b"-")
        return content if good else None

    def _up_to(self, end: bytes) -> bytes:
        """Return what comes before a byte, and take both."""
        found = []
        while (at := self.waiting.find(end)) < 0:
            found.append(self.waiting)
            self.waiting = self._receive()
        found.append(self.waiting[:at])
        self.waiting = self.waiting[at + 1 :]
        return b"".join(found)

    def _byte(self) -> bytes:
        if not self.waiting:
            self.waiting = self._receive()
        byte, self.waiting = self.waiting[:1], self.waiting[1:]
        return byte
