"""Finding the rings of a program in what was saved of its memory: of records, or of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO, NoReturn

from inst.errors import InstError
from inst.formats import flight, ring
from inst.formats.flight import layout as inline
from inst.formats.flight import text
from inst.formats.ring import layout as records
from inst.formats.ring.text import has_lines, rings_of_lines
from inst.program.firmware import Firmware, RingPlace

HEAD_SIZE = records.HEAD.itemsize
"""Bytes of the heads of both."""
Head = records.Head | inline.Head
Read = Callable[[int, int], bytes]
"""Returns the memory from an address on, of a size."""


def rings_in_image(image: bytes, name: str, program: Firmware, base: int | None) -> bytes:
    """Return the memory of the rings in an image of memory.

    `base` is the address of its first byte; without one the rings are searched for by their first
    bytes and the build. What lies beyond the end of the image is left out.
    """
    place = program.rings()
    start = _search(image, name, program, place) if base is None else place.address - base
    if not 0 <= start <= len(image) - HEAD_SIZE:
        raise InstError(
            f"{name}: the ring is at {place.address:#x}, outside of the image, which has "
            f"{len(image)} bytes" + (f" from {base:#x} on" if base is not None else ""),
            hint=f"save {place.size} bytes from {place.address:#x} on",
        )
    found = image[start : start + place.size]
    require_place(found, name, program, place)
    return found


def open_file(name: str, file: BinaryIO) -> NoReturn:
    """Refuse memory in a file, which says nothing without its program; the file is closed."""
    file.close()
    open_chunks(name, ())


def open_chunks(name: str, _chunks: Iterable[bytes]) -> NoReturn:
    """Refuse memory that comes in pieces."""
    raise InstError(
        f"{name}: what code has recorded inline is read with its program",
        hint=f"inst dump PROGRAM {name}",
    )


def is_text(image: bytes) -> bool:
    """Return whether this is no memory, but a text with lines that INST_DUMP wrote."""
    has_memory = ring.MAGIC in image or flight.MAGIC in image
    return not has_memory and (has_lines(image) or text.has_lines(image))


def rings_in_text(data: bytes, name: str, program: Firmware) -> tuple[bytes, int]:
    """Return the rings that lines of a text hold, and how many of these lines are damaged."""
    place = program.rings()
    found, damaged = (text.memory_of_lines if place.inline else rings_of_lines)(data, name)
    require_build(found, name, program, place)
    return found, damaged


def rings_of_target(read: Read, name: str, program: Firmware) -> bytes:
    """Return the memory of the rings of a target."""
    place = program.rings()
    require_place(read(place.address, HEAD_SIZE), name, program, place)
    return read(place.address, place.size)


def require_build(data: bytes, name: str, program: Firmware, place: RingPlace) -> Head:
    """Return the head of a ring; raise an InstError if it is of another build of the program."""
    head = _read_head(data, name, place)
    if head.build != place.build:
        raise InstError(
            f"{name}: the ring is of another build: it has {head.build:#010x}, and {program.path} "
            f"is {place.build:#010x}",
            hint="name the ELF file that ran when the ring was written",
        )
    return head


def _read_head(data: bytes, name: str, place: RingPlace) -> Head:
    return inline.read_head(data, name) if place.inline else records.read_head(data, name)


def require_place(data: bytes, name: str, program: Firmware, place: RingPlace) -> None:
    """Raise an InstError if a ring is not the one of the program, by its head."""
    head = require_build(data, name, program, place)
    if head.size * head.cpus != place.size:
        raise InstError(
            f"{name}: the ring has {head.cpus} x {head.size} bytes by its head, and "
            f"{place.size} in {program.path}",
            hint="the head is damaged, or the file was changed after it was linked",
        )


def _search(image: bytes, name: str, program: Firmware, place: RingPlace) -> int:
    """Return where the only ring of the program begins in the image."""
    found, others = [], 0
    magic = flight.MAGIC if place.inline else ring.MAGIC
    at = image.find(magic)
    while at >= 0:
        try:
            head = _read_head(image[at : at + HEAD_SIZE], name, place)
        except InstError:
            head = None
        if head is not None and head.cpu == 0:
            if head.build == place.build:
                found.append(at)
            else:
                others += 1
        at = image.find(magic, at + 1)
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(f"{at:#x}" for at in found[:5])
        raise InstError(
            f"{name}: the image has {len(found)} rings of {program.path}, at bytes {places}",
            hint="--base says which address the image begins at",
        )
    where = f"its {place.size} bytes begin at {place.address:#x}"
    if others:
        raise InstError(
            f"{name}: the ring is of another build than {program.path}",
            hint="name the ELF file that ran when the ring was written",
        )
    raise InstError(
        f"{name}: no ring of {program.path} in the image of {len(image)} bytes",
        hint=f"{where}: was that part of memory saved, after the program's first access?",
    )
