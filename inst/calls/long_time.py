"""What the C library's headers call instead of a function where time has 64 bits on a 32-bit target.

glibc 2.34 and later have a second function for each that is passed times: a program that is compiled
with `_TIME_BITS=64` refers to `__stat64_time64` and not to `stat`.  What these touch is what the rows
of the others say, with the types that the headers then have.  Facts: glibc's headers and the names
that its library for 32-bit PowerPC and SPARC exports, and musl's headers.
"""

from __future__ import annotations

LARGE_FILES = ("_FILE_OFFSET_BITS",)
LONG_TIME = (*LARGE_FILES, "_TIME_BITS")
"""Macros that are 64, in C that is compiled for these functions."""

NAMES = {
    "___adjtimex64": "adjtimex",
    "__adjtime64": "adjtime",
    "__clock_adjtime64": "clock_adjtime",
    "__clock_getres64": "clock_getres",
    "__clock_gettime64": "clock_gettime",
    "__clock_nanosleep_time64": "clock_nanosleep",
    "__cnd_timedwait64": "cnd_timedwait",
    "__ctime64": "ctime",
    "__ctime64_r": "ctime_r",
    "__fcntl_time64": "fcntl",
    "__fstat64_time64": "fstat",
    "__fstatat64_time64": "fstatat",
    "__fts64_read_time64": "fts_read",
    "__futimens64": "futimens",
    "__getsockopt64": "getsockopt",
    "__gettimeofday64": "gettimeofday",
    "__gmtime64": "gmtime",
    "__gmtime64_r": "gmtime_r",
    "__ioctl_time64": "ioctl",
    "__localtime64": "localtime",
    "__localtime64_r": "localtime_r",
    "__lstat64_time64": "lstat",
    "__mktime64": "mktime",
    "__mq_timedreceive_time64": "mq_timedreceive",
    "__mq_timedsend_time64": "mq_timedsend",
    "__msgctl64": "msgctl",
    "__mtx_timedlock64": "mtx_timedlock",
    "__nanosleep64": "nanosleep",
    "__ppoll64": "ppoll",
    "__pselect64": "pselect",
    "__ntp_gettime64": "ntp_gettimex",
    "__ntp_gettimex64": "ntp_gettimex",
    "__pthread_cond_clockwait64": "pthread_cond_clockwait",
    "__pthread_cond_timedwait64": "pthread_cond_timedwait",
    "__pthread_mutex_clocklock64": "pthread_mutex_clocklock",
    "__pthread_mutex_timedlock64": "pthread_mutex_timedlock",
    "__pthread_rwlock_clockrdlock64": "pthread_rwlock_clockrdlock",
    "__pthread_rwlock_clockwrlock64": "pthread_rwlock_clockwrlock",
    "__pthread_rwlock_timedrdlock64": "pthread_rwlock_timedrdlock",
    "__pthread_rwlock_timedwrlock64": "pthread_rwlock_timedwrlock",
    "__recvmmsg64": "recvmmsg",
    "__recvmsg64": "recvmsg",
    "__sched_rr_get_interval64": "sched_rr_get_interval",
    "__select64": "select",
    "__sem_clockwait64": "sem_clockwait",
    "__sem_timedwait64": "sem_timedwait",
    "__sendmmsg64": "sendmmsg",
    "__sendmsg64": "sendmsg",
    "__setsockopt64": "setsockopt",
    "__shmctl64": "shmctl",
    "__sigtimedwait64": "sigtimedwait",
    "__stat64_time64": "stat",
    "__time64": "time",
    "__timegm64": "timegm",
    "__timer_gettime64": "timer_gettime",
    "__timer_settime64": "timer_settime",
    "__timerfd_gettime64": "timerfd_gettime",
    "__timerfd_settime64": "timerfd_settime",
    "__timespec_get64": "timespec_get",
    "__utime64": "utime",
    "__utimensat64": "utimensat",
    "__utimes64": "utimes",
}
"""Function -> the one whose row it has."""
MUSL = {
    "__adjtimex_time64": "adjtimex",
    "__clock_getres_time64": "clock_getres",
    "__cnd_timedwait_time64": "cnd_timedwait",
    "__fstat_time64": "fstat",
    "__fstatat_time64": "fstatat",
    "__futimens_time64": "futimens",
    "__getitimer_time64": "getitimer",
    "__getrusage_time64": "getrusage",
    "__gettimeofday_time64": "gettimeofday",
    "__lstat_time64": "lstat",
    "__mtx_timedlock_time64": "mtx_timedlock",
    "__nanosleep_time64": "nanosleep",
    "__ppoll_time64": "ppoll",
    "__pselect_time64": "pselect",
    "__pthread_cond_timedwait_time64": "pthread_cond_timedwait",
    "__pthread_mutex_timedlock_time64": "pthread_mutex_timedlock",
    "__pthread_rwlock_timedrdlock_time64": "pthread_rwlock_timedrdlock",
    "__pthread_rwlock_timedwrlock_time64": "pthread_rwlock_timedwrlock",
    "__recvmmsg_time64": "recvmmsg",
    "__sched_rr_get_interval_time64": "sched_rr_get_interval",
    "__select_time64": "select",
    "__sem_timedwait_time64": "sem_timedwait",
    "__setitimer_time64": "setitimer",
    "__sigtimedwait_time64": "sigtimedwait",
    "__stat_time64": "stat",
    "__timegm_time64": "timegm",
    "__timespec_get_time64": "timespec_get",
    "__utimensat_time64": "utimensat",
    "__utimes_time64": "utimes",
}
"""The same of musl, whose 32-bit targets have no other time: its names that are not glibc's."""
ALL_NAMES = NAMES | MUSL

ROWS = """
#include <sys/resource.h>
int __getrusage64(int who, struct rusage *to) | | to: result ? 0 : sizeof *to | __NR_getrusage
#include <sys/time.h>
int __getitimer64(int which, struct itimerval *to) | | to: result ? 0 : sizeof *to | __NR_getitimer
int __setitimer64(int which, const struct itimerval *from, struct itimerval *to) | from: sizeof *from | to: result ? 0 : sizeof *to | __NR_setitimer
#include <sys/wait.h>
pid_t __wait3_time64(int *status, int options, struct rusage *usage) | | status: result > 0 ? sizeof *status : 0; usage: result > 0 ? sizeof *usage : 0 | __NR_wait4
pid_t __wait4_time64(pid_t pid, int *status, int options, struct rusage *usage) | | status: result > 0 ? sizeof *status : 0; usage: result > 0 ? sizeof *usage : 0 | __NR_wait4
"""
"""Functions that convert what the kernel has written elsewhere: rows as those of `inst.calls.touched`."""

COMPILED_AGAIN = (
    ("glob", LARGE_FILES, {"glob": "glob64"}),
    ("nftw", LARGE_FILES, {"ftw": "ftw64", "nftw": "nftw64"}),
    ("glob", LONG_TIME, {"glob": "__glob64_time64"}),
    ("nftw", LONG_TIME, {"ftw": "__ftw64_time64", "nftw": "__nftw64_time64"}),
    ("prctl", LONG_TIME, {"prctl": "__prctl_time64"}),
    ("pthread_clockjoin_np", LONG_TIME, {"pthread_clockjoin_np": "__pthread_clockjoin_np64"}),
    ("pthread_timedjoin_np", LONG_TIME, {"pthread_timedjoin_np": "__pthread_timedjoin_np64"}),
    ("semctl", LONG_TIME, {"semctl": "__semctl64"}),
)
"""Files of runtime/wrap that are compiled again where sizes of files, or times as well, have 64 bits:
with which macros, and what their functions are then called."""
