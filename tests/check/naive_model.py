"""The break-before-make protocol once more: slow, plain, one dictionary entry a location.

Written from the protocol's description without a look at the checker, to be compared with it.
Every slot has its own entry; every question is answered by looking at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PAGE = 0x1000
SIZES = {0: 1 << 39, 1: 1 << 30, 2: 1 << 21, 3: 1 << 12}

OPERATIONS = {
    # name: regime, stages, by, broadcast
    "vmalls12e1is": ("EL1", {1, 2}, "vmid", True),
    "vmalls12e1": ("EL1", {1, 2}, "vmid", False),
    "vmalle1is": ("EL1", {1}, "vmid", True),
    "vmalle1": ("EL1", {1}, "vmid", False),
    "alle1is": ("EL1", {1, 2}, "all", True),
    "alle1": ("EL1", {1, 2}, "all", False),
    "ipas2e1is": ("EL1", {2}, "address", True),
    "alle2is": ("EL2", {1}, "all", True),
    "alle2": ("EL2", {1}, "all", False),
    "vae2is": ("EL2", {1}, "address", True),
    "vae2": ("EL2", {1}, "address", False),
    "vale2is": ("EL2", {1}, "address", True),
}


class Refused(Exception):
    """The protocol forbids the step."""


@dataclass
class Pte:
    root: tuple[int, int]
    """Stage and base."""
    level: int
    start: int
    owner: int | None = None
    frozen: bool = False
    state: str = "I"
    progress: str = ""
    thread: int = -1
    old: int = 0


@dataclass
class Model:
    casemate: bool = False
    racy: bool = False
    memory: dict[int, int] = field(default_factory=dict)
    ptes: dict[int, Pte] = field(default_factory=dict)
    unclean: list[int] = field(default_factory=list)
    """Addresses, the newest last."""
    roots: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    current: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    """(thread, stage) -> root."""
    registers: dict[tuple[int, str], int] = field(default_factory=dict)
    root_lock: dict[int, int] = field(default_factory=dict)
    locks: dict[int, dict[str, Any]] = field(default_factory=dict)
    page_owner: dict[int, int] = field(default_factory=dict)

    # descriptors

    def decode(self, value: int, level: int) -> str:
        bits = value & 3
        if bits in (0, 2):
            return "invalid"
        if level < 3 and bits == 3:
            return "table"
        if (level == 3 and bits == 3) or (level in (1, 2) and bits == 1):
            return "mapping"
        raise Refused("encoding")

    def next_of(self, value: int) -> int:
        return value & 0xFFFFFFFFF000

    def walk(self, root: tuple[int, int], page: int, level: int, start: int) -> None:
        """Mark all that a table reaches, slot by slot."""
        if page & 0xFFF:
            raise Refused("table-unaligned")
        for number in range(512):
            address = page + 8 * number
            if address not in self.memory:
                raise Refused("walk-uninitialised")
            if address in self.ptes:
                raise Refused("double-use")
            value = self.memory[address]
            below = start + number * SIZES[level]
            pte = self.ptes[address] = Pte(root, level, below)
            kind = self.decode(value, level)
            if kind != "invalid":
                pte.state = "V"
            if kind == "table":
                self.walk(root, self.next_of(value), level + 1, below)

    def below(self, pte: Pte, value: int) -> list[int]:
        """Return the addresses of all slots below a table descriptor."""
        if pte.level == 3 or value & 3 != 3:
            return []
        found = []
        for number in range(512):
            address = self.next_of(value) + 8 * number
            found.append(address)
            child = self.ptes[address]
            if child.state == "V":
                found += self.below(child, self.memory[address])
            elif child.state == "IU":
                found += self.below(child, child.old)
        return found

    def untrack(self, addresses: list[int]) -> None:
        for address in addresses:
            del self.ptes[address]
            self.page_owner.pop(address & -PAGE, None)
            if address in self.unclean:
                self.unclean.remove(address)

    # memory

    def write(self, thread: int, address: int, value: int, order: str) -> None:
        if address % 8:
            self.write_unaligned(address // 8 * 8, address % 8 * 8, value)
            return
        if address not in self.memory:
            raise Refused("write-uninitialised")
        pte = self.ptes.get(address)
        old = self.memory[address]
        if pte is None:
            self.memory[address] = value
            return
        if not self.racy:
            self.authority(pte, thread, address, old, value, order)
        if pte.frozen:
            if not (old == value or (old & 1 == 0 and value & 1 == 0)):
                raise Refused("unclean-parent")
        elif pte.state == "IU":
            if value & 1:
                raise Refused("unclean-to-valid")
        elif pte.state == "V":
            self.on_valid(pte, thread, address, old, value)
        elif value & 1:
            if self.decode(value, pte.level) == "table":
                self.walk(pte.root, self.next_of(value), pte.level + 1, pte.start)
            pte.state = "V"
        self.memory[address] = value

    def write_unaligned(self, low: int, shift: int, value: int) -> None:
        high = low + 8
        if low in self.ptes or high in self.ptes:
            raise Refused("write-unaligned")
        if low not in self.memory or high not in self.memory:
            raise Refused("write-uninitialised")
        both = self.memory[high] << 64 | self.memory[low]
        both = both & ~((1 << 64) - 1 << shift) | value << shift
        self.memory[low], self.memory[high] = both % (1 << 64), both >> 64

    def authority(
        self, pte: Pte, thread: int, address: int, old: int, value: int, order: str
    ) -> None:
        if pte.owner is not None:
            if pte.owner != thread:
                raise Refused("thread-owned")
            return
        root = self.page_owner.get(address & -PAGE, pte.root[1])
        if root not in self.root_lock:
            raise Refused("root-without-lock")
        lock = self.locks.get(self.root_lock[root])
        if lock is None or lock["holder"] != thread:
            raise Refused("lock-not-held")
        if order != "release" and not lock["authorised"] and (old & 1 or value & 1):
            raise Refused("plain-unauthorised")
        lock["authorised"] = False

    def on_valid(self, pte: Pte, thread: int, address: int, old: int, value: int) -> None:
        kind = self.decode(value, pte.level)
        if kind != "invalid":
            if self.needs_break(pte, old, value):
                raise Refused("valid-to-valid")
            return
        for child in self.below(pte, old):
            if self.ptes[child].owner is not None:
                raise Refused("freeze-thread-owned")
        for child in self.below(pte, old):
            self.ptes[child].frozen = True
        pte.state, pte.progress, pte.thread, pte.old = "IU", "n", thread, old
        self.unclean.append(address)

    def needs_break(self, pte: Pte, old: int, new: int) -> bool:
        if "table" in (self.decode(old, pte.level), self.decode(new, pte.level)):
            return True
        differing = {bit for bit in range(64) if (old ^ new) >> bit & 1}
        if self.casemate:
            if (old | new) >> 10 & 1:
                return False
            return not differing <= {55, 56, 57, 58}
        output = set(range({1: 30, 2: 21, 3: 12}[pte.level], 48))
        memory_type = {2, 3, 4} if pte.root[0] == 1 else {2, 3, 4, 5}
        return bool(differing & (output | memory_type | {8, 9, 11, 52}))

    def read(self, address: int, value: int) -> None:
        if address in self.ptes and not self.casemate and self.memory[address] != value:
            raise Refused("read-mismatch")

    def init(self, address: int, size: int) -> None:
        slots = range(address, address + size, 8)
        for each in slots:
            if each in self.ptes or self.memory.get(each, 0) != 0:
                raise Refused("init-used")
        for each in slots:
            self.memory[each] = 0

    def free(self, address: int, size: int) -> None:
        slots = range(address, address + size, 8)
        if any(each in self.ptes for each in slots):
            raise Refused("free-pte")
        for each in slots:
            self.memory.pop(each, None)

    def set(self, thread: int, address: int, size: int, value: int) -> None:
        if self.casemate:
            if address % PAGE or size % PAGE:
                raise Refused("set-unaligned")
        else:
            if address % 8 or size % 8:
                raise Refused("set-unaligned")
            value = int.from_bytes(bytes([value & 255]) * 8, "big")
        for each in range(address, address + size, 8):
            self.write(thread, each, value, "plain")

    # barriers

    def acts_on(self, thread: int, address: int) -> bool:
        return self.ptes[address].thread == thread and self.has_power(thread, address)

    def has_power(self, thread: int, address: int) -> bool:
        pte = self.ptes[address]
        if self.racy or pte.owner == thread:
            return True
        root = self.page_owner.get(address & -PAGE, pte.root[1])
        lock = self.locks.get(self.root_lock.get(root, -1))
        return lock is not None and lock["holder"] == thread

    def dsb(self, thread: int, kind: str) -> None:
        mine = [each for each in reversed(self.unclean) if self.acts_on(thread, each)]
        all_power = [each for each in self.unclean if self.has_power(thread, each)]
        if kind.startswith("nsh") and (all_power if self.casemate else mine):
            raise Refused("dsb-too-weak")
        full = kind in ("ish", "sy", "osh")
        for address in mine:
            pte = self.ptes[address]
            if pte.progress == "n" and (full or kind in ("ishst", "oshst", "st")):
                pte.progress = "d"
            elif pte.progress == "ti" and full:
                pte.progress = "td"
            elif pte.progress == "ta" and full:
                self.clean(pte, address)
        for lock in self.locks.values():
            if lock["holder"] == thread:
                lock["authorised"] = True

    def clean(self, pte: Pte, address: int) -> None:
        children = self.below(pte, pte.old)
        if any(self.ptes[child].state == "IU" for child in children):
            raise Refused("unclean-children")
        self.untrack(children)
        pte.state = "I"
        self.unclean.remove(address)

    def tlbi(self, thread: int, name: str, operand: int) -> None:
        regime, stages, _, broadcast = OPERATIONS[name]
        stage = 2 if regime == "EL1" else 1
        every = [each for each in self.unclean
                 if self.has_power(thread, each) and self.ptes[each].root[0] == stage]  # fmt: skip
        reached = [each for each in every if self.reaches(thread, each, name, operand)]
        if not broadcast and (every if self.casemate else reached):
            raise Refused("tlbi-not-broadcast")
        for address in reached:
            pte = self.ptes[address]
            if pte.thread != thread:
                continue
            if pte.progress == "d":
                if regime == "EL2" or stages == {1, 2}:
                    pte.progress = "ta"
                elif stages == {2}:
                    pte.progress = "ti"
            elif pte.progress == "td" and 1 in stages:
                pte.progress = "ta"

    def reaches(self, thread: int, address: int, name: str, operand: int) -> bool:
        pte = self.ptes[address]
        _, _, by, _ = OPERATIONS[name]
        stage, base = pte.root
        known = self.current.get((thread, 2))
        same = known is not None and known["id"] == self.roots[stage, base]["id"]
        if by == "all":
            return True
        if by == "vmid":
            return self.casemate or same
        page = (operand & (1 << 44) - 1) << 12
        if pte.level < 3 and pte.old & 3 == 3:
            return False
        if self.casemate and name.startswith("vale") and pte.level != 3:
            return False
        inside = pte.start <= page < pte.start + SIZES[pte.level]
        return inside and (stage == 1 or same)

    # registers

    def register(self, thread: int, name: str) -> int:
        default = {"hcr_el2": 1, "sctlr_el2": 1, "tcr_el2": 16, "vtcr_el2": 16}.get(name, 0)
        return self.registers.get((thread, name), default)

    def sysreg(self, thread: int, name: str, value: int) -> None:
        was = self.register(thread, name)
        self.registers[thread, name] = value
        if name == "vttbr_el2" and self.register(thread, "hcr_el2") & 1:
            self.activate(thread, 2, value)
        elif name == "ttbr0_el2" and self.register(thread, "sctlr_el2") & 1:
            self.activate(thread, 1, value)
        elif name in ("hcr_el2", "sctlr_el2") and value & 1 and not was & 1:
            table = "vttbr_el2" if name == "hcr_el2" else "ttbr0_el2"
            if (thread, table) not in self.registers:
                raise Refused("register-unset")
            self.activate(thread, 2 if name == "hcr_el2" else 1, self.registers[thread, table])

    def activate(self, thread: int, stage: int, value: int) -> None:
        base, identifier = value & 0xFFFFFFFFFFFE, value >> 48
        if stage == 1 and identifier:
            raise Refused("asid-reserved")
        root = self.roots.get((stage, base))
        if root is None and self.casemate:
            root = self.roots.get((3 - stage, base))
        if root is not None and root["id"] != identifier:
            raise Refused("root-id-changed")
        if root is None:
            for (other_stage, _), other in self.roots.items():
                if other["id"] == identifier and (self.casemate or other_stage == stage):
                    raise Refused("duplicate-id")
            size = 64 - (self.register(thread, "vtcr_el2" if stage == 2 else "tcr_el2") & 63)
            if not 21 <= size <= 48:
                raise Refused("input-size")
            self.walk((stage, base), base, (48 - size) // 9, 0)
            root = self.roots[stage, base] = {"id": identifier, "users": 0}
        if self.current.get((thread, stage)) is not root:
            if (thread, stage) in self.current:
                self.current[thread, stage]["users"] -= 1
            root["users"] += 1
            self.current[thread, stage] = root

    # hints and locks

    def hint(self, kind: str, location: int, value: int) -> None:
        if kind == "set_root_lock":
            self.root_lock.pop(location, None)
            if value != 0:
                self.root_lock[location] = value
        elif kind == "set_owner_root":
            if location % PAGE and location & -PAGE in self.ptes:
                raise Refused("owner-root-unaligned")
            if not self.casemate:
                self.page_owner[location & -PAGE] = value
        elif kind == "release_table":
            self.release(location)
        elif location not in self.memory:
            raise Refused("owner-uninitialised")
        elif location not in self.ptes:
            raise Refused("owner-not-pte")
        elif self.ptes[location].level != 3:
            raise Refused("owner-not-last-level")
        else:
            self.ptes[location].owner = None if value == (1 << 64) - 1 else value

    def release(self, base: int) -> None:
        slots = self.tree(base)
        if any(self.ptes[each].state == "IU" for each in slots):
            raise Refused("release-unclean")
        if self.casemate and base // 8 * 8 not in self.ptes:
            return
        root = next((key for key in self.roots if key[1] == base), None)
        if root is None:
            raise Refused("release-not-root")
        if self.roots[root]["users"]:
            raise Refused("release-in-use")
        self.untrack(slots)
        del self.roots[root]

    def tree(self, page: int) -> list[int]:
        """Return the slots of a page that is a table, and all below them."""
        if page % PAGE or page not in self.ptes:
            return []
        found = []
        for number in range(512):
            address = page + 8 * number
            pte = self.ptes[address]
            found.append(address)
            if pte.state == "V":
                found += self.below(pte, self.memory[address])
            elif pte.state == "IU":
                found += self.below(pte, pte.old)
        return found

    def lock(self, thread: int, address: int, kind: str) -> None:
        held = self.locks.get(address)
        if kind == "unlock":
            if held is None:
                raise Refused("not-held")
            if held["holder"] != thread:
                raise Refused("held-by-other")
            held["count"] -= 1
            if not held["count"]:
                del self.locks[address]
        elif held is None:
            self.locks[address] = {"holder": thread, "count": 1, "authorised": True}
        elif kind == "lock":
            raise Refused("already-held")
        elif held["holder"] != thread:
            raise Refused("trylock-other")
        else:
            held["count"] += 1

    def step(self, kind: str, thread: int, fields: dict[str, Any]) -> None:
        """Step one record, given as the words and numbers of its fields."""
        if kind == "mem-write":
            self.write(thread, fields["address"], fields["value"], fields["mem-order"])
        elif kind == "mem-read":
            self.read(fields["address"], fields["value"])
        elif kind == "mem-init":
            self.init(fields["address"], fields["size"])
        elif kind == "mem-free":
            self.free(fields["address"], fields["size"])
        elif kind == "mem-set":
            self.set(thread, fields["address"], fields["size"], fields["value"])
        elif kind == "barrier" and fields["barrier"] == "dsb":
            self.dsb(thread, fields["kind"])
        elif kind == "tlbi":
            self.tlbi(thread, fields["op"], fields.get("value", 0))
        elif kind == "sysreg-write":
            self.sysreg(thread, fields["sysreg"], fields["value"])
        elif kind == "hint":
            self.hint(fields["kind"], fields["location"], fields["value"])
        elif kind in ("lock", "trylock", "unlock"):
            self.lock(thread, fields["address"], kind)
