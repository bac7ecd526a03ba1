"""What the mask of `membar` keeps in order.

Facts: the SPARC Architecture Manual, version 9, section 8.4.3 and A.31. What GCC writes:
for an acquire load #LoadLoad | #LoadStore after it, for a release store #LoadStore |
#StoreStore before it; for a fence all four, or (-mmemory-model=tso) #StoreLoad alone, which is
all that TSO needs. The other masks stand on the far sides of sequentially consistent accesses.
"""

from __future__ import annotations

import re

from inst.isa.model import Barrier

_LOAD_LOAD, _STORE_LOAD, _LOAD_STORE, _STORE_STORE = 1, 2, 4, 8
_NAMES = {
    "loadload": _LOAD_LOAD,
    "storeload": _STORE_LOAD,
    "loadstore": _LOAD_STORE,
    "storestore": _STORE_STORE,
}
_ALL = 15
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")
_NAME = re.compile(r"#(\w+)")


def barrier_of(mask: str) -> Barrier:
    """Return what a barrier with this mask, as it is written, orders."""
    bits = 0
    for name in _NAME.findall(mask):
        bits |= _NAMES.get(name.lower(), _ALL)  # #Sync and #MemIssue wait for everything
    for number in _NUMBER.findall(mask):
        value = int(number, 0)
        bits |= value if value <= _ALL else _ALL
    found = Barrier.NONE
    if bits & _STORE_STORE and (bits & _LOAD_STORE or bits == _STORE_STORE):
        found |= Barrier.RELEASE
    if bits & _LOAD_LOAD and (bits & _LOAD_STORE or bits == _LOAD_LOAD):
        found |= Barrier.ACQUIRE
    return found if bits != _STORE_LOAD else Barrier.RELEASE | Barrier.ACQUIRE
