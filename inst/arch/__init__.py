"""The instruction sets: one package and one value each, found by one key.

A package's `ARCHITECTURE` is the value. What a room needs to know of an instruction set is a part
of that value: a module of the package, of the same name as the type of the part in lower case,
whose `PART` is a frozen value of that type. The types belong to the rooms: `inst.asm.syntax.Syntax`
is what `inst.asm` needs, and `inst.arch.sparc.syntax.PART` is one. So an instruction set's parts
stand on the floors of the rooms that use them, and each is imported when it is first asked for.
"""
