"""How many examples a property test tries: few in `make test`, many in `make campaign`.

`pytest --hypothesis-profile=campaign -m hypothesis FILE` tries a file's many.
"""

from __future__ import annotations

from hypothesis import settings

CAMPAIGN = "campaign"
_SHARE, _TIMES = 3, 10


def register_profiles() -> None:
    """Let pytest's --hypothesis-profile know the campaign's."""
    settings.register_profile(CAMPAIGN, deadline=None)


def examples(usual: int) -> int:
    """Return the number for the profile that runs: a third of the usual one, or ten times it."""
    if settings.get_current_profile_name() == CAMPAIGN:
        return usual * _TIMES
    return max(usual // _SHARE, min(usual, 20))
