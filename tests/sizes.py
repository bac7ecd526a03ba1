"""How many examples a property test tries: few in `make test`, many in `make campaign`.

`pytest --hypothesis-profile=campaign -m hypothesis FILE` tries a file's many.
"""

from __future__ import annotations

from hypothesis import settings

CAMPAIGN, USUAL = "campaign", "usual"
_SHARE, _TIMES = 3, 10


def register_profiles() -> None:
    """Let pytest's --hypothesis-profile know the campaign's; no example fails for taking long."""
    for name in (CAMPAIGN, USUAL):
        settings.register_profile(name, deadline=None)
    settings.load_profile(USUAL)


def examples(usual: int) -> int:
    """Return the number for the profile that runs: a third of the usual one, or ten times it."""
    if settings.get_current_profile_name() == CAMPAIGN:
        return usual * _TIMES
    return max(usual // _SHARE, min(usual, 20))
