"""One debugger's session by gdb's remote serial protocol.

Sources: gdb's manual, appendix "Remote Serial Protocol", sections "Packets", "Stop Reply Packets",
"General Query Packets".
"""

from __future__ import annotations

import os
import re
import select
import socket
from collections.abc import Callable
from typing import ClassVar

from inst.common.gdb_packets import INTERRUPT, Packets, escaped, packed
from inst.debugging.description import description_of, registers_of
from inst.debugging.history import Halt, Stops, Why
from inst.debugging.knowledge import Thread
from inst.debugging.recorded import Recording
from inst.errors import InstError
from inst.replay.machine import LOADED, STORED, WatchedMemory

_LARGEST = 0x4000
"""Bytes of a packet."""
_OK, _ERROR, _UNSUPPORTED = b"OK", b"E01", b""
_FEATURES = (
    f"PacketSize={_LARGEST:x};QStartNoAckMode+;qXfer:features:read+;ReverseStep+;ReverseContinue+"
).encode()
_WATCHES = {2: STORED, 3: LOADED, 4: LOADED | STORED}
_NAMES = {STORED: "watch", LOADED: "rwatch", LOADED | STORED: "awatch"}
_SIGNALS = {Why.INTERRUPTED: 2}
_TRAP = 5
_PLACES = {Why.BEGIN: "replaylog:begin;", Why.END: "replaylog:end;"}


class Closed(Exception):
    """The debugger has gone."""


class Session:
    """The session of a debugger: descriptors to read packets from, and to write them to."""

    def __init__(self, reads: int, writes: int, recording: Recording) -> None:
        self._reads, self._writes, self._recording = reads, writes, recording
        self._packets = Packets(self._receive, self._send)
        self._threads: dict[int, Thread] = {}
        self._current = recording.numbers()[0]
        self._breakpoints: set[int] = set()
        self._watches: set[WatchedMemory] = set()
        self._registers = registers_of(recording.program.target)
        self._halt = Halt(Why.BREAKPOINT)

    def serve(self) -> None:
        """Answer until the debugger goes."""
        answer = b""
        try:
            while True:
                request = self._packets.next()
                if request == INTERRUPT:
                    continue
                if request is not None:
                    acknowledges = request != b"QStartNoAckMode"
                    answer = packed(self._answer(request))
                    self._send(answer)
                    self._packets.acknowledges &= acknowledges
                    if request[:1] == b"D":
                        return
                else:
                    self._send(answer)
        except Closed:
            return

    def _answer(self, request: bytes) -> bytes:
        text = request.decode("latin-1")
        for name, answer in self._named.items():
            if text.startswith(name):
                return answer(self, text[len(name) :])
        return _UNSUPPORTED

    @property
    def _thread(self) -> Thread:
        if self._current not in self._threads:
            thread = self._recording.thread(self._current)
            thread.history.interrupted = self._is_interrupted
            self._threads[self._current] = thread
        return self._threads[self._current]

    def _features(self, _words: str) -> bytes:
        return _FEATURES

    def _agree(self, _words: str) -> bytes:
        return _OK

    def _refuse(self, _words: str) -> bytes:
        return _ERROR

    def _description(self, words: str) -> bytes:
        """Answer `target.xml:OFFSET,LENGTH`."""
        place, _, size = words.rpartition(":")[2].partition(",")
        data = description_of(self._recording.program.target).encode()
        first, count = int(place, 16), min(int(size, 16), _LARGEST // 4)
        part = data[first : first + count]
        return (b"l" if first + count >= len(data) else b"m") + escaped(part)

    def _reason(self, _words: str) -> bytes:
        return self._stopped(self._halt)

    def _stopped(self, halt: Halt) -> bytes:
        self._halt = halt
        signal = _SIGNALS.get(halt.why, _TRAP)
        found = f"T{signal:02x}thread:{self._current:x};{_PLACES.get(halt.why, '')}"
        if halt.watch:
            found += f"{_NAMES[halt.watch.kinds]}:{halt.watch.address:x};"
        return found.encode()

    def _all_registers(self, _words: str) -> bytes:
        return b"".join(self._shown(number) for number in range(len(self._registers)))

    def _one_register(self, words: str) -> bytes:
        number = int(words, 16)
        return self._shown(number) if number < len(self._registers) else _ERROR

    def _shown(self, number: int) -> bytes:
        one = self._registers[number]
        value = self._thread.register(one)
        return value.hex().encode() if value is not None else b"xx" * (one.bits // 8)

    def _memory(self, words: str) -> bytes:
        address, size = (int(word, 16) for word in words.split(","))
        found = self._thread.memory(address, min(size, _LARGEST // 2))
        return found.hex().encode() if found or not size else _ERROR

    def _select(self, words: str) -> bytes:
        """Answer `gTHREAD` or `cTHREAD`: each thread moves for itself, so one choice is enough."""
        number = words[1:]
        if number in ("0", "-1"):
            return _OK
        if int(number, 16) not in self._recording.numbers():
            return _ERROR
        self._current = int(number, 16)
        return _OK

    def _lives(self, words: str) -> bytes:
        return _OK if int(words, 16) in self._recording.numbers() else _ERROR

    def _list(self, _words: str) -> bytes:
        return b"m" + ",".join(f"{one:x}" for one in self._recording.numbers()).encode()

    def _list_ends(self, _words: str) -> bytes:
        return b"l"

    def _selected(self, _words: str) -> bytes:
        return f"QC{self._current:x}".encode()

    def _offsets(self, _words: str) -> bytes:
        bias = f"{self._recording.bias:x}"
        return f"Text={bias};Data={bias};Bss={bias}".encode()

    def _attached(self, _words: str) -> bytes:
        return b"1"

    def _insert(self, words: str) -> bytes:
        return self._change(words, self._breakpoints.add, self._watches.add)

    def _remove(self, words: str) -> bytes:
        return self._change(words, self._breakpoints.discard, self._watches.discard)

    def _change(
        self,
        words: str,
        breakpoints: Callable[[int], None],
        watches: Callable[[WatchedMemory], None],
    ) -> bytes:
        found = re.fullmatch(r"(\d),([0-9a-f]+),([0-9a-f]+)(;.*)?", words)
        if not found:
            return _UNSUPPORTED
        kind, address, size = int(found[1]), int(found[2], 16), int(found[3], 16)
        if kind in _WATCHES:
            watches(WatchedMemory(address, size, _WATCHES[kind]))
        elif kind < min(_WATCHES):
            breakpoints(address)
        else:
            return _UNSUPPORTED
        return _OK

    @property
    def _stops(self) -> Stops:
        return Stops(frozenset(self._breakpoints), tuple(sorted(self._watches)))

    def _step(self, _words: str) -> bytes:
        return self._moved(self._thread.history.step(self._stops.watches))

    def _resume(self, _words: str) -> bytes:
        return self._moved(self._thread.history.resume(self._stops))

    def _step_back(self, _words: str) -> bytes:
        return self._moved(self._thread.history.step_back(self._stops.watches))

    def _resume_back(self, _words: str) -> bytes:
        return self._moved(self._thread.history.resume_back(self._stops))

    def _moved(self, halt: Halt) -> bytes:
        if halt.message:
            self._send(packed(b"O" + f"{halt.message}\n".encode().hex().encode()))
        return self._stopped(halt)

    def _kill(self, _words: str) -> bytes:
        raise Closed

    _named: ClassVar[dict[str, Callable[[Session, str], bytes]]] = {
        "qSupported": _features,
        "QStartNoAckMode": _agree,
        "qXfer:features:read:target.xml": _description,
        "qfThreadInfo": _list,
        "qsThreadInfo": _list_ends,
        "qC": _selected,
        "qOffsets": _offsets,
        "qAttached": _attached,
        "?": _reason,
        "g": _all_registers,
        "p": _one_register,
        "G": _refuse,
        "P": _refuse,
        "m": _memory,
        "M": _refuse,
        "X": _refuse,
        "H": _select,
        "T": _lives,
        "Z": _insert,
        "z": _remove,
        "s": _step,
        "c": _resume,
        "bs": _step_back,
        "bc": _resume_back,
        "D": _agree,
        "k": _kill,
    }
    """By how packets begin, what answers the rest."""

    def _is_interrupted(self) -> bool:
        """Return whether the debugger wants the run to stop."""
        while select.select([self._reads], [], [], 0)[0]:
            self._packets.waiting += self._receive()
        found = INTERRUPT in self._packets.waiting
        self._packets.waiting = self._packets.waiting.replace(INTERRUPT, b"")
        return found

    def _receive(self) -> bytes:
        try:
            received = os.read(self._reads, 1 << 16)
        except OSError:
            received = b""
        if not received:
            raise Closed
        return received

    def _send(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._writes, data) :]
        except OSError:
            raise Closed from None


def serve(port: int, recording: Recording, ready: Callable[[int], None]) -> None:
    """Wait for a debugger on a port of this machine, and answer it; `ready` receives the port."""
    try:
        with socket.create_server(("127.0.0.1", port)) as server:
            ready(int(server.getsockname()[1]))
            connection, _ = server.accept()
    except OSError as error:
        raise InstError(f"cannot listen on port {port}: {error.strerror or error}") from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        Session(connection.fileno(), connection.fileno(), recording).serve()
