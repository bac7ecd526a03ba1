/* Write accesses: mem-read and mem-write with address, value, size and place. */
#include "sexp.h"

#include <inst/order.h>

enum { STORES = 0x100 };

/* A cached result for a site: its pc, and in its lowest bits ORDER_PLAIN or ORDER_RELEASE. */
enum { ORDER_PLAIN = 1, ORDER_RELEASE = 2, SITES = 1024 };
static inst_address site_orders[SITES];

/* Decode the code around a store at its first event. */
__attribute__((used)) inst_address sexp_order_body(inst_address pc)
{
    inst_address order = inst_is_release((const uint32_t *)pc) ? ORDER_RELEASE : ORDER_PLAIN;
    return site_orders[pc / 4 % SITES] = pc | order;
}
inst_address sexp_order(inst_address pc);
INST_PRESERVING(sexp_order);

ALWAYS int is_release(inst_address pc)
{
    inst_address known = site_orders[pc / 4 % SITES];
    if (inst_unlikely((known & ~(inst_address)3) != pc))
        known = sexp_order(pc);
    return known & ORDER_RELEASE;
}

ALWAYS unsigned char *write_event(unsigned char *at, inst_address address, inst_address pc,
                                  uint32_t high, uint32_t low, uint32_t what, uint32_t id)
{
    unsigned char *start = at;
    uint32_t size = what & (STORES - 1);
    if (what & STORES) {
        at = put_start(at, "mem-write", id);
        if (inst_unlikely(is_release(pc)))
            at = put_text(at, " (mem-order release)");
        else
            at = put_text(at, " (mem-order plain)");
    } else {
        at = put_start(at, "mem-read", id);
    }
    at = put_address(put_text(at, " (address "), address);
    at = put_hexadecimal(put_text(at, ") (value "), high, low);
    if (size != 8) {
        at = put_text(at, ") (size ");
        *at++ = '0' + size;
    }
    at = put_address(put_text(at, ") (src "), pc);
    return put_ends(at, start);
}

/* The first event of a chunk, or one that interrupted another. */
__attribute__((used)) void sexp_slow_body(inst_address address, inst_address pc, uint32_t high,
                                          uint32_t low, uint32_t what)
{
    if (!inst_wanted(address, what & (STORES - 1)))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_event(at, address, pc, high, low, what, inst_slow_id()));
}

/* Events of a signal handler interrupted this one: it is complete, or has to be written again. */
__attribute__((used)) void sexp_retry_body(unsigned char *at, inst_address address,
                                           inst_address pc, uint32_t high, uint32_t low,
                                           uint32_t what)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_event(at, address, pc, high, low, what, inst_slow_id()) : 0);
}

void sexp_slow(inst_address address, inst_address pc, uint32_t high, uint32_t low, uint32_t what);
INST_PRESERVING(sexp_slow);
void sexp_retry(unsigned char *at, inst_address address, inst_address pc, uint32_t high,
                uint32_t low, uint32_t what);
INST_PRESERVING(sexp_retry);

ALWAYS void event(inst_address address, inst_address pc, uint32_t high, uint32_t low,
                  uint32_t what)
{
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        if (!inst_skips())
            sexp_slow(address, pc, high, low, what);
        return;
    }
    uint32_t id = inst_thread.next_id;
    unsigned char *end = write_event(at, address, pc, high, low, what, id);
    inst_thread.next_id = id + 1;
    if (inst_unlikely(inst_commit(end)))
        sexp_retry(at, address, pc, high, low, what);
}

#define SMALL(NAME, WHAT)                                                   \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        event(address, pc, 0, value, WHAT);                                 \
    }
SMALL(ldbhook, 1)
SMALL(ldhhook, 2)
SMALL(ldwhook, 4)
SMALL(stbhook, 1 | STORES)
SMALL(sthhook, 2 | STORES)
SMALL(stwhook, 4 | STORES)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8);
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    event(address, pc, value >> 32, value, 8 | STORES);
}

/* A value has 64 bits at most: two records. */
void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event(address, pc, high >> 32, high, 8);
    event(address + 8, pc, low >> 32, low, 8);
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event(address, pc, high >> 32, high, 8 | STORES);
    event(address + 8, pc, low >> 32, low, 8 | STORES);
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *start = inst_place_slow();
    unsigned char *at = put_start(start, "mem-reserve", inst_slow_id());
    at = put_short_address(put_text(at, " (address "), address);
    at = put_decimal(put_text(at, ") (size "), size);
    at = put_short_address(put_text(at, ") (src "), pc);
    inst_commit_slow(put_ends(at, start));
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *start = inst_place_slow();
    unsigned char *at = put_start(start, "mem-set", inst_slow_id());
    at = put_short_address(put_text(at, " (address "), address);
    at = put_short_address(put_text(at, ") (size "), size);
    at = put_short_address(put_text(at, ") (value 0x0) (src "), pc);
    inst_commit_slow(put_ends(at, start));
}
