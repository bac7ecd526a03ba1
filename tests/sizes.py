"""How much a test tries: little in `make test`, much in `make campaign`.

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
    return usual * _TIMES if _is_campaign() else max(usual // _SHARE, min(usual, 20))


def rounds(usual: int) -> int:
    """Return how often what depends on chance is repeated: a third of the usual in `make test`."""
    return usual if _is_campaign() else max(usual // _SHARE, 1)


def stride(usual: int) -> int:
    """Return the distance of what is tried in a sequence: the campaign tries each of it."""
    return 1 if _is_campaign() else usual


def _is_campaign() -> bool:
    return settings.get_current_profile_name() == CAMPAIGN
