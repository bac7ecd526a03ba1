"""Objects that inst-cc did not make: instrumented by their own assembly, alone and in archives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from inst import isa as instruction_sets
from inst.dataclass import replace
from inst.errors import InstError
from inst.objects.archive import Member, archive_of, read_members, with_index
from inst.objects.identity import Assembler, assembled, growing_text, target_of
from inst.objects.model import ObjectFile
from inst.objects.read import read_object
from inst.objects.text import Text
from inst.rewrite.options import Options
from inst.rewrite.writer import Writer
from inst.translate import translate
from inst.wrap.registers import with_registers

Count = Callable[[ObjectFile, Text], None]
"""Is called with each object that is taken to assembly."""


@dataclass(frozen=True, slots=True)
class Instrumenter:
    """Instruments objects as some options say."""

    options: Options
    count: Count = lambda found, text: None
    assemblers: dict[str, Assembler] = field(default_factory=dict)

    def object(self, name: str, content: bytes) -> bytes:
        """Return an object instrumented.

        Raises InstError for what is no object of a target, or cannot be instrumented.
        """
        found = read_object(name, content)
        target = target_of(found)
        assembler = self.assemblers.setdefault(target.name, Assembler(target))
        text = growing_text(found, assembler)
        source = text.content().decode("utf-8", "surrogateescape")
        target = with_registers(target)
        isa = instruction_sets.get(target.isa, target.abi)
        kept = isa.part(Writer).keep(source, isa, name, False)
        options = replace(self.options, keep_wrappers=True, dropped=kept.dropped)
        rewritten = translate(kept.text, target, options, name)
        made = assembled(found, rewritten.encode("utf-8", "surrogateescape"), assembler)
        self.count(found, text)
        return made

    def archive(self, name: str, content: bytes) -> tuple[bytes, dict[str, str]]:
        """Return an archive with its members instrumented, and why some are as they were."""
        left: dict[str, str] = {}
        members = []
        for number, one in enumerate(read_members(name, content), 1):
            member = f"{name}({one.name})"
            try:
                made = self.object(member, one.content)
            except InstError as error:
                target_of(read_object(member, one.content))  # no archive of other things
                key = f"{member}, member {number}" if member in left else member
                left[key] = error.message.removeprefix(f"{member}: ")
                made = one.content
            members.append(Member(one.name, made))
        return indexed(members, self.assemblers), left


def indexed(members: list[Member], assemblers: dict[str, Assembler]) -> bytes:
    """Return an archive of members with the index of symbols that a target's tools make."""
    archive = archive_of(members)
    for assembler in assemblers.values():
        return with_index(archive, list(assembler.target.compiler))
    return archive
