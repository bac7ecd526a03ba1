/* A TCG plugin that logs which blocks of the emulated program were executed, in their order.
 *
 *   qemu-ppc -plugin ./blocks.so,out=FILE,only=RANGES,linked=ADDRESS PROGRAM ARGUMENTS...
 *
 * FILE gets records in the host's byte order (`struct record`): of each block that begins in the
 * ranges (ranges.h) its first and last instruction, as linked, and the number of the virtual
 * processor, which is a thread's. A forked child writes nothing. */
#include "qemu_api.h"
#include "ranges.h"

#include <pthread.h>
#include <string.h>

struct record {
    uint64_t first;
    uint32_t last; /* distance from the first */
    uint32_t vcpu;
};

int qemu_plugin_version = 1;

static FILE *out;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static struct ranges only;
static uint64_t linked, bias;
static int bias_known;

static void log_block(unsigned vcpu, void *block)
{
    struct record r = *(struct record *)block;
    r.vcpu = vcpu;
    pthread_mutex_lock(&writing);
    if (out)
        fwrite(&r, sizeof r, 1, out);
    pthread_mutex_unlock(&writing);
}

static void on_block(plugin_id id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);
    uint64_t first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
    (void)id;
    if (!bias_known) {
        bias = qemu_plugin_start_code() - linked;
        bias_known = 1;
    }
    if (!ranges_contain(&only, first - bias))
        return;
    struct record *r = calloc(1, sizeof *r);
    r->first = first - bias;
    r->last = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, count - 1)) - first;
    qemu_plugin_register_vcpu_tb_exec_cb(block, log_block, USES_NO_REGISTERS, r);
}

static void on_exit_program(plugin_id id, void *data)
{
    (void)id, (void)data;
    if (out)
        fclose(out);
    out = NULL;
}

static void in_child(void)
{
    out = NULL;
}

static int take_option(const char *option)
{
    if (!strncmp(option, "only=", 5))
        return ranges_read(&only, option + 5);
    if (!strncmp(option, "out=", 4))
        return (out = fopen(option + 4, "wbe")) ? 0 : -1;
    if (!strncmp(option, "linked=", 7)) {
        linked = strtoull(option + 7, NULL, 16);
        return 0;
    }
    return -1;
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (take_option(argv[i])) {
            fprintf(stderr, "blocks: bad option %s\n", argv[i]);
            return -1;
        }
    pthread_atfork(NULL, NULL, in_child);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_exit_program, NULL);
    return 0;
}
