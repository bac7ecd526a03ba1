"""What Linux calls system calls and signals on SPARC."""

from __future__ import annotations

from inst.calls.system import System

_CALLS = """
0:restart_syscall exit fork read write open close wait4 creat link unlink execv chdir chown mknod
chmod lchown brk perfctr lseek getpid capget capset setuid getuid vmsplice ptrace alarm
sigaltstack pause utime lchown32 fchown32 access nice chown32 sync kill stat sendfile lstat dup
pipe times getuid32 umount2 setgid getgid signal geteuid getegid acct memory_ordering getgid32
ioctl reboot mmap2 symlink readlink execve umask chroot fstat fstat64 getpagesize msync vfork
pread64 pwrite64 geteuid32 getegid32 mmap setreuid32 munmap mprotect madvise vhangup truncate64
mincore getgroups setgroups getpgrp setgroups32 setitimer ftruncate64 swapon getitimer setuid32
sethostname setgid32 dup2 setfsuid32 fcntl select setfsgid32 fsync setpriority socket connect
accept getpriority rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait
rt_sigqueueinfo rt_sigsuspend setresuid getresuid setresgid getresgid setregid32 recvmsg sendmsg
getgroups32 gettimeofday getrusage getsockopt getcwd readv writev settimeofday fchown fchmod
recvfrom setreuid setregid rename truncate ftruncate flock lstat64 sendto shutdown socketpair
mkdir rmdir utimes stat64 sendfile64 getpeername futex gettid getrlimit setrlimit pivot_root prctl
pciconfig_read pciconfig_write getsockname inotify_init inotify_add_watch poll getdents64 fcntl64
inotify_rm_watch statfs fstatfs umount sched_set_affinity sched_get_affinity getdomainname
setdomainname utrap_install quotactl set_tid_address mount ustat setxattr lsetxattr fsetxattr
getxattr lgetxattr getdents setsid fchdir fgetxattr listxattr llistxattr flistxattr removexattr
lremovexattr sigpending query_module setpgid fremovexattr tkill exit_group uname init_module
personality remap_file_pages epoll_create epoll_ctl epoll_wait ioprio_set getppid sigaction
sgetmask ssetmask sigsuspend oldlstat uselib readdir readahead socketcall syslog lookup_dcookie
fadvise64 fadvise64_64 tgkill waitpid swapoff sysinfo ipc sigreturn clone ioprio_get adjtimex
sigprocmask create_module delete_module get_kernel_syms getpgid bdflush sysfs afs_syscall setfsuid
setfsgid _newselect time splice stime statfs64 fstatfs64 _llseek mlock munlock mlockall munlockall
sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_yield
sched_get_priority_max sched_get_priority_min sched_rr_get_interval nanosleep mremap _sysctl
getsid fdatasync nfsservctl sync_file_range clock_settime clock_gettime clock_getres
clock_nanosleep sched_getaffinity sched_setaffinity timer_settime timer_gettime timer_getoverrun
timer_delete timer_create vserver io_setup io_destroy io_submit io_cancel io_getevents mq_open
mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr waitid tee add_key request_key
keyctl openat mkdirat mknodat fchownat futimesat fstatat64 unlinkat renameat linkat symlinkat
readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list migrate_pages
mbind get_mempolicy set_mempolicy kexec_load move_pages getcpu epoll_pwait utimensat signalfd
timerfd_create eventfd fallocate timerfd_settime timerfd_gettime signalfd4 eventfd2 epoll_create1
dup3 pipe2 inotify_init1 accept4 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg
fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs
sendmmsg setns process_vm_readv process_vm_writev kern_features kcmp finit_module sched_setattr
sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat membarrier userfaultfd bind
listen setsockopt mlock2 copy_file_range preadv2 pwritev2 statx io_pgetevents pkey_mprotect
pkey_alloc pkey_free rseq 392:semtimedop semget semctl shmget shmctl shmat shmdt msgget msgsnd
msgrcv msgctl clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64
clock_nanosleep_time64 timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64
utimensat_time64 pselect6_time64 ppoll_time64 416:io_pgetevents_time64 recvmmsg_time64
mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64 rt_sigtimedwait_time64 futex_time64
sched_rr_get_interval_time64 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register
open_tree move_mount fsopen fsconfig fsmount fspick pidfd_open 436:close_range openat2 pidfd_getfd
faccessat2 process_madvise epoll_pwait2 mount_setattr quotactl_fd landlock_create_ruleset
landlock_add_rule landlock_restrict_self 448:process_mrelease futex_waitv set_mempolicy_home_node
"""
_SIGNALS = """
1:HUP INT QUIT ILL TRAP ABRT EMT FPE KILL BUS SEGV SYS PIPE ALRM TERM URG STOP TSTP CONT CHLD TTIN
TTOU IO XCPU XFSZ VTALRM PROF WINCH LOST USR1 USR2
"""

PART = System(_CALLS, _SIGNALS)
