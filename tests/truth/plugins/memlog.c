/* A TCG plugin that logs every data access of the emulated program, in execution order.
 *
 *   qemu-ppc -plugin ./memlog.so,out=FILE[,OPTION...] PROGRAM ARGUMENTS...
 *
 *   only=RANGES      log instructions in these ranges (ranges.h; addresses as linked)
 *   linked=ADDRESS   link-time address of the first executable segment, so that ranges of a
 *                    position-independent program are found where it was loaded
 *   beyond=ADDRESS   link-time end of the program: with `only`, log what lies outside too
 *   word=MASK:VALUE  log the execution of instructions with this word (may be repeated)
 *   third=CALL:SIZE  system call CALL (hexadecimal, as SIZE) writes SIZE bytes where its third
 *                    argument points, unless that is 0, and no other memory (may be repeated):
 *                    logged as a store with pc 1
 *
 * FILE gets a stream of 24-byte records in the host's byte order (`struct record`). Records
 * of size 0 are no accesses: the first says in `pc` where the code was loaded; a system call
 * has pc 0 and its number in `address`; the rest are executions that `word` asked for (`store`
 * is the number of the option: 0 for the first), since QEMU 7.2 does not report what its helper functions access (PowerPC lmw, stmw, lswi, stswi,
 * lswx, stswx, dcbz). A forked child writes to FILE.PID. */
#include "qemu_api.h"
#include "ranges.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct record {
    uint64_t pc, address;
    uint32_t vcpu;
    uint16_t size;
    uint16_t store;
};

enum { BATCH = 8192, THREADS = 256, WORDS = 32, PAGE = 4096 };

struct buffer {
    size_t count;
    struct record at[BATCH];
};

int qemu_plugin_version = 1;

static struct buffer *buffers[THREADS];
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static int descriptor = -1;
static char out_path[4096];
static struct ranges only;
static int restricted;
static struct { uint32_t mask, value; } words[WORDS];
static struct { int64_t number; unsigned size; } thirds[WORDS];
static int third_count;
static size_t word_count;
static uint64_t linked, beyond, bias;
static int linked_given, bias_known;
static uint64_t running[THREADS];
static uint64_t written;
static const uint64_t most = (uint64_t)8 << 30; /* a program that does not end fills no disk */

static void write_all(const void *data, size_t size)
{
    const char *from = data;
    pthread_mutex_lock(&writing);
    if ((written += size) > most) {
        fprintf(stderr, "memlog: more than 8 GiB in %s\n", out_path);
        abort();
    }
    while (size) {
        ssize_t done = write(descriptor, from, size);
        if (done <= 0) {
            fprintf(stderr, "memlog: cannot write %s\n", out_path);
            abort();
        }
        from += done;
        size -= done;
    }
    pthread_mutex_unlock(&writing);
}

static void flush(struct buffer *b)
{
    write_all(b->at, b->count * sizeof b->at[0]);
    b->count = 0;
}

static struct record *next_record(unsigned vcpu, void *pc)
{
    struct buffer *b = buffers[vcpu % THREADS];
    struct record *r;
    if (!b)
        b = buffers[vcpu % THREADS] = calloc(1, sizeof *b);
    if (b->count == BATCH)
        flush(b);
    r = &b->at[b->count++];
    r->pc = (uintptr_t)pc;
    r->vcpu = vcpu;
    return r;
}

/* An instruction at the end of a page ends its block, and QEMU 7.2 forgets to take back that
 * accesses are its own: what helper functions do for other code later would be logged as its.
 * So such an instruction is logged when it runs, and the block after it, which runs next. */
static int ends_page(uint64_t pc)
{
    return (pc & (PAGE - 1)) == PAGE - 4;
}

static void begin_last_of_page(unsigned vcpu, void *pc)
{
    running[vcpu % THREADS] = (uintptr_t)pc;
}

static void begin_page(unsigned vcpu, void *data)
{
    (void)data;
    running[vcpu % THREADS] = 0;
}

static void log_access(unsigned vcpu, access_info info, uint64_t address, void *pc)
{
    struct record *r;
    if (ends_page((uintptr_t)pc) && running[vcpu % THREADS] != (uintptr_t)pc)
        return;
    r = next_record(vcpu, pc);
    r->address = address;
    r->size = 1u << qemu_plugin_mem_size_shift(info);
    r->store = qemu_plugin_mem_is_store(info);
}

/* The number of the word is in the highest byte: no program has code there. */
static void log_execution(unsigned vcpu, void *numbered_pc)
{
    uint64_t pc = (uintptr_t)numbered_pc;
    struct record *r = next_record(vcpu, (void *)(uintptr_t)(pc << 8 >> 8));
    r->address = 0;
    r->size = 0;
    r->store = pc >> 56;
}

static void log_system_call(plugin_id id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b,
                            uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)a, (void)b, (void)d, (void)e, (void)f, (void)g, (void)h;
    for (int n = 0; n < third_count; n++)
        if (thirds[n].number == number) {
            if (c) {
                struct record *written = next_record(vcpu, (void *)(uintptr_t)1);
                written->address = c >> 32 == 0xffffffff ? (uint32_t)c : c;
                written->size = thirds[n].size;
                written->store = 1;
            }
            return;
        }
    struct record *r = next_record(vcpu, NULL);
    r->address = number;
    r->size = r->store = 0;
}

/* The image's place is known once its first block is translated, not at installation. */
static void find_bias(void)
{
    struct record first = {.pc = qemu_plugin_start_code()};
    bias = linked_given ? first.pc - linked : 0;
    bias_known = 1;
    write_all(&first, sizeof first);
}

static int wanted(uint64_t pc)
{
    uint64_t address = pc - bias;
    if (!restricted || ranges_contain(&only, address))
        return 1;
    return beyond && (address < linked || address >= beyond);
}

/* Returns the number of the option that asks for an instruction, or -1. */
static int wanted_word(const struct qemu_plugin_insn *insn)
{
    const unsigned char *at = qemu_plugin_insn_data(insn);
    uint32_t word = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
    for (size_t i = 0; i < word_count; i++)
        if ((word & words[i].mask) == words[i].value)
            return i;
    return -1;
}

static void on_block(plugin_id id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);
    (void)id;
    if (!bias_known)
        find_bias();
    if (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)) % PAGE == 0)
        qemu_plugin_register_vcpu_tb_exec_cb(block, begin_page, USES_NO_REGISTERS, NULL);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);
        if (!wanted(pc))
            continue;
        int number = wanted_word(insn);
        if (number >= 0)
            qemu_plugin_register_vcpu_insn_exec_cb(
                insn, log_execution, USES_NO_REGISTERS,
                (void *)(uintptr_t)(pc | (uint64_t)number << 56));
        if (ends_page(pc))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_last_of_page, USES_NO_REGISTERS,
                                                   (void *)(uintptr_t)pc);
        /* QEMU 7.2 gets the filter wrong: take all, each access knows its direction. */
        qemu_plugin_register_vcpu_mem_cb(insn, log_access, USES_NO_REGISTERS, ALL_ACCESSES,
                                         (void *)(uintptr_t)pc);
    }
}

static void on_exit_program(plugin_id id, void *data)
{
    (void)id, (void)data;
    for (int i = 0; i < THREADS; i++)
        if (buffers[i])
            flush(buffers[i]);
}

/* What the parent had not written yet is the parent's to write. */
static void in_child(void)
{
    char path[sizeof out_path + 16];
    snprintf(path, sizeof path, "%s.%d", out_path, (int)getpid());
    close(descriptor);
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    for (int i = 0; i < THREADS; i++)
        if (buffers[i])
            buffers[i]->count = 0;
    bias_known = 0;
    find_bias();
}

static int take_option(const char *option)
{
    if (!strncmp(option, "out=", 4)) {
        snprintf(out_path, sizeof out_path, "%s", option + 4);
        descriptor = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        return descriptor < 0 ? -1 : 0;
    }
    if (!strncmp(option, "only=", 5)) {
        restricted = 1;
        return ranges_read(&only, option + 5);
    }
    if (!strncmp(option, "word=", 5)) {
        unsigned mask, value;
        if (word_count == WORDS || sscanf(option + 5, "%x:%x", &mask, &value) != 2)
            return -1;
        words[word_count].mask = mask;
        words[word_count++].value = value;
        return 0;
    }
    if (!strncmp(option, "third=", 6)) {
        unsigned number, size;
        if (third_count == WORDS || sscanf(option + 6, "%x:%x", &number, &size) != 2)
            return -1;
        thirds[third_count].number = number;
        thirds[third_count++].size = size;
        return 0;
    }
    if (!strncmp(option, "beyond=", 7)) {
        beyond = strtoull(option + 7, NULL, 16);
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
            fprintf(stderr, "memlog: bad option %s\n", argv[i]);
            return -1;
        }
    if (descriptor < 0) {
        fprintf(stderr, "memlog: no out=FILE\n");
        return -1;
    }
    pthread_atfork(NULL, NULL, in_child);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_vcpu_syscall_cb(id, log_system_call);
    qemu_plugin_register_atexit_cb(id, on_exit_program, NULL);
    return 0;
}
