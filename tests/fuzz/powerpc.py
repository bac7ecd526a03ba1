"""Random PowerPC functions: condition fields, ctr loops, lr live, carries, reservations.

The base is r4, in functions that call others r31.  `Machine.names` holds what differs between
targets by name: see `_FRAME` and the places after it.
"""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import powerpc_power10, powerpc_wide
from tests.fuzz.function import Function, Machine, straight
from tests.fuzz.powerpc_entries import LEAF_ELFV1, LEAF_ELFV2, LEAF_SVR4, entry, last

_ALU = ("add", "subf", "xor", "and", "or", "nor", "mullw", "addc", "adde", "subfe", "slw", "srw")
_ALU += ("add.", "subf.", "and.", "or.", "adde.", "addc.", "andc", "eqv", "mulhwu")
_CONDITIONS = ("beq", "bne", "blt", "bge", "bgt", "ble", "bso", "bns")
_LOADS = {"lwz": 4, "lbz": 1, "lhz": 2, "lha": 2}
_STORES = {"stw": 4, "stb": 1, "sth": 2}
_FIELDS = (0, 1, 5, 6, 7)
VOLATILE = [str(n) for n in (0, *range(5, 13))]


def begin(f: Function) -> None:
    """Write the entry."""
    f.free = list(VOLATILE)
    f.base = "4"
    entry(f)
    if not f.leaf:
        f.base = "31"
        f.free += ["4", "28", "29", "30"]
    renew(f, f.free)


def renew(f: Function, registers: list[str]) -> None:
    """Give registers, fields, ctr and xer values that do not depend on where code lies."""
    for register in registers:
        f.emit(f"li {register},{f.random.randint(-32768 if register != '5' else 0, 32767)}")
    # Comparisons copy the summary overflow bit, which no compiler's code sets: it stays clear.
    f.emit("mtxer 5")
    f.emit(*(f"cmpwi {field},5,{f.random.randint(-99, 99)}" for field in _FIELDS))
    f.emit("mtctr 5", "addic 5,5,1", f"lfd 1,0({f.base})", f"lfd 2,8({f.base})")
    if f.machine.wide:
        powerpc_wide.renew(f)
    if _is_power10(f):
        powerpc_power10.renew(f)


def single(f: Function) -> str:
    """Return an access or another instruction."""
    return access(f) if f.random.random() < 0.6 else plain(f)


def plain(f: Function) -> str:
    """Return an instruction that touches no memory."""
    random, r = f.random, f.register
    if _is_power10(f) and random.random() < 0.3:
        return powerpc_power10.plain(f)
    if f.machine.wide and random.random() < 0.25:
        return powerpc_wide.plain(f)
    return random.choice(
        [
            f"{random.choice(f.machine.arithmetic)} {r()},{r()},{r()}",
            f"{random.choice(f.machine.arithmetic)} {r()},{r()},{r()}",
            f"cmpwi {random.choice(_FIELDS)},{r()},{random.randint(-99, 99)}",
            f"cmplw {random.choice(_FIELDS)},{r()},{r()}",
            f"addic {r()},{r()},{random.randint(-999, 999)}",
            f"addze {r()},{r()}",
            f"rlwinm {r()},{r()},{random.randint(0, 31)},3,29",
            f"mfctr {r()}",
            f"crxor {4 * random.choice(_FIELDS)},{random.choice(_FIELDS) * 4 + 1},2",
            f"fcmpu {random.choice(_FIELDS)},1,2",
        ]
    )


def cell(f: Function, size: int) -> str:
    """Return an address in the room."""
    return f"{f.offset(size)}({f.base})"


def access(f: Function) -> str:
    """Return a load or store; one in eight is of a rarer form."""
    random = f.random
    if random.random() < 0.12:
        return rare(f)
    if _is_power10(f) and random.random() < 0.4:
        return powerpc_power10.access(f)
    if f.machine.wide and random.random() < 0.25:
        return powerpc_wide.access(f)
    if random.random() < 0.5:
        name, size = random.choice(list(f.machine.loads.items()))
    else:
        name, size = random.choice(list(f.machine.stores.items()))
    return f"{name} {f.register()},{cell(f, size)}"


def rare(f: Function) -> str:
    """Return a load or store of another order, of several registers, of a float."""
    random = f.random
    forms = [
        f"lwbrx {f.register()},0,{f.base}",
        f"sthbrx {f.register()},0,{f.base}",
        f"lfd 1,{cell(f, 8)}",
        f"lfs 2,{cell(f, 4)}",
        f"stfd 1,{cell(f, 8)}",
        f"stfs 2,{cell(f, 4)}",
        f"stfiwx 1,0,{f.base}",
    ]
    # "8" is not free while it counts; strings are invalid forms in little-endian mode.
    if "8" in f.free and "9" in f.free and f.machine.names[_ORDER] == "big":
        length = random.randint(1, 8)
        forms += [f"lswi 8,{f.base},{length}", f"stswi 8,{f.base},{length}"]
    return random.choice(forms)


def forward(f: Function) -> None:
    """Write a branch over something on some field."""
    past = f.place()
    hint = f.random.choice(["", "+", "-"])
    f.emit(f"{f.random.choice(_CONDITIONS)}{hint} {f.random.choice(_FIELDS)},{past}")
    f.straight()
    f.label(past)


def loop(f: Function) -> None:
    """Write a loop that counts in ctr."""
    again, register = f.place(), f.register()
    f.emit(f"li {register},{f.random.randint(1, 4)}", f"mtctr {register}")
    f.label(again)
    f.straight()
    field = 4 * f.random.choice(_FIELDS)
    f.emit(f.random.choice([f"bdnz {again}", f"bdnzt {field},{again}", f"bdnzf {field},{again}"]))


def reservation(f: Function) -> None:
    """Write an atomic addition."""
    again = f.place()
    names = [("lwarx", "stwcx.", 4)]
    if f.machine.wide:
        names += [("lbarx", "stbcx.", 1), ("lharx", "sthcx.", 2), ("ldarx", "stdcx.", 8)]
    load, store, size = f.random.choice(names)
    f.emit(f"addi 9,{f.base},{f.offset(size)}")
    f.label(again)
    f.emit(f"{load} 10,0,9", "addi 10,10,1", f"{store} 10,0,9", f"bne- {again}")
    if f.machine.wide and f.random.random() < 0.3:  # QEMU 7.2 never grants this one
        f.emit(f"addi 9,{f.base},{f.offset(16)}", "lqarx 10,0,9", "stqcx. 10,0,9")
    f.emit("mr 9,10")  # no address may come into the result


def update(f: Function) -> None:
    """Write accesses that write their base, which then is loaded over."""
    names = ["lwzu 8", "lbzu 8", "stwu 8", "sthu 8", "lhau 8", "lfdu 1", "stfdu 1"]
    if f.machine.wide:
        names += ["ldu 8", "stdu 8"]
    f.emit(f"mr 9,{f.base}", f"{f.random.choice(names)},{f.offset(8)}(9)", "lwz 9,0(9)")
    if f.random.random() < 0.5:
        names = ["lwzux 8", "lbzux 8", "stwux 8", "lhaux 8", "lfdux 1"]
        names += ["ldux 8", "stdux 8", "lwaux 8"] if f.machine.wide else []
        f.emit(f"mr 9,{f.base}", f"li 10,{f.offset(8)}")
        f.emit(f"{f.random.choice(names)},9,10", "lhz 9,0(9)")


def indexed(f: Function) -> None:
    """Write an access by two registers."""
    index = f.random.choice([n for n in f.free if n != "0"])
    names = ["lwzx", "stwx", "lbzx", "stbx", "lhax", "sthx"]
    names += ["ldx", "stdx", "lwax", "ldbrx", "stdbrx"] if f.machine.wide else []
    f.emit(f"andi. {index},{index},0x78")
    f.emit(f"{f.random.choice(names)} {f.register()},{f.base},{index}")


def overwritten(f: Function) -> None:
    """Write a load into its own base, and into its own index."""
    register = f.random.choice([n for n in f.free if n != "0"])
    f.emit(f"addi {register},{f.base},{f.offset(4)}", f"lwz {register},0({register})")
    f.emit(f"andi. {register},{register},0x7c", f"lwzx {register},{f.base},{register}")


def fields(f: Function) -> None:
    """Change fields at once, through a register."""
    f.emit(f"mtcrf {f.random.choice([0x80, 0x41, 0xC7, 0x07])},{f.register()}", access(f))


def link(f: Function) -> None:
    """Use lr as an ordinary register in a leaf, which saves its own in r11."""
    f.emit("mflr 11", "mtlr 5", f"lwz {f.random.choice('078')},{cell(f, 4)}")
    f.emit(f"stw 7,{cell(f, 4)}", "mflr 6", "mtlr 11", "li 11,3")


def call(f: Function) -> None:
    """Write a call; what it may change is given new values."""
    f.emit("bl fuzz_leaf")
    if f.machine.wide:
        f.emit("nop")
    renew(f, [*VOLATILE, "4"])


def multiple(f: Function) -> None:
    """Write accesses to many registers at once, in a frame that is this function's own."""
    f.emit("stwu 1,-64(1)", "stmw 28,16(1)", "lmw 28,16(1)", "addi 1,1,64")


def below(f: Function) -> None:
    """Store values below the stack pointer, where the ABI lets a leaf do so."""
    place = f"-{f.random.randrange(8, 289, 8)}(1)"
    f.emit(f"std {f.register()},{place}")
    f.straight()
    f.emit(f"ld {f.register()},{place}")


def finish(f: Function) -> None:
    """Fold registers, fields, ctr and xer into the result."""
    turned = "rldicl 3,3,1,0" if f.machine.wide else "rlwinm 3,3,1,0,31"
    f.emit("addze 3,3")
    f.emit(*(f"{turned}; xor 3,3,{register}" for register in f.free))
    f.emit("mfctr 5; add 3,3,5; mfcr 5; rlwinm 5,5,20,0,19; xor 3,3,5", f"stfd 1,0({f.base})")
    if f.machine.wide:
        powerpc_wide.finish(f)
    if _is_power10(f):
        powerpc_power10.finish(f)
    last(f)


def _is_power10(f: Function) -> bool:
    return f.machine.names[_PROCESSOR:] == (powerpc_power10.PROCESSOR,)


def of_power10(machine: Machine) -> Machine:
    """Return what POWER10 adds to a machine."""
    return replace(
        machine,
        shapes=(*machine.shapes, powerpc_power10.far, powerpc_power10.relative),
        header=machine.header.replace("power9", powerpc_power10.PROCESSOR),
        names=(*machine.names, powerpc_power10.PROCESSOR),
    )


_FRAME, _ORDER, _PROCESSOR = range(3)
"""Places in `Machine.names`: which entry (see `powerpc_entries`), the order of bytes, and the
processor, where there are functions for it alone."""
_COMMON = (straight, straight, forward, loop, reservation, update, indexed, fields, overwritten)

PPC32 = Machine(
    begin,
    finish,
    single,
    shapes=_COMMON,
    leaf_shapes=(link,),
    calling_shapes=(call, multiple),
    loads=_LOADS,
    stores=_STORES,
    arithmetic=_ALU,
    pointer=".long",
    leaf=LEAF_SVR4,
    names=("svr4", "big"),
)
PPC64LE = replace(
    PPC32,
    shapes=(*_COMMON, powerpc_wide.vector, powerpc_wide.vector, powerpc_wide.table),
    leaf_shapes=(link, below),
    calling_shapes=(call,),
    loads={**_LOADS, "ld": 8, "lwa": 4},
    stores={**_STORES, "std": 8},
    arithmetic=(*_ALU, "mulld", "sld", "srd", "srad", "mulhdu", "add.", "subfc."),
    pointer=".quad",
    leaf=LEAF_ELFV2,
    header=powerpc_wide.HEADER_ELFV2,
    trailer=powerpc_wide.TRAILER,
    wide=True,
    names=("elfv2", "little"),
)
PPC64 = replace(
    PPC64LE,
    calling_shapes=(call, multiple),
    leaf=LEAF_ELFV1,
    header=powerpc_wide.HEADER_ELFV1,
    code=".L.",
    names=("elfv1", "big"),
)
