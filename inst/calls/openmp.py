"""Functions of libgomp that compilers call for OpenMP's constructs, and what each reports.

Rows are as in `inst.calls.locking`, with statements of `inst/openmp.h` too. Functions that wait or
give out work without ordering anything are `UNORDERED`, and have no wrapper. Facts: OpenMP 5.2, and the interface of libgomp (its `libgomp_g.h`
and `omp.h`), which GCC keeps from one version to the next.
"""

from __future__ import annotations

import re
from functools import cache

from inst.calls.locking import Ordering, read_orderings

_PARALLEL = "body run, void *data, unsigned threads"
_LOOP = "long first, long last, long step"
_ULL_LOOP = "bool up, ull first, ull last, ull step"
_TASK = "body run, void *data, copier copy, long size, long alignment"

ROWS = f"""
void GOMP_parallel({_PARALLEL}, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_static({_PARALLEL}, {_LOOP}, long chunk, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_dynamic({_PARALLEL}, {_LOOP}, long chunk, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_guided({_PARALLEL}, {_LOOP}, long chunk, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_nonmonotonic_dynamic({_PARALLEL}, {_LOOP}, long chunk, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_nonmonotonic_guided({_PARALLEL}, {_LOOP}, long chunk, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_runtime({_PARALLEL}, {_LOOP}, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_nonmonotonic_runtime({_PARALLEL}, {_LOOP}, unsigned flags) | FORKS | JOINS
void GOMP_parallel_loop_maybe_nonmonotonic_runtime({_PARALLEL}, {_LOOP}, unsigned flags) | FORKS | JOINS
void GOMP_parallel_sections({_PARALLEL}, unsigned count, unsigned flags) | FORKS | JOINS
void GOMP_barrier(void) | ARRIVES | GOES_ON
bool GOMP_barrier_cancel(void) | ARRIVES | GOES_ON
void GOMP_loop_end(void) | ARRIVES | GOES_ON
bool GOMP_loop_end_cancel(void) | ARRIVES | GOES_ON
void GOMP_sections_end(void) | ARRIVES | GOES_ON
bool GOMP_sections_end_cancel(void) | ARRIVES | GOES_ON
void *GOMP_single_copy_start(void) | ARRIVES | if (result) GOES_ON
void GOMP_single_copy_end(void *data) | ARRIVES | GOES_ON
void GOMP_critical_start(void) | | LOCKED(&__real_GOMP_critical_start)
void GOMP_critical_end(void) | UNLOCKS(&__real_GOMP_critical_start) |
void GOMP_critical_name_start(void **name) | | LOCKED(name)
void GOMP_critical_name_end(void **name) | UNLOCKS(name) |
void GOMP_atomic_start(void) | | LOCKED(&__real_GOMP_atomic_start)
void GOMP_atomic_end(void) | UNLOCKS(&__real_GOMP_atomic_start) |
void GOMP_ordered_start(void) | | TAKES(inst_of_region(INST_ORDERED))
void GOMP_ordered_end(void) | LEAVES(inst_of_region(INST_ORDERED)) |
void GOMP_task({_TASK}, bool deferred, unsigned flags, void **depends, int priority, void *detached) | TASK(0) |
void GOMP_taskloop({_TASK}, unsigned flags, unsigned long tasks, int priority, {_LOOP}) | GROUP_OF_LOOP; TASK(sizeof (long)) | LOOP_ENDS
void GOMP_taskloop_ull({_TASK}, unsigned flags, unsigned long tasks, int priority, ull first, ull last, ull step) | GROUP_OF_LOOP; TASK(sizeof (ull)) | LOOP_ENDS
void GOMP_taskwait(void) | | TAKES(inst_children())
void GOMP_taskwait_depend(void **depends) | | TAKES(inst_of_region(INST_DEPENDENT))
void GOMP_taskgroup_start(void) | inst_group_begins() |
void GOMP_taskgroup_end(void) | | inst_group_ended(place)
void omp_set_lock(void *lock) | | LOCKED(lock)
void omp_unset_lock(void *lock) | UNLOCKS(lock) |
int omp_test_lock(void *lock) | | if (result) TRIED(lock)
void omp_set_lock_(void *lock) | | LOCKED(lock)
void omp_unset_lock_(void *lock) | UNLOCKS(lock) |
int omp_test_lock_(void *lock) | | if (result) TRIED(lock)
void omp_set_nest_lock(void *lock) | | NEST_LOCKED(lock)
void omp_unset_nest_lock(void *lock) | UNLOCKS(lock) |
int omp_test_nest_lock(void *lock) | | if (result) TRIED(lock)
"""

_KINDS = ("static", "dynamic", "guided", "runtime", "nonmonotonic_dynamic", "nonmonotonic_guided",
          "nonmonotonic_runtime", "maybe_nonmonotonic_runtime", "ordered_static",
          "ordered_dynamic", "ordered_guided", "ordered_runtime")  # fmt: skip


def _loops() -> str:
    """Return the rows of what gives a thread its next iterations, of which there may be none."""
    rows = []
    for kind in _KINDS:
        chunk = "" if kind.endswith("runtime") else ", {} chunk"
        for prefix, of, loop in (("", "long", _LOOP), ("ull_", "ull", _ULL_LOOP)):
            part = f"{of} *start, {of} *end"
            head = f"bool GOMP_loop_{prefix}{kind}"
            rows.append(f"{head}_start({loop}{chunk.format(of)}, {part}) | | PART\n")
            rows.append(f"{head}_next({part}) | | PART\n")
    return "".join(rows)


ROWS += _loops()

UNORDERED = frozenset(
    f"GOMP_{name}"
    for name in (
        "single_start",
        "loop_end_nowait",
        "sections_start",
        "sections_next",
        "sections_end_nowait",
        "taskyield",
        "teams_reg",
        "cancel",
        "cancellation_point",
        "error",
        "warning",
    )
)
"""Functions that order no threads, and write no memory of the program's."""

_OF_OPENMP = re.compile(
    r"GOMP_\w+|GOACC_\w+|__kmpc_\w+|omp_fulfill_event_?|omp_(un)?set_nest_lock_|"
    r"omp_test_nest_lock_|omp_(aligned_)?(c?alloc|realloc)|omp_free|omp_target_\w+"
)
"""Functions that order threads, or give memory from one to the other."""
PREFIXES = ("GOMP_", "GOACC_", "__kmpc_", "omp_")
"""What their names begin with."""


def is_unseen(name: str) -> bool:
    """Return whether a function orders threads without a record."""
    return bool(_OF_OPENMP.fullmatch(name)) and name not in UNORDERED


@cache
def constructs() -> dict[str, Ordering]:
    """Return the functions by name: only who builds wrappers needs more than the names."""
    return read_orderings(ROWS, "<inst/openmp.h>")
