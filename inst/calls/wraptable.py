"""The C library functions whose calls go to inst's wrappers, in one table.

Most wrappers are made from the rows of `inst.calls`.  Those that need C of their own are
files of `runtime/wrap`: `FILE.c` defines `__wrap_NAME` for each name of its row, and calls
the function itself as `__real_NAME`.  What libstdc++ calls inside itself is not seen, so its
own functions that make, join and block threads have wrappers too.
"""

from __future__ import annotations

from inst.calls import (
    attributes,
    databases,
    locking,
    long_time,
    made,
    openmp,
    quadruple,
    streams,
    touched,
)
from inst.calls.atomics import ATOMICS
from inst.calls.checked import CHECKED
from inst.calls.formatted import FORMATTED
from inst.calls.names import declared
from inst.calls.operators import OPERATORS

OWN_FILES: dict[str, tuple[str, ...]] = {
    "_Fork": ("_Fork",),
    "atomics": (),
    "backtrace": ("backtrace",),
    "bsd_signal": ("bsd_signal",),
    "clone": ("clone",),
    "cxx_condition": ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",),
    "cxx_thread": (
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
        "_ZNSt6thread4joinEv",
    ),
    "environment": (),
    "errors": (),
    "dl_iterate_phdr": ("dl_iterate_phdr",),
    "execl": ("execl", "execle"),
    "execveat": ("execveat",),
    "execvp": ("execlp", "execvp", "execvpe"),
    "fexecve": ("fexecve",),
    "flockfile": ("flockfile", "ftrylockfile", "funlockfile"),
    "formats": (),
    "getaddrinfo": ("getaddrinfo",),
    "getifaddrs": ("getifaddrs",),
    "glob": ("glob",),
    "iconv": ("iconv",),
    "leave": ("_exit", "_Exit"),
    "lock_order": (),
    "nftw": ("ftw", "nftw"),
    "open_memstream": ("open_memstream",),
    "openmp": (),
    "options": (),
    "prctl": ("prctl",),
    "pthread_clockjoin_np": ("pthread_clockjoin_np",),
    "pthread_create": ("pthread_create",),
    "pthread_join": ("pthread_join",),
    "pthread_once": ("pthread_once", "call_once"),
    "pthread_timedjoin_np": ("pthread_timedjoin_np",),
    "pthread_tryjoin_np": ("pthread_tryjoin_np",),
    "qsort": ("qsort", "qsort_r"),
    "semctl": ("semctl",),
    "shmat": ("shmat", "shmdt"),
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

_TABLES = (
    touched.ROWS,
    streams.ROWS,
    databases.ROWS,
    attributes.ROWS,
    quadruple.ROWS,
    quadruple.MATHEMATICS,
    quadruple.COMPLEX,
    made.MADE,
    locking.ROWS,
    long_time.ROWS,
    openmp.ROWS,
)

WRAPPED: frozenset[str] = frozenset(
    (
        *(name for table in _TABLES for name in declared(table)),
        *(f"__{name}_chk" for name in CHECKED),
        *OPERATORS,
        *ATOMICS,
        *(one.name for one in FORMATTED),
        *(name for names in OWN_FILES.values() for name in names),
        *long_time.ALL_NAMES,
        *(name for *_, names in long_time.COMPILED_AGAIN for name in names.values()),
    )
)

_EVENTS = (
    "_Fork", "bsd_signal", "clone", "cxx_condition", "cxx_thread", "flockfile", "leave",
    "pthread_clockjoin_np", "pthread_create", "pthread_join", "pthread_once",
    "pthread_timedjoin_np", "pthread_tryjoin_np", "sigaction", "signal", "sigset", "sysv_signal",
    "thrd_create", "thrd_join", "vfork",
)  # fmt: skip
"""Files of runtime/wrap that are about threads, locks, signals and processes."""
_SHORT = {*declared(locking.ROWS), *(name for file in _EVENTS for name in OWN_FILES[file])}
EVENTS: frozenset[str] = frozenset(
    (
        *_SHORT,
        *(name for name, short in long_time.ALL_NAMES.items() if short in _SHORT),
        *(
            name
            for *_, names in long_time.COMPILED_AGAIN
            for short, name in names.items()
            if short in _SHORT
        ),
    )
)
"""Functions whose wrappers report, or do, what accesses of the functions themselves do not show."""
