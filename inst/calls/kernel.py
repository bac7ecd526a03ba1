"""What each Linux system call reads and writes of the caller's memory, one row each.

The language of rows is that of `inst.calls.effects`. Calls without a row touch nothing that is known
here (tests/calls/without_effects.py has the reasons). One reads a row by its call's name, so the table is in one piece.
Facts: the kernel's headers and manual pages (section 2).
"""

from __future__ import annotations

from inst.calls.effects import Effect, read_rows

_ROWS = """
# files and file systems
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
# time and timers
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
# processes: limits, children, names, identities
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
# pipes and waiting for descriptors
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
# sockets
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
recvmmsg r1:mmsg2 r4:2L w1:mmsg2 w4:2L
recvmmsg_time64 r1:mmsg2 r4:16 w1:mmsg2 w4:16
# copies between files
sendfile r2:{__kernel_off_t} w2:{__kernel_off_t}
sendfile64 r2:8 w2:8
splice,copy_file_range r1:8 r3:8 w1:8 w3:8
_llseek w3:8
# signals
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
# scheduling, memory, modules
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
# extended attributes
setxattr,lsetxattr r0:s r1:s r2:a3
fsetxattr r1:s r2:a3
getxattr,lgetxattr r0:s r1:s w2:r
fgetxattr r1:s w2:r
listxattr,llistxattr r0:s w1:r
flistxattr w1:r
removexattr,lremovexattr r0:s r1:s
fremovexattr r1:s
# message queues, keys, asynchronous input and output
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
# threads and locks
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
# System V's semaphores and messages
semop r1:a2*6
semtimedop r1:a2*6 r3:2L
semtimedop_time64 r1:a2*6 r3:16
msgsnd r1:a2+1L
msgrcv w1:r+1L
# calls whose argument says what they do
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
# what came later
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


def _multiplexed() -> list[tuple[str, str, str]]:
    rows = [line.split() for line in _MULTIPLEXED.strip().splitlines()]
    return [(row[0], *part.split("=")) for row in rows for part in row[1:]]  # type: ignore[misc]


CALLS: dict[str, list[Effect]] = read_rows(_ROWS)
"""Name of a system call -> its effects, in order."""
MULTIPLEXED: list[tuple[str, str, str]] = _multiplexed()
"""Multiplexed call, value of its first argument, the call that this selects."""
