/* The part of QEMU's TCG plugin interface (version 1) that the plugins here use.
 *
 * Debian's qemu-user loads plugins but ships no header; these declarations are written
 * from the interface's behaviour. QEMU exports the functions from its own executable. */
#ifndef QEMU_API_H
#define QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;
typedef uint32_t access_info; /* opaque: size, sign, byte order, direction */

struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum registers_used { USES_NO_REGISTERS = 0 };
enum access_filter { ALL_ACCESSES = 3 };
enum inline_operation { ADD_U64 = 0 };

typedef void (*block_callback)(plugin_id, struct qemu_plugin_tb *);
typedef void (*access_callback)(unsigned vcpu, access_info, uint64_t address, void *data);
typedef void (*execution_callback)(unsigned vcpu, void *data);
typedef void (*system_call_callback)(plugin_id, unsigned vcpu, int64_t number, uint64_t, uint64_t,
                                     uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
typedef void (*exit_callback)(plugin_id, void *data);

__attribute__((visibility("default"))) extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(
    plugin_id, const struct qemu_info *, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, block_callback);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id, system_call_callback);
void qemu_plugin_register_atexit_cb(plugin_id, exit_callback, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, access_callback,
                                      enum registers_used, enum access_filter, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, execution_callback,
                                            enum registers_used, void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, execution_callback,
                                          enum registers_used, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *,
                                                enum inline_operation, void *, uint64_t);

unsigned qemu_plugin_mem_size_shift(access_info);
bool qemu_plugin_mem_is_store(access_info);
uint64_t qemu_plugin_start_code(void);

#endif
