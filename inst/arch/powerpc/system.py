"""What Linux calls system calls and signals on PowerPC."""

from __future__ import annotations

from inst.calls.system import System

_CALLS = """
0:restart_syscall exit fork read write open close waitpid creat link unlink execve chdir time
mknod chmod lchown break oldstat lseek getpid mount umount setuid getuid stime ptrace alarm
oldfstat pause utime stty gtty access nice ftime sync kill rename mkdir rmdir dup pipe times prof
brk setgid getgid signal geteuid getegid acct umount2 lock ioctl fcntl mpx setpgid ulimit
oldolduname umask chroot ustat dup2 getppid getpgrp setsid sigaction sgetmask ssetmask setreuid
setregid sigsuspend sigpending sethostname setrlimit getrlimit getrusage gettimeofday settimeofday
getgroups setgroups select symlink oldlstat readlink uselib swapon reboot readdir mmap munmap
truncate ftruncate fchmod fchown getpriority setpriority profil statfs fstatfs ioperm socketcall
syslog setitimer getitimer stat lstat fstat olduname iopl vhangup idle vm86 wait4 swapoff sysinfo
ipc fsync sigreturn clone setdomainname uname modify_ldt adjtimex mprotect sigprocmask
create_module init_module delete_module get_kernel_syms quotactl getpgid fchdir bdflush sysfs
personality afs_syscall setfsuid setfsgid _llseek getdents _newselect flock msync readv writev
getsid fdatasync _sysctl mlock munlock mlockall munlockall sched_setparam sched_getparam
sched_setscheduler sched_getscheduler sched_yield sched_get_priority_max sched_get_priority_min
sched_rr_get_interval nanosleep mremap setresuid getresuid query_module poll nfsservctl setresgid
getresgid prctl rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait
rt_sigqueueinfo rt_sigsuspend pread64 pwrite64 chown getcwd capget capset sigaltstack sendfile
getpmsg putpmsg vfork ugetrlimit readahead mmap2 truncate64 ftruncate64 stat64 lstat64 fstat64
pciconfig_read pciconfig_write pciconfig_iobase multiplexer getdents64 pivot_root fcntl64 madvise
mincore gettid tkill setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr
llistxattr flistxattr removexattr lremovexattr fremovexattr futex sched_setaffinity
sched_getaffinity 225:tuxcall sendfile64 io_setup io_destroy io_getevents io_submit io_cancel
set_tid_address fadvise64 exit_group lookup_dcookie epoll_create epoll_ctl epoll_wait
remap_file_pages timer_create timer_settime timer_gettime timer_getoverrun timer_delete
clock_settime clock_gettime clock_getres clock_nanosleep swapcontext tgkill utimes statfs64
fstatfs64 fadvise64_64 rtas sys_debug_setcontext 258:migrate_pages mbind get_mempolicy
set_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr kexec_load
add_key request_key keyctl waitid ioprio_set ioprio_get inotify_init inotify_add_watch
inotify_rm_watch spu_run spu_create pselect6 ppoll unshare splice tee vmsplice openat mkdirat
mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat
faccessat get_robust_list set_robust_list move_pages getcpu epoll_pwait utimensat signalfd
timerfd_create eventfd sync_file_range2 fallocate subpage_prot timerfd_settime timerfd_gettime
signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 perf_event_open preadv pwritev
rt_tgsigqueueinfo fanotify_init fanotify_mark prlimit64 socket bind connect listen accept
getsockname getpeername socketpair send sendto recv recvfrom shutdown setsockopt getsockopt
sendmsg recvmsg recvmmsg accept4 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg
setns process_vm_readv process_vm_writev finit_module kcmp sched_setattr sched_getattr renameat2
seccomp getrandom memfd_create bpf execveat switch_endian userfaultfd membarrier 378:mlock2
copy_file_range preadv2 pwritev2 kexec_file_load statx pkey_alloc pkey_free pkey_mprotect rseq
io_pgetevents 392:semtimedop semget semctl shmget shmctl shmat shmdt msgget msgsnd msgrcv msgctl
clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64
timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64
pselect6_time64 ppoll_time64 416:io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64
mq_timedreceive_time64 semtimedop_time64 rt_sigtimedwait_time64 futex_time64
sched_rr_get_interval_time64 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register
open_tree move_mount fsopen fsconfig fsmount fspick pidfd_open clone3 close_range openat2
pidfd_getfd faccessat2 process_madvise epoll_pwait2 mount_setattr quotactl_fd
landlock_create_ruleset landlock_add_rule landlock_restrict_self 448:process_mrelease futex_waitv
set_mempolicy_home_node
"""
_SIGNALS = """
1:HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP
TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
"""

PART = System(_CALLS, _SIGNALS)
