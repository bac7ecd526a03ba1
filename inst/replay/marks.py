"""Which instructions a machine treats in a way of their own: columns of addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from inst.replay.library import Column, Control

Array = npt.NDArray[Any]


class Marks:
    """What a machine has for them."""

    _library: ctypes.CDLL
    _machine: int
    _control: Control
    _kept: dict[str, tuple[Array, ...]]

    def set_sites(self, addresses: Iterable[int] | Array) -> None:
        """Set which instructions take their values from the feed: addresses in any order."""
        self._set_column("sites", addresses)

    def set_arriving(self, addresses: Array) -> None:
        """Set which loads bring what a register holds already, or a part of it: the rest stays."""
        self._set_column("arriving", addresses)

    def set_loose(
        self, sites: Array, named: Array, high: Array, reversed_: Array, ahead: Array
    ) -> None:
        """Set which of the sites take words from the feed whose address is 0: each one the next,
        or the next two where a value has more bytes than a word.

        `named` are stores that take a word, too, which has to be what they store. Of the values
        of sites, those in `high` are the first bytes of their word, and those in `reversed_` have
        their bytes in reverse order. What those of `ahead` leave in a register, where that is no
        function of the state, is the next word, which a site takes that follows.
        """
        self._set_column("loose", np.union1d(sites, named))
        self._set_column("named", named)
        self._set_column("high", high)
        self._set_column("reversed", reversed_)
        self._set_column("ahead", ahead)

    def set_reported(self, addresses: Iterable[int] | Array) -> None:
        """Set of which instructions the accesses are reported."""
        self._set_column("reported", addresses)

    def set_breakpoints(self, addresses: Iterable[int] | Array) -> None:
        """Set which instructions stop the run before they are executed."""
        self._set_column("breakpoints", addresses)

    def set_windowed(self, addresses: Array) -> None:
        """Set which instructions are loads and stores whose values may be left out of the feed.

        Such a load takes words from the feed whose address is 0: its value, and how many loads are
        left out after it, and one more. These take what such loads and stores have left.
        """
        self._set_column("windowed", addresses)

    def _set_column(self, name: str, addresses: Iterable[int] | Array) -> None:
        values = addresses if isinstance(addresses, np.ndarray) else np.array([*addresses], "u8")
        column = np.unique(values.astype("u8"))
        self._kept[name] = (column,)
        setattr(self._control, name, Column(column.ctypes.data, len(column)))
        self._library.inst_forget_decoded(self._machine)
