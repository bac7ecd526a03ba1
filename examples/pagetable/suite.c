/* The regression suite of the page-table manager.  `suite` is correct; `suite BUG` has one bug,
   which no assertion detects, but the checker does.  */
#include "pagetable.h"

#include <stdio.h>
#include <string.h>

#include <inst/annotate.h>

static const char *const names[BUGS] = {
    [NO_BUG] = "none",
    [MISSING_TLBI] = "missing-tlbi",
    [MISSING_DSB_BEFORE] = "missing-dsb-before",
    [MISSING_DSB_AFTER] = "missing-dsb-after",
    [REPLACED_IN_PLACE] = "replaced-in-place",
    [TLBI_FIRST] = "tlbi-first",
    [WRONG_LOCK] = "wrong-lock",
    [NO_LOCK] = "no-lock",
    [LOCK_UNKNOWN] = "lock-unknown",
    [TWO_PLAIN_WRITES] = "two-plain-writes",
    [FREED_TOO_EARLY] = "freed-too-early",
    [NOT_INITIALISED] = "not-initialised",
    [WRONG_ENCODING] = "wrong-encoding",
    [SAME_ID] = "same-id",
    [RELEASED_IN_USE] = "released-in-use",
    [LOCAL_BARRIER] = "local-barrier",
    [LOCAL_TLBI] = "local-tlbi",
    [USED_TWICE] = "used-twice",
    [CHANGED_BELOW] = "changed-below",
    [UNLOCKED_TWICE] = "unlocked-twice",
    [WRONG_SHIFT] = "wrong-shift",
};

#define MEGABYTE 0x100000ull
#define GUEST 0x80000000ull
#define HOST 0x4000000000ull        /* above what 32 bits hold */

static struct space one, other;
static int failures;

static void expect(const char *what, uint64_t found, uint64_t expected)
{
    if (found != expected) {
        printf("%s: %llx, not %llx\n", what, (unsigned long long)found,
               (unsigned long long)expected);
        failures++;
    }
}

static void with_lock(struct space *space, void (*test)(struct space *))
{
    struct space *locked = bug == WRONG_LOCK ? &other : space;
    if (bug != NO_LOCK)
        space_lock(locked);
    test(space);
    if (bug != NO_LOCK)
        space_unlock(locked);
}

static void test_map(struct space *space)
{
    for (unsigned n = 0; n < 4; n++)
        map_page(space, GUEST + n * PAGE, HOST + n * PAGE, READ | WRITE);
    map_page(space, GUEST + 16 * MEGABYTE, HOST + 16 * MEGABYTE, READ);
    expect("mapped", translate(space, GUEST + 2 * PAGE + 5), HOST + 2 * PAGE + 5);
    expect("not mapped", translate(space, GUEST + 4 * PAGE), ~0ull);
}

static void test_remap(struct space *space)
{
    remap(space, GUEST + PAGE, HOST + MEGABYTE, READ);
    expect("mapped elsewhere", translate(space, GUEST + PAGE), HOST + MEGABYTE);
    protect(space, GUEST + PAGE, READ | WRITE);
    expect("other permissions", translate(space, GUEST + PAGE), HOST + MEGABYTE);
}

static void test_unmap(struct space *space)
{
    for (unsigned n = 0; n < 4; n++)
        unmap(space, GUEST + n * PAGE);
    expect("no longer mapped", translate(space, GUEST + PAGE), ~0ull);
    prune(space, GUEST);
    map_page(space, GUEST, HOST, READ);
    expect("mapped anew", translate(space, GUEST), HOST);
}

static void test_block(struct space *space)
{
    map_block(space, GUEST + 4 * MEGABYTE, HOST + 4 * MEGABYTE, READ);
    expect("in a block", translate(space, GUEST + 5 * MEGABYTE), HOST + 5 * MEGABYTE);
    split_block(space, GUEST + 4 * MEGABYTE);
    expect("in a page", translate(space, GUEST + 5 * MEGABYTE), HOST + 5 * MEGABYTE);
}

static void test_switch(void)
{
    space_create(&other, bug == SAME_ID ? 1 : 2);
    if (bug != RELEASED_IN_USE)
        space_install(&other);
    with_lock(&other, test_map);
    space_release(&one);
    expect("the other space", translate(&other, GUEST), HOST);
}

int main(int count, char **arguments)
{
    for (int n = 0; count > 1 && n < BUGS; n++)
        if (!strcmp(arguments[1], names[n]))
            bug = n;
    INST_SYSREG("vtcr_el2", 64 - 39);
    space_create(&one, 1);
    space_install(&one);
    with_lock(&one, test_map);
    with_lock(&one, test_remap);
    with_lock(&one, test_unmap);
    with_lock(&one, test_block);
    test_switch();
    printf("%d failures\n", failures);
    return failures != 0;
}
