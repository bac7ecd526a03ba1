/* A TCG plugin that counts the instructions the emulated program executes.
 *
 *   qemu-ppc -plugin ./insncount.so,out=FILE[,only=RANGES][,linked=ADDRESS] PROGRAM
 *
 * FILE gets two lines, `all N` and `only N`: all instructions, and those within the ranges
 * (memlog.c says how they are given). Counters are inline and not atomic: exact for one
 * thread, near enough for several. A forked child writes nothing. */
#include "qemu_api.h"
#include "ranges.h"

#include <pthread.h>
#include <string.h>

int qemu_plugin_version = 1;

static uint64_t count_all, count_only;
static char out_path[4096];
static struct ranges only;
static uint64_t linked, bias;
static int linked_given, bias_known;

static void on_block(plugin_id id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);
    (void)id;
    if (!bias_known) {
        bias = linked_given ? qemu_plugin_start_code() - linked : 0;
        bias_known = 1;
    }
    /* One addition an instruction, not one a block: a block may be left in its middle. */
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, &count_all, 1);
        if (only.count && ranges_contain(&only, qemu_plugin_insn_vaddr(insn) - bias))
            qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, &count_only, 1);
    }
}

static void on_exit_program(plugin_id id, void *data)
{
    FILE *file = *out_path ? fopen(out_path, "w") : NULL;
    (void)id, (void)data;
    if (!file)
        return;
    fprintf(file, "all %llu\nonly %llu\n", (unsigned long long)count_all,
            (unsigned long long)count_only);
    fclose(file);
}

static void in_child(void)
{
    *out_path = 0;
}

static int take_option(const char *option)
{
    if (!strncmp(option, "only=", 5))
        return ranges_read(&only, option + 5);
    if (!strncmp(option, "out=", 4)) {
        snprintf(out_path, sizeof out_path, "%s", option + 4);
        return 0;
    }
    if (!strncmp(option, "linked=", 7)) {
        linked = strtoull(option + 7, NULL, 16);
        linked_given = 1;
        return 0;
    }
    return -1;
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (take_option(argv[i])) {
            fprintf(stderr, "insncount: bad option %s\n", argv[i]);
            return -1;
        }
    pthread_atfork(NULL, NULL, in_child);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_exit_program, NULL);
    return 0;
}
