"""Reading memory and registers of a stopped target by gdb's remote serial protocol over TCP.

Only what that needs: the packets `m ADDRESS,LENGTH` and `g`, and acknowledgements (gdb's manual,
appendix "Remote Serial Protocol"). The target is neither continued nor detached from: it stays as
it was.
"""

from __future__ import annotations

import socket

from inst.common.gdb_packets import Packets, packed
from inst.errors import InstError

PIECE = 1024
"""Bytes asked for at once: stubs take packets of about 4,000 characters."""
_TIMEOUT = 10.0
"""Seconds to wait for an answer."""
_TRIES = 3


class Target:
    """A connection to a stub at HOST:PORT; raises InstError for what goes wrong."""

    def __init__(self, where: str) -> None:
        host, colon, port = where.rpartition(":")
        if not colon or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise InstError(
                f"{where!r} is no HOST:PORT",
                hint="such as localhost:1234, or :1234 for this machine",
            )
        self._where = where
        try:
            self._socket = socket.create_connection((host or "localhost", int(port)), _TIMEOUT)
        except OSError as error:
            raise InstError(
                f"cannot connect to {where}: {error.strerror or error}",
                hint="qemu-system listens with -gdb tcp::PORT, or -s for port 1234",
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._packets = Packets(self._receive, self._send)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def read(self, address: int, size: int) -> bytes:
        """Return the memory from an address on."""
        end = address + size
        starts = range(address, end, PIECE)
        return b"".join(self._piece(start, min(PIECE, end - start)) for start in starts)

    def register(self, place: int) -> int | None:
        """Return a register of 32 bits, big-endian, by its place in bytes among all registers.

        None where the stub does not give it.
        """
        digits = self._ask(b"g")[2 * place : 2 * place + 8]
        try:
            return int(digits, 16) if len(digits) == 8 else None
        except ValueError:
            return None

    def _piece(self, address: int, size: int) -> bytes:
        answer = self._ask(f"m{address:x},{size:x}".encode())
        try:
            data = bytes.fromhex(answer.decode("ascii"))
        except ValueError:
            data = b""
        if len(data) != size:
            raise InstError(
                f"{self._where}: the target does not give the {size} bytes at {address:#x} (it "
                f"answers {answer[:20].decode('ascii', 'replace')!r})",
                hint="is the target stopped, and is the memory mapped in the state it is in?",
            )
        return data

    def _ask(self, request: bytes) -> bytes:
        """Send a packet and return the answer; reports that the target has stopped are skipped."""
        for _ in range(_TRIES):
            self._send(packed(request))
            while (answer := self._packets.next()) is not None:
                if not answer.startswith((b"T", b"S", b"W", b"X", b"O")):
                    return answer
        raise InstError(f"{self._where}: the answers of the target are damaged")

    def _receive(self) -> bytes:
        # Stubs answer in two segments, and send the second when the first is acknowledged.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        try:
            received = self._socket.recv(1 << 16)
        except TimeoutError:
            raise InstError(
                f"{self._where}: no answer in {_TIMEOUT:.0f} seconds",
                hint="stop the target; is this the port of a gdb stub?",
            ) from None
        except OSError as error:
            raise self._lost(error) from error
        if not received:
            raise InstError(f"{self._where}: the target has closed the connection")
        return received

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> InstError:
        return InstError(f"{self._where}: the connection was lost: {error.strerror or error}")
