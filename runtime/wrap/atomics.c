/* How atomic operations that are functions of libatomic order threads, and what they read and write.

   The order is that of the arguments.  A relaxed operation is also ordered by a fence beside it, which
   is an instruction of the caller: its code is searched for one.  Where the caller is not known, since
   the call is the last thing that a function did or goes through a pointer, the operation counts as
   ordered: that may hide a race, and reports none falsely.  */
#include <inst/atomics.h>
#include <inst/order.h>
#include <inst/wrap.h>
#include <call.h>

enum { LARGEST_PART = 8, AHEAD = 128, TARGETS = 16, ENTRY = 16, ORDER = 15 };

/* Recordings without calls have stores of their own between those of the program. */
extern const char inst_room[] __attribute__((weak, visibility("hidden")));

/* Return whether a call goes to a function directly, so that the code around it is the caller's. */
static int calls(const uint32_t *call, const void *function)
{
    uintptr_t code = (uintptr_t)inst_code_of(function);
    return inst_is_call(*call) && inst_call_target(call) - code < ENTRY;
}

/* Return whether a barrier precedes a call, with no store of the program's between, but on the
   stack. */
static int follows_fence(const uint32_t *call)
{
    for (const uint32_t *at = call - 1; at >= call - INST_ORDER_REACH; at--) {
        const uint32_t *target = 0;
        if (inst_is_barrier(at))
            return 1;
        if (!inst_goes_on(at, &target) || (!inst_room && inst_stores(at)))
            return 0;
    }
    return 0;
}

/* Return whether control can go from a call to a barrier before the function returns. */
static int precedes_fence(const uint32_t *call)
{
    const uint32_t *targets[TARGETS] = { call + INST_CALL_WORDS };
    unsigned count = 1;
    for (unsigned done = 0, left = AHEAD; done < count; done++)
        for (const uint32_t *at = targets[done]; left; at++, left--) {
            const uint32_t *target = 0;
            int straight = inst_goes_on(at, &target);
            unsigned known = 0;
            while (target && known < count && targets[known] != target)
                known++;
            if (inst_is_barrier(at))
                return 1;
            if (target && known == count && count < TARGETS)
                targets[count++] = target;
            if (!straight)
                break;
        }
    return 0;
}

static int releases(int order)
{
    order &= ORDER;
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static int acquires(int order)
{
    order &= ORDER;
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static int acquires_here(const struct inst_atomic *atomic, int order)
{
    const uint32_t *call = (const uint32_t *)atomic->place;
    return acquires(order) || !calls(call, atomic->function) || precedes_fence(call);
}

void inst_atomic_begins(struct inst_atomic *atomic, const volatile void *address, size_t size,
                        int order, const void *function, void *returns_to)
{
    const uint32_t *call = (const uint32_t *)inst_call_address(returns_to);
    *atomic = (struct inst_atomic){ (uintptr_t)address, (uintptr_t)call, size, function, 0, 0, 0 };
    inst_report_operation(1);
    atomic->releases = releases(order) || !calls(call, function) || follows_fence(call);
    atomic->acquires = acquires_here(atomic, order);
}

/* Return how many bytes of an object are reported at once: a power of two, aligned. */
static unsigned part_of(uintptr_t address, size_t left)
{
    unsigned part = LARGEST_PART;
    while (part > left || address & (part - 1))
        part /= 2;
    return part;
}

void inst_atomic_update_begins(struct inst_atomic *atomic, const volatile void *address, size_t size,
                               int order, const void *function, void *returns_to)
{
    inst_atomic_begins(atomic, address, size, order, function, returns_to);
    atomic->updates = 1;
    if (!atomic->releases)
        return;
    for (size_t done = 0; done < size;) {
        unsigned part = part_of(atomic->address + done, size - done);
        inst_report_order(part, atomic->address + done, "release");
        done += part;
    }
}

void inst_atomic_failed(struct inst_atomic *atomic, int order)
{
    atomic->acquires = acquires_here(atomic, order);
}

/* Return the number that some bytes of memory hold. */
static uint64_t number_in(const unsigned char *bytes, unsigned size)
{
    uint64_t number = 0;
    for (unsigned n = 0; n < size; n++)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        number = number << 8 | bytes[n];
#else
        number |= (uint64_t)bytes[n] << 8 * n;
#endif
    return number;
}

static void report(const struct inst_atomic *atomic, int writes, const void *value, const char *how)
{
    for (size_t done = 0; done < atomic->size;) {
        uintptr_t address = atomic->address + done;
        unsigned part = part_of(address, atomic->size - done);
        if (how)
            inst_report_order(part, address, how);
        inst_report_access(writes, address, part,
                           number_in((const unsigned char *)value + done, part), atomic->place);
        done += part;
    }
}

void inst_atomic_reads(const struct inst_atomic *atomic, const void *value)
{
    report(atomic, 0, value, atomic->acquires ? "acquire" : "relaxed");
}

void inst_atomic_writes(const struct inst_atomic *atomic, const void *value)
{
    report(atomic, 1, value, atomic->updates ? 0 : atomic->releases ? "release" : "relaxed");
}

void inst_atomic_ends(void)
{
    inst_report_operation(0);
}
