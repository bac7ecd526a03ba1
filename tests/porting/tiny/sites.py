"""What its sites and the entries that they call agree on: the address is in t5."""

from __future__ import annotations

from inst.isa.sites import SiteAbi, Sites

ADDRESS = "t5"
PART = Sites({"only": SiteAbi((ADDRESS,), None, {})})
