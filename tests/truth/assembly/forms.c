/* Calls every function of a target's file with both flags; prints what it did. */
#include <stdio.h>

#define DISTANCES(X)                                                                       \
    X(distance_here) X(distance_location) X(distance_over) X(distance_behind)              \
    X(distance_passed) X(distance_entered) X(distance_called) X(distance_probed)           \
    X(distance_returned) X(distance_either) X(distance_never) X(distance_window)           \
    X(distance_back) X(distance_jumped) X(distance_loaded) X(distance_between)             \
    X(target_counted) X(target_here) X(natural_width) X(frame_compared)

#define BODIES(X) X(body_copy) X(body_loop) X(body_choice)

#if defined QUADS
#define EACH(X) X(form_longer_quad)
#elif defined LONGER
#define EACH(X)                                                                            \
    X(form_longer_general) X(form_longer_relative) X(form_longer_floating)                 \
    X(form_longer_scalar) X(form_longer_vector) X(form_longer_pair)
#elif defined __arch64__
#define EACH(X)                                                                            \
    X(form_plain) X(form_atomic) X(form_space) X(form_floating) X(form_block)              \
    X(form_registers) X(form_return) X(form_link) DISTANCES(X) BODIES(X)
#elif defined __powerpc64__
#define EACH(X)                                                                            \
    X(form_double) X(form_reserve) X(form_vector) X(form_vsx) X(form_own_index) X(form_below) \
    X(form_table) X(form_floating) X(form_block) X(form_overflow)    \
    X(form_operands) X(form_counted) X(form_measured) BODIES(X)
#elif defined __sparc__
#define EACH(X)                                                                            \
    X(slot_always) X(slot_always_store) X(slot_annulled) X(slot_annulled_store)            \
    X(slot_never) X(slot_carry) X(slot_call) X(slot_pointer) X(slot_leaf_link)             \
    X(slot_overwritten) X(slot_atomic) X(slot_multiply) X(slot_floating) X(slot_labelled)  \
    X(slot_couple) X(slot_couple_annulled) X(slot_couple_always) X(slot_couple_counted) \
    X(slot_difference) \
    DISTANCES(X) BODIES(X)
#else
#define EACH(X)                                                                            \
    X(form_plain) X(form_update) X(form_indexed) X(form_overwritten) X(form_conditions)    \
    X(form_multiple) X(form_string) X(form_reversed) X(form_floating) X(form_atomic)       \
    X(form_zero) X(form_loop) X(form_counted) X(form_pressure) X(form_own_index) X(form_overflow) \
    X(form_measured) BODIES(X)
#endif

#define DECLARE(name) int name(int flag, int *words);
EACH(DECLARE)

static const struct {
    const char *name;
    int (*function)(int, int *);
} functions[] = {
#define ROW(name) {#name, name},
    EACH(ROW)
};

int main(void)
{
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        for (int flag = 0; flag < 2; flag++) {
            static _Alignas(64) int words[32];
            for (int n = 0; n < 32; n++)
                words[n] = 0x01020304 * (n + 1);
            int result = functions[i].function(flag, words);
#if defined __sparc__ && !defined __arch64__
            words[10] = 0; /* a return address: differs with the build */
#endif
            printf("%s(%d) = %d:", functions[i].name, flag, result);
            for (int n = 0; n < 32; n++)
                printf(" %x", (unsigned)words[n]);
            putchar('\n');
        }
    }
    return 0;
}
