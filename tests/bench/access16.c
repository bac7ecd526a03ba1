/* A TCG plugin that writes 16 bytes for each data access of the emulated program.
 *
 *   qemu-ppc -plugin ./access16.so,out=FILE PROGRAM ARGUMENTS...
 *
 * FILE gets the address, and a word of the pc (lowest 56 bits), the size's logarithm and the
 * direction (highest byte), both in the host's byte order: no values. */
#include "qemu_api.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    uint64_t address, what;
};

enum { BATCH = 8192, THREADS = 256 };

struct buffer {
    size_t count;
    struct record at[BATCH];
};

int qemu_plugin_version = 1;

static struct buffer *buffers[THREADS];
static int descriptor = -1;

static void flush(struct buffer *buffer)
{
    const char *from = (const char *)buffer->at;
    size_t size = buffer->count * sizeof buffer->at[0];
    while (size) {
        ssize_t done = write(descriptor, from, size);
        if (done <= 0) {
            fprintf(stderr, "access16: cannot write\n");
            abort();
        }
        from += done;
        size -= done;
    }
    buffer->count = 0;
}

static void record_access(unsigned vcpu, access_info info, uint64_t address, void *pc)
{
    struct buffer *buffer = buffers[vcpu % THREADS];
    if (!buffer)
        buffer = buffers[vcpu % THREADS] = calloc(1, sizeof *buffer);
    if (buffer->count == BATCH)
        flush(buffer);
    uint64_t kind = qemu_plugin_mem_size_shift(info) | qemu_plugin_mem_is_store(info) << 7;
    buffer->at[buffer->count++] = (struct record){address, (uintptr_t)pc | kind << 56};
}

static void on_block(plugin_id id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);
    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_mem_cb(insn, record_access, USES_NO_REGISTERS, ALL_ACCESSES,
                                         (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
    }
}

static void on_exit_program(plugin_id id, void *data)
{
    (void)id, (void)data;
    for (int i = 0; i < THREADS; i++)
        if (buffers[i])
            flush(buffers[i]);
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], "out=", 4))
            descriptor = open(argv[i] + 4, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        fprintf(stderr, "access16: no out=FILE\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_exit_program, NULL);
    return 0;
}
