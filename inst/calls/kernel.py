"""What each Linux system call reads and writes of the caller's memory, one row each.

A row is `NAMES EFFECT...`; calls that share a row are joined by commas, `NAME[N=VALUE]` holds when
argument N is VALUE (`[N&MASK=VALUE]`: when these bits of it are). An effect is `DIRECTION
ARGUMENT:SIZE` without the blank: `r` the kernel reads it, before; `w` it has written, unless
the call failed; `i` it has written if the call was interrupted. Arguments count from 0. A SIZE
is a sum of constants and at most one term known only at run time, which may have a factor:

    16  2L  {struct stat}     bytes, longs, the size of a C type of the kernel's headers
    a2  r  r2  p2             argument 2, the result (argument 2 at most), what argument 2 points to
                              (a length; written: the smaller of that before and afterwards)
    s  b0  n2                 a string with its end; bit masks for argument 0 descriptors, and for
                              one memory node less than argument 2
    iov2  msg  mmsg2  argv    vectors with their buffers, message headers, lists of strings
    ioctl  mask               what the request encodes; a pointer to a mask and its size

Calls without a row touch nothing that is known here. Numbers and structures are those of the
target's own headers when a hook library is built, so a row holds for each width and ISA.
Facts: the kernel's headers and manual pages (section 2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROWS = """
read,getdents,getdents64 w1:r
pread64 w1:r
write r1:a2
pwrite64 r1:a2
readv,preadv,preadv2 r1:iov2 w1:iov2
writev,pwritev,pwritev2,vmsplice r1:iov2
process_vm_readv r1:iov2 w1:iov2 r3:a4*2L
process_vm_writev r1:iov2 r3:a4*2L
open,creat,chdir,chroot,unlink,rmdir,mkdir,mknod,chmod,access,acct,swapon,swapoff,umount,umount2 r0:s
truncate,truncate64,chown,lchown,chown32,lchown32,uselib,mq_unlink,fsopen,memfd_create r0:s
link,rename,symlink,pivot_root r0:s r1:s
openat,mkdirat,mknodat,fchmodat,faccessat,faccessat2,unlinkat,fchownat,inotify_add_watch r1:s
open_tree,fspick r1:s
name_to_handle_at r1:s r2:8 w2:8+p2 w3:4
openat2 r1:s r2:a3
renameat,renameat2,linkat,move_mount r1:s r3:s
symlinkat r0:s r2:s
mount r0:s r1:s r2:s r4:s
execve,execv r0:s r1:argv r2:argv
execveat r1:s r2:argv r3:argv
stat,lstat r0:s w1:{struct stat}
fstat w1:{struct stat}
stat64,lstat64 r0:s w1:{struct stat64}
fstat64 w1:{struct stat64}
fstatat64 r1:s w2:{struct stat64}
newfstatat r1:s w2:{struct stat}
statx r1:s w4:256
statfs r0:s w1:{struct statfs}
fstatfs w1:{struct statfs}
statfs64 r0:s w2:{struct statfs64}
fstatfs64 w2:{struct statfs64}
ustat w1:20+1L
readlink r0:s w1:r
readlinkat r1:s w2:r
getcwd w0:r
utime r0:s r1:2L
utimes r0:s r1:4L
futimesat r1:s r2:4L
utimensat r1:s r2:4L
utimensat_time64 r1:s r2:32
time w0:1L
stime r0:1L
gettimeofday w0:2L w1:8
settimeofday r0:2L r1:8
clock_gettime,clock_getres w1:2L
clock_gettime64,clock_getres_time64 w1:16
clock_settime r1:2L
clock_settime64 r1:16
nanosleep r0:2L i1:2L
clock_nanosleep r2:2L i3:2L
clock_nanosleep_time64 r2:16 i3:16
adjtimex r0:{TIMEX} w0:{TIMEX}
clock_adjtime r1:{TIMEX} w1:{TIMEX}
clock_adjtime64 r1:208 w1:208
times w0:4L
getitimer w1:4L
setitimer r1:4L w2:4L
timer_create r1:64 w2:4
timer_settime,timerfd_settime r2:4L w3:4L
timer_settime64,timerfd_settime64 r2:32 w3:32
timer_gettime,timerfd_gettime w1:4L
timer_gettime64,timerfd_gettime64 w1:32
getrlimit,ugetrlimit w1:2L
setrlimit r1:2L
prlimit64 r2:16 w3:16
getrusage w1:18L
wait4 w1:4 w3:18L
waitpid w1:4
waitid w2:128 w4:18L
sysinfo w0:{struct sysinfo}
uname w0:390
olduname w0:45
sethostname,setdomainname r0:a1
getdomainname w0:a1
getgroups w1:r*{__kernel_old_gid_t}
setgroups r1:a0*{__kernel_old_gid_t}
getgroups32 w1:r*4
setgroups32 r1:a0*4
getresuid w0:{__kernel_old_uid_t} w1:{__kernel_old_uid_t} w2:{__kernel_old_uid_t}
getresgid w0:{__kernel_old_gid_t} w1:{__kernel_old_gid_t} w2:{__kernel_old_gid_t}
getresuid32,getresgid32 w0:4 w1:4 w2:4
capget r0:8 w1:24
capset r0:8 r1:24
pipe w0:{PIPE_BYTES}
pipe2 w0:8
socketpair w3:8
select,_newselect r1:b0 r2:b0 r3:b0 r4:2L w1:b0 w2:b0 w3:b0 w4:2L
pselect6 r1:b0 r2:b0 r3:b0 r4:2L r5:mask w1:b0 w2:b0 w3:b0 w4:2L
pselect6_time64 r1:b0 r2:b0 r3:b0 r4:16 r5:mask w1:b0 w2:b0 w3:b0 w4:16
poll r0:a1*8 w0:a1*8
ppoll r0:a1*8 r2:2L r3:a4 w0:a1*8 w2:2L
ppoll_time64 r0:a1*8 r2:16 r3:a4 w0:a1*8 w2:16
epoll_ctl r3:16
epoll_wait w1:r*16
epoll_pwait w1:r*16 r4:a5
epoll_pwait2 w1:r*16 r3:16 r4:a5
bind,connect r1:a2
accept,accept4,getsockname,getpeername r2:4 w1:p2 w2:4
send r1:a2
sendto r1:a2 r4:a5
recv w1:r2
recvfrom r5:4 w1:r2 w4:p5 w5:4
setsockopt r3:a4
getsockopt r4:4 w3:p4 w4:4
sendmsg r1:msg
recvmsg r1:msg w1:msg
sendmmsg r1:mmsg2 w1:mmsg2
recvmmsg r1:mmsg2 r4:2L w1:mmsg2
recvmmsg_time64 r1:mmsg2 r4:16 w1:mmsg2
sendfile r2:{__kernel_off_t} w2:{__kernel_off_t}
sendfile64 r2:8 w2:8
splice,copy_file_range r1:8 r3:8 w1:8 w3:8
_llseek w3:8
sigaction r1:4L w2:4L
rt_sigaction r1:3L+8 w2:3L+8
sigprocmask r1:1L w2:1L
rt_sigprocmask r1:a3 w2:a3
sigpending w0:1L
rt_sigpending w0:a1
rt_sigsuspend r0:a1
rt_sigtimedwait r0:a3 r2:2L w1:128
rt_sigtimedwait_time64 r0:a3 r2:16 w1:128
rt_sigqueueinfo r2:128
rt_tgsigqueueinfo r3:128
sigaltstack r0:3L w1:3L
signalfd r1:a2
signalfd4 r1:a2
pidfd_send_signal r2:128
sched_setparam,sched_setscheduler[1=0] r1:4
sched_setscheduler r2:4
sched_getparam w1:4
sched_setattr r1:4
sched_getattr w1:a2
sched_setaffinity r2:a1
sched_getaffinity w2:r
sched_rr_get_interval w1:2L
sched_rr_get_interval_time64 w1:16
getcpu w0:4 w1:4
get_robust_list w1:1L w2:1L
get_mempolicy w0:4 w1:n2
mincore w2:(a1+4095)/4096
getrandom w0:r
sysfs[0=1] r1:s
sysfs[0=2] w2:1
syslog[0=2] w1:r
syslog[0=3] w1:r
syslog[0=4] w1:r
init_module r0:a1 r2:s
delete_module r0:s
finit_module r1:s
setxattr,lsetxattr r0:s r1:s r2:a3
fsetxattr r1:s r2:a3
getxattr,lgetxattr r0:s r1:s w2:r
fgetxattr r1:s w2:r
listxattr,llistxattr r0:s w1:r
flistxattr w1:r
removexattr,lremovexattr r0:s r1:s
fremovexattr r1:s
mq_open r0:s r3:8L
mq_timedsend r1:a2 r4:2L
mq_timedsend_time64 r1:a2 r4:16
mq_timedreceive w1:r w3:4 r4:2L
mq_timedreceive_time64 w1:r w3:4 r4:16
mq_notify r1:64
mq_getsetattr r1:8L w2:8L
add_key r0:s r1:s r2:a3
request_key r0:s r1:s r2:s
io_setup w1:1L
io_getevents w3:r*32 r4:2L
io_submit r2:a1*1L
bpf r1:a2
clone3 r0:a1
clone[0&0x00100000=0x00100000] w2:4
clone[0&0x00001000=0x00001000] w2:4
fanotify_mark r4:s
futex[1&127=0] r0:4 r3:2L
futex[1&127=4] r0:4
futex[1&127=5] r4:4 w4:4
futex[1&127=6] r0:4 r3:2L w0:4
futex[1&127=7] r0:4 w0:4
futex[1&127=8] r0:4 w0:4
futex[1&127=9] r0:4 r3:2L
futex_time64[1&127=0] r0:4 r3:16
futex_time64[1&127=4] r0:4
futex_time64[1&127=5] r4:4 w4:4
futex_time64[1&127=6] r0:4 r3:16 w0:4
futex_time64[1&127=7] r0:4 w0:4
futex_time64[1&127=8] r0:4 w0:4
futex_time64[1&127=9] r0:4 r3:16
semop r1:a2*6
semtimedop r1:a2*6 r3:2L
semtimedop_time64 r1:a2*6 r3:16
msgsnd r1:a2+1L
msgrcv w1:r+1L
prctl[0=15] r1:s
prctl[0=16] w1:16
prctl[0=2] w1:4
prctl[0=37] w1:4
fcntl,fcntl64[1=F_GETLK] r2:{struct flock} w2:{struct flock}
fcntl,fcntl64[1=F_SETLK] r2:{struct flock}
fcntl,fcntl64[1=F_SETLKW] r2:{struct flock}
fcntl64[1=F_GETLK64] r2:{struct flock64} w2:{struct flock64}
fcntl64[1=F_SETLK64] r2:{struct flock64}
fcntl64[1=F_SETLKW64] r2:{struct flock64}
fcntl,fcntl64[1=36] r2:{FLOCK64} w2:{FLOCK64}
fcntl,fcntl64[1=37] r2:{FLOCK64}
fcntl,fcntl64[1=38] r2:{FLOCK64}
fcntl,fcntl64[1=15] r2:8
fcntl,fcntl64[1=16] w2:8
ioctl r2:ioctl w2:ioctl
ioctl[1=TIOCMGET] w2:4
ioctl[1=TIOCMSET] r2:4
ioctl[1=TIOCMBIS] r2:4
ioctl[1=TIOCMBIC] r2:4
ioctl[1=TIOCGSOFTCAR] w2:4
ioctl[1=TIOCSSOFTCAR] r2:4
ioctl[1=TIOCSTI] r2:1
ioctl[1=TIOCGETD] w2:4
ioctl[1=TIOCSETD] r2:4
ioctl[1=TIOCPKT] r2:4
ioctl[1=TIOCGSID] w2:4
ioctl[1=FIOQSIZE] w2:8
ioctl[1=SIOCGIFCONF] r2:{sizeof(int)+sizeof(long)} w2:{sizeof(int)+sizeof(long)}
ioctl[1=SIOCGIFFLAGS] r2:{IFREQ} w2:{IFREQ}
ioctl[1=SIOCGIFADDR] r2:{IFREQ} w2:{IFREQ}
ioctl[1=SIOCGIFINDEX] r2:{IFREQ} w2:{IFREQ}
ioctl[1=SIOCGIFNAME] r2:{IFREQ} w2:{IFREQ}
ioctl[1=SIOCGIFMTU] r2:{IFREQ} w2:{IFREQ}
ioctl[1=SIOCGIFHWADDR] r2:{IFREQ} w2:{IFREQ}
fsconfig r2:s
fsconfig[1=1] r3:s
fsconfig[1=2] r3:a4
fsconfig[1=3] r3:s
fsconfig[1=4] r3:s
mount_setattr r1:s r3:a4
open_by_handle_at r1:8+p1
kexec_file_load r3:a2
futex_waitv r0:a1*24 r3:16
process_madvise r1:a2*2L
mbind r3:n4
set_mempolicy r1:n2
migrate_pages r2:n1 r3:n1
move_pages r2:a1*1L r3:a1*4 w4:a1*4
io_uring_setup r1:120 w1:120
io_cancel r1:64 w2:32
landlock_create_ruleset r0:a1
landlock_add_rule[1=1] r2:12
seccomp[0=1] r2:2L
"""

_MULTIPLEXED = """
socketcall 1=socket 2=bind 3=connect 4=listen 5=accept 6=getsockname 7=getpeername 8=socketpair
socketcall 9=send 10=recv 11=sendto 12=recvfrom 13=shutdown 14=setsockopt 15=getsockopt
socketcall 16=sendmsg 17=recvmsg 18=accept4 19=recvmmsg 20=sendmmsg
ipc 1=semop 4=semtimedop 11=msgsnd 12=msgrcv
"""
"""Multiplexed calls: the first argument selects the call."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Memory that a call reads or writes; texts are C."""

    when: str
    """READS, WRITES or INTERRUPTED."""
    argument: int
    source: str
    """What the size depends on."""
    other: int
    """The argument that `source` is about."""
    scale: str
    base: str
    test: int
    """The argument that a condition is about."""
    mask: str
    equals: str
    """"": there is no condition."""


_WHEN = {"r": "READS", "w": "WRITES", "i": "INTERRUPTED"}
_NAME = re.compile(r"(\w+)(?:\[(\d)(?:&(\w+))?=(\w+)\])?")
_CONSTANT = re.compile(r"(\d+)(L?)|\{(.*)\}")
_TERM = re.compile(r"(a|r|p|b|n|iov|mmsg|s|msg|argv|ioctl|mask)(\d?)(?:\*(.*))?")
_SOURCES = {
    "a": "ARGUMENT",
    "r": "RESULT",
    "p": "POINTED",
    "b": "BITS",
    "n": "NODES",
    "s": "STRING",
    "iov": "VECTOR",
    "msg": "MESSAGE",
    "mmsg": "MESSAGES",
    "argv": "STRINGS",
    "ioctl": "REQUEST",
    "mask": "MASK",
}
_PAGES = "(a1+4095)/4096"


def _constant(text: str) -> str | None:
    found = _CONSTANT.fullmatch(text)
    if not found:
        return None
    if found[3]:
        kind = found[3]
        named = kind.startswith(("struct ", "__kernel"))
        return f"sizeof({kind})" if named else f"({kind})"
    return f"{found[1]} * sizeof(long)" if found[2] else found[1]


def _effect(text: str, condition: tuple[int, str, str]) -> Effect:
    place, size = text.split(":", 1)
    source, other, scale, base = "NOTHING", 0, "0", "0"
    if size == _PAGES:
        source, other, size = "PAGES", 1, "0"
    for term in size.split("+") if "{" not in size else [size]:
        constant = _constant(term)
        if constant is not None:
            base = constant
            continue
        found = _TERM.fullmatch(term)
        assert found, text
        source, other = _SOURCES[found[1]], int(found[2] or 0)
        scale = (_constant(found[3]) or "") if found[3] else "1"
    return Effect(_WHEN[place[0]], int(place[1]), source, other, scale, base, *condition)


_PIECES = re.compile(r"(?:\{[^}]*\}|\S)+")


def _read() -> dict[str, list[Effect]]:
    calls: dict[str, list[Effect]] = {}
    for line in _ROWS.strip().splitlines():
        names, *effects = _PIECES.findall(line)
        condition = (0, "0", "")
        last = _NAME.fullmatch(names.split(",")[-1])
        assert last, line
        if last[2]:
            condition = (int(last[2]), last[3] or "~0", last[4])
        for name in names.split(","):
            row = calls.setdefault(name.split("[")[0], [])
            row += [_effect(effect, condition) for effect in effects]
    return calls


def _multiplexed() -> list[tuple[str, str, str]]:
    rows = [line.split() for line in _MULTIPLEXED.strip().splitlines()]
    return [(row[0], *part.split("=")) for row in rows for part in row[1:]]  # type: ignore[misc]


CALLS: dict[str, list[Effect]] = _read()
"""Name of a system call -> its effects, in order."""
MULTIPLEXED: list[tuple[str, str, str]] = _multiplexed()
"""Multiplexed call, value of its first argument, the call that this selects."""

UNTOUCHED = frozenset(
    [
        "alarm",
        "brk",
        "close",
        "close_range",
        "dup",
        "dup2",
        "dup3",
        "epoll_create",
        "epoll_create1",
        "eventfd",
        "eventfd2",
        "exit",
        "exit_group",
        "fadvise64",
        "fadvise64_64",
        "fallocate",
        "fanotify_init",
        "fchdir",
        "fchmod",
        "fchown",
        "fchown32",
        "fdatasync",
        "flock",
        "fork",
        "fsmount",
        "fsync",
        "ftruncate",
        "ftruncate64",
        "getegid",
        "getegid32",
        "geteuid",
        "geteuid32",
        "getgid",
        "getgid32",
        "getpagesize",
        "getpgid",
        "getpgrp",
        "getpid",
        "getppid",
        "getpriority",
        "getsid",
        "gettid",
        "getuid",
        "getuid32",
        "inotify_init",
        "inotify_init1",
        "inotify_rm_watch",
        "io_destroy",
        "io_uring_enter",
        "ioperm",
        "iopl",
        "ioprio_get",
        "ioprio_set",
        "kcmp",
        "kern_features",
        "kill",
        "landlock_restrict_self",
        "listen",
        "lseek",
        "madvise",
        "membarrier",
        "memory_ordering",
        "mlock",
        "mlock2",
        "mlockall",
        "mmap",
        "mmap2",
        "mprotect",
        "mremap",
        "msgget",
        "msync",
        "munlock",
        "munlockall",
        "munmap",
        "nice",
        "pause",
        "personality",
        "pidfd_getfd",
        "pidfd_open",
        "pkey_alloc",
        "pkey_free",
        "pkey_mprotect",
        "process_mrelease",
        "readahead",
        "reboot",
        "remap_file_pages",
        "restart_syscall",
        "rseq",
        "sched_get_priority_max",
        "sched_get_priority_min",
        "sched_getscheduler",
        "sched_yield",
        "semget",
        "set_mempolicy_home_node",
        "set_robust_list",
        "set_tid_address",
        "setfsgid",
        "setfsgid32",
        "setfsuid",
        "setfsuid32",
        "setgid",
        "setgid32",
        "setns",
        "setpgid",
        "setpriority",
        "setregid",
        "setregid32",
        "setresgid",
        "setresgid32",
        "setresuid",
        "setresuid32",
        "setreuid",
        "setreuid32",
        "setsid",
        "setuid",
        "setuid32",
        "sgetmask",
        "shmat",
        "shmdt",
        "shmget",
        "shutdown",
        "signal",
        "socket",
        "ssetmask",
        "switch_endian",
        "sync",
        "sync_file_range",
        "sync_file_range2",
        "syncfs",
        "tee",
        "tgkill",
        "timer_delete",
        "timer_getoverrun",
        "timerfd_create",
        "tkill",
        "umask",
        "unshare",
        "userfaultfd",
        "vfork",
        "vhangup",
    ]
)
"""Calls that touch no memory that their arguments point to while they run."""
BY_NUMBER = frozenset(
    [
        "_sysctl",
        "io_pgetevents",
        "io_pgetevents_time64",
        "io_uring_register",
        "ipc",
        "kexec_load",
        "keyctl",
        "lookup_dcookie",
        "msgctl",
        "oldfstat",
        "oldlstat",
        "oldolduname",
        "oldstat",
        "perf_event_open",
        "ptrace",
        "quotactl",
        "quotactl_fd",
        "readdir",
        "rt_sigreturn",
        "rtas",
        "semctl",
        "shmctl",
        "sigreturn",
        "sigsuspend",
        "socketcall",
        "spu_create",
        "spu_run",
        "subpage_prot",
        "swapcontext",
        "sys_debug_setcontext",
        "utrap_install",
    ]
)
"""Calls that are reported by their number alone: what they touch depends on more than their
arguments, or they are obsolete; of the two `MULTIPLEXED` ones the selected calls are reported."""
NOT_THERE = frozenset(
    [
        "afs_syscall",
        "bdflush",
        "break",
        "create_module",
        "ftime",
        "get_kernel_syms",
        "getpmsg",
        "gtty",
        "idle",
        "lock",
        "modify_ldt",
        "mpx",
        "multiplexer",
        "nfsservctl",
        "pciconfig_iobase",
        "pciconfig_read",
        "pciconfig_write",
        "perfctr",
        "prof",
        "profil",
        "putpmsg",
        "query_module",
        "sched_get_affinity",
        "sched_set_affinity",
        "stty",
        "tuxcall",
        "ulimit",
        "vm86",
        "vserver",
    ]
)
"""Numbers for which the kernel returns ENOSYS."""
