"""The C library functions that are watched, one table: calls of them reach a wrapper of ours.

Most wrappers are made from the rows of `inst.calls`.  Those that need C of their own are
files of `runtime/wrap`: `FILE.c` defines `__wrap_NAME` for each name of its row, and calls
the function itself as `__real_NAME`.
"""

from __future__ import annotations

from inst.calls.formatted import FORMATTED
from inst.calls.functions import FUNCTIONS
from inst.calls.locking import LOCKING

OWN_FILES: dict[str, tuple[str, ...]] = {
    "_Fork": ("_Fork",),
    "bsd_signal": ("bsd_signal",),
    "clone": ("clone",),
    "environment": (),
    "execl": ("execl", "execle"),
    "execvp": ("execlp", "execvp", "execvpe"),
    "formats": (),
    "getaddrinfo": ("getaddrinfo",),
    "glob": ("glob", "glob64"),
    "lock_order": (),
    "open_memstream": ("open_memstream",),
    "options": (),
    "pthread_clockjoin_np": ("pthread_clockjoin_np",),
    "pthread_create": ("pthread_create",),
    "pthread_join": ("pthread_join",),
    "pthread_once": ("pthread_once", "call_once"),
    "pthread_timedjoin_np": ("pthread_timedjoin_np",),
    "pthread_tryjoin_np": ("pthread_tryjoin_np",),
    "qsort": ("qsort", "qsort_r"),
    "semctl": ("semctl",),
    "scandir": ("scandir", "scandir64"),
    "sigaction": ("sigaction",),
    "signal": ("signal", "ssignal"),
    "sign": (),
    "sigset": ("sigset",),
    "streams": (),
    "sysv_signal": ("sysv_signal", "__sysv_signal"),
    "texts": (),
    "thrd_create": ("thrd_create",),
    "thrd_join": ("thrd_join",),
    "vfork": ("vfork",),
    "wide_formats": (),
}
"""File of runtime/wrap, without its `.c` -> the functions that it wraps; none: what others need."""

WRAPPED: frozenset[str] = frozenset(
    (
        *FUNCTIONS,
        *LOCKING,
        *(one.name for one in FORMATTED),
        *(name for names in OWN_FILES.values() for name in names),
    )
)
