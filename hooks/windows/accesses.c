/* Loads and stores: which values are written, and which accesses have records in any case. */
#include "windows.h"

#ifndef __PIE__
#include "../rst/accesses.c"
#else

/* What writes records, where the hooks of this library have their names. */
#define ldbhook record_ldb
#define ldhhook record_ldh
#define ldwhook record_ldw
#define lddhook record_ldd
#define stbhook record_stb
#define sthhook record_sth
#define stwhook record_stw
#define stdhook record_std
#include "../rst/accesses.c"
#undef ldbhook
#undef ldhhook
#undef ldwhook
#undef lddhook
#undef stbhook
#undef sthhook
#undef stwhook
#undef stdhook

#include "table.h"
#include "value.h"

/* Return whether a load is left out: counted, and no more.  A signal's handler may come anywhere and use the
   table, so what was found in it counts only if none came. */
ALWAYS int left_out(inst_address address, uint64_t value, unsigned size)
{
    const struct inst_learned *window = &inst_learned;
    const struct inst_block *block = inst_thread.block;
    if (inst_unlikely(window->busy || window->block != block || !window->table))
        return 0;
    const volatile uint32_t *serial = &block->part.serial;
    uint32_t before = *serial;
    uintptr_t *count = *(uintptr_t *const volatile *)&block->part.left_out;
    inst_ordered();
    int is_known = count && knows(window->table, address, value, size);
    inst_ordered();
    if (inst_unlikely(!is_known || *serial != before))
        return 0;
    *(volatile uintptr_t *)count += 1;
    return 1;
}

/* A load that is not left out. */
__attribute__((used)) void window_load_body(inst_address address, uint32_t high, uint32_t low,
                                            uint32_t size)
{
    struct inst_learned *window = &inst_learned;
    uint64_t value = (uint64_t)high << 32 | low;
    if (interrupts(window, address, size)) {
        write_value(value, size);
        return;
    }
    begin(window);
    write_value(value, size);
    learn(window->table, address, value, size);
    end(window);
}
void window_load(inst_address address, uint32_t high, uint32_t low, uint32_t size);
INST_PRESERVING(window_load);

/* A store for which the table has to be made ready. */
__attribute__((used)) void window_store_body(inst_address address, uint32_t high, uint32_t low,
                                             uint32_t size)
{
    struct inst_learned *window = &inst_learned;
    if (interrupts(window, address, size))
        return;
    begin(window);
    learn(window->table, address, (uint64_t)high << 32 | low, size);
    end(window);
}
void window_store(inst_address address, uint32_t high, uint32_t low, uint32_t size);
INST_PRESERVING(window_store);

/* The end of a store during which a handler came, or, with an address, for which the table was not ready. */
__attribute__((used)) void window_end_body(inst_address address, uint32_t high, uint32_t low,
                                           uint32_t size)
{
    end(&inst_learned);
    if (address)
        window_store_body(address, high, low, size);
}
void window_end(inst_address address, uint32_t high, uint32_t low, uint32_t size);
INST_PRESERVING(window_end);

/* Functions of this file can be jumped to, so that a hook has no frame. */
static __attribute__((noinline, noclone, cold)) void load_slowly(
    inst_address address, uint32_t high, uint32_t low, uint32_t size)
{
    window_load(address, high, low, size);
}

static __attribute__((noinline, noclone, cold)) void store_slowly(
    inst_address address, uint32_t high, uint32_t low, uint32_t size)
{
    window_store(address, high, low, size);
}

static __attribute__((noinline, noclone, cold)) void end_slowly(
    inst_address address, uint32_t high, uint32_t low, uint32_t size)
{
    window_end(address, high, low, size);
}

ALWAYS void load(inst_address address, uint64_t value, unsigned size)
{
    if (inst_unlikely(!left_out(address, value, size)))
        load_slowly(address, value >> 32, value, size);
}

ALWAYS void store(inst_address address, uint64_t value, unsigned size)
{
    struct inst_learned *window = &inst_learned;
    if (inst_unlikely(window->busy || window->block != inst_thread.block || !window->table)) {
        store_slowly(address, value >> 32, value, size);
        return;
    }
    uintptr_t own = inst_stack();
    inst_store_stack(&window->busy);
    inst_ordered();
    int is_done = keeps(window->table, address, value, size);
    inst_ordered();
    if (inst_unlikely(!is_done || window->busy != own)) {
        end_slowly(is_done ? 0 : address, value >> 32, value, size);
        return;
    }
    window->busy = 0;
}

#define HOOKS(NAME, TYPE, SIZE)                                                  \
    void ld##NAME##hook(inst_address address, inst_address pc, TYPE value)       \
    {                                                                            \
        (void)pc;                                                                \
        load(address, value, SIZE);                                              \
    }                                                                            \
    void st##NAME##hook(inst_address address, inst_address pc, TYPE value)       \
    {                                                                            \
        (void)pc;                                                                \
        store(address, value, SIZE);                                             \
    }
HOOKS(b, uint32_t, 1)
HOOKS(h, uint32_t, 2)
HOOKS(w, uint32_t, 4)
HOOKS(d, uint64_t, 8)

/* Those of which none is left out.  The table need not know of them: re-execution has one like it, which does not
   either. */
void inst_recorded_access(int stores, unsigned size, inst_address address, inst_address pc,
                          uint64_t value, uint64_t low)
{
    if (size == 16)
        (stores ? stqhook : ldqhook)(address, pc, value, low);
    else if (size == 8)
        (stores ? record_std : record_ldd)(address, pc, value);
    else if (size == 4)
        (stores ? record_stw : record_ldw)(address, pc, value);
    else if (size == 2)
        (stores ? record_sth : record_ldh)(address, pc, value & 0xffff);
    else if (size == 1)
        (stores ? record_stb : record_ldb)(address, pc, value & 0xff);
}
#endif
