/* System calls and ELF structures whose names differ on 32-bit and on 64-bit machines. */
#ifndef INST_WIDTH_H
#define INST_WIDTH_H

#include <asm/stat.h>
#include <linux/elf.h>
#include <syscall.h>

#if __SIZEOF_POINTER__ == 8

typedef struct elf64_hdr inst_elf_header;
typedef struct elf64_phdr inst_elf_segment;
typedef struct elf64_shdr inst_elf_section;
typedef struct elf64_sym inst_elf_symbol;

/* 64-bit SPARC has both; QEMU 7.2 writes more of the older one than its fields hold. */
#ifdef __NR_fstat64
typedef struct stat64 inst_file_status;
enum { INST_FSTAT = __NR_fstat64 };
#else
typedef struct stat inst_file_status;
enum { INST_FSTAT = __NR_fstat };
#endif

/* Offsets are in bytes. */
static inline long inst_mmap(void *at, unsigned long size, long protection, long flags, long fd,
                             uint64_t offset)
{
    return inst_syscall(__NR_mmap, (long)at, size, protection, flags, fd, (long)offset);
}

static inline long inst_pwrite(long fd, const void *from, unsigned long size, uint64_t offset)
{
    return inst_syscall(__NR_pwrite64, fd, (long)from, size, (long)offset, 0, 0);
}

static inline long inst_pread(long fd, void *to, unsigned long size, uint64_t offset)
{
    return inst_syscall(__NR_pread64, fd, (long)to, size, (long)offset, 0, 0);
}

static inline long inst_fallocate(long fd, uint64_t offset, uint64_t size)
{
    return inst_syscall(__NR_fallocate, fd, 0, (long)offset, (long)size, 0, 0);
}

static inline long inst_ftruncate(long fd, uint64_t size)
{
    return inst_syscall(__NR_ftruncate, fd, (long)size, 0, 0, 0, 0);
}

static inline long inst_fstat(long fd, inst_file_status *status)
{
    return inst_syscall(INST_FSTAT, fd, (long)status, 0, 0, 0, 0);
}

#else

typedef struct elf32_hdr inst_elf_header;
typedef struct elf32_phdr inst_elf_segment;
typedef struct elf32_shdr inst_elf_section;
typedef struct elf32_sym inst_elf_symbol;
typedef struct stat64 inst_file_status;

/* mmap2 counts in units of 4096 bytes, whatever the page. */
static inline long inst_mmap(void *at, unsigned long size, long protection, long flags, long fd,
                             uint64_t offset)
{
    return inst_syscall(__NR_mmap2, (long)at, size, protection, flags, fd, (long)(offset >> 12));
}

/* INST_PWRITE and INST_FTRUNCATE define how 64-bit numbers are passed in registers. */
static inline long inst_pwrite(long fd, const void *from, unsigned long size, uint64_t offset)
{
    return INST_PWRITE(fd, (long)from, size, (long)(offset >> 32), (long)offset);
}

static inline long inst_pread(long fd, void *to, unsigned long size, uint64_t offset)
{
    return INST_PREAD(fd, (long)to, size, (long)(offset >> 32), (long)offset);
}

static inline long inst_fallocate(long fd, uint64_t offset, uint64_t size)
{
    return inst_syscall(__NR_fallocate, fd, 0, (long)(offset >> 32), (long)offset,
                        (long)(size >> 32), (long)size);
}

static inline long inst_ftruncate(long fd, uint64_t size)
{
    return INST_FTRUNCATE(fd, (long)(size >> 32), (long)size);
}

static inline long inst_fstat(long fd, inst_file_status *status)
{
    return inst_syscall(__NR_fstat64, fd, (long)status, 0, 0, 0, 0);
}

#endif

#endif
