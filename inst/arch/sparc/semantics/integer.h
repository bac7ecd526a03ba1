/* Names and functions of SPARC's statements. Integer registers have 64 bits in every program. */

#define F1 W(18, 14)
#define F2 W(4, 0)
#define FD W(29, 25)
#define SIGNED(bits) ((u64)((s64)((u64)d->word << (64 - (bits))) >> (64 - (bits))))
#define OFFSET(bits) (SIGNED(bits) << 2)
#define OFFSET16 ((u64)((s64)((u64)(W(21, 20) << 14 | W(13, 0)) << 48) >> 46))
#define A s->g[F1]
#define B (IMMEDIATE ? SIGNED(13) : s->g[F2])
#define UNDEFINED STOP(UNKNOWN_INSTRUCTION)
#define BEGIN_RUN
#define END_RUN

/* The result of an instruction, after all that its operands are read for. */
#define TO_RD(value)             \
    do {                         \
        u64 result_ = (value);   \
        s->g[FD] = result_;      \
        s->g[0] = 0;             \
    } while (0)

/* Condition codes: negative, zero, overflow, carry; from the highest bit of four. */
#define CARRY (s->icc & 1)
#define LESS ((s->icc >> 3 ^ s->icc >> 1) & 1)
#define TAGGED (((a | b) & 3 ? 1 : 0) << 1)

static inline u32 codes(s64 result, u64 over, u64 carry)
{
    return (result < 0) << 3 | !result << 2 | over << 1 | carry;
}

static inline void set_codes(struct state *s, u64 r, u64 over, u64 carry)
{
    s->icc = codes((s32)r, over >> 31 & 1, carry >> 31 & 1);
    s->xcc = codes((s64)r, over >> 63, carry >> 63);
}

static inline void set_sum(struct state *s, u64 a, u64 b, u64 r)
{
    set_codes(s, r, (a ^ r) & (b ^ r), (a & b) | ((a | b) & ~r));
}

static inline void set_difference(struct state *s, u64 a, u64 b, u64 r)
{
    set_codes(s, r, (a ^ b) & (a ^ r), (~a & b) | (~(a ^ b) & r));
}

static inline void set_logic(struct state *s, u64 r)
{
    set_codes(s, r, 0, 0);
}

static inline void set_quotient(struct state *s, u64 r, int over)
{
    s->icc = codes((s32)r, over, 0);
    s->xcc = codes((s64)r, 0, 0);
}

/* For each condition a bit for each value of the condition code that it holds for: of integers,
 * and of floating point (equal, less, greater, unordered). */
static const u16 integer_conditions[16] = {
    0x0000, 0xf0f0, 0xf3fc, 0x33cc, 0xfafa, 0xaaaa, 0xff00, 0xcccc,
    0xffff, 0x0f0f, 0x0c03, 0xcc33, 0x0505, 0x5555, 0x00ff, 0x3333,
};
static const u8 float_conditions[16] = {
    0x0, 0xe, 0x6, 0xa, 0x2, 0xc, 0x4, 0x8, 0xf, 0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7,
};
#define IF(code, condition) (integer_conditions[condition] >> (code) & 1)
#define IF_FLOAT(code, condition) (float_conditions[condition] >> (code) & 1)

static inline u32 fcc(const struct state *s, unsigned number)
{
    return s->fsr >> (number ? 30 + 2 * number : 10) & 3;
}

/* Conditions of registers, by their two lower bits: zero, at most zero, less than zero. */
static inline int if_register(unsigned condition, s64 value)
{
    int holds = (condition & 1 && condition & 2) ? value < 0 : condition & 1 ? !value : value <= 0;
    return holds != (condition >> 2);
}

#define BRANCH_IF(condition, offset)   \
    do {                               \
        if (condition)                 \
            BRANCH(PC + (offset));     \
        if (ANNULS)                    \
            ANNUL();                   \
    } while (0)

/* Register windows: those below the current one, of which the oldest may be in memory only, as
 * a processor keeps them. A window is %l0 to %l7 and %i0 to %i7. */

enum { KEPT = sizeof((struct state *)0)->windows / sizeof((struct state *)0)->windows[0] };
enum { IN_WINDOW = 16, FRAME = 14, BIAS = INST_BITS == 64 ? 2047 : 0 };

/* Store the oldest `count` windows to their frames. */
static __attribute__((noinline)) int store_windows(struct machine *m, unsigned count)
{
    struct state *s = &m->state;
    for (unsigned n = 0; n < count; n++) {
        u64 frame = n + 1 < s->kept ? s->windows[n + 1][FRAME] : s->g[16 + FRAME];
        for (unsigned k = 0; k < IN_WINDOW; k++) {
            u64 at = (ureg)(frame + BIAS + k * sizeof(ureg));
            if (!memory_store(m, at, sizeof(ureg), s->windows[n][k]))
                return NO_MEMORY;
        }
    }
    s->kept -= count;
    s->stored += count;
    memmove(s->windows[0], s->windows[count], s->kept * sizeof s->windows[0]);
    return 0;
}

static int flush_windows(struct machine *m)
{
    return store_windows(m, m->state.kept);
}

/* Take a window, and report its frame if that has memory of its own: more than windows, and in 32-bit
   code callees, have. */
static inline int save_window(struct machine *m, const struct decoded *d, u64 stack)
{
    enum { LEAST = INST_BITS == 64 ? 176 : 96 };
    struct state *s = &m->state;
    struct control *c = &m->control;
    u64 size = (ureg)(s->g[14] - stack);
    if (room_for(c, d, 1))
        return OUTPUT_FULL;
    if (unlikely(s->kept == KEPT) && store_windows(m, KEPT / 2))
        return NO_MEMORY;
    memcpy(s->windows[s->kept++], &s->g[16], sizeof s->windows[0]);
    memcpy(&s->g[24], &s->g[8], 8 * sizeof s->g[0]);
    for (unsigned n = 8; n < 24; n++)
        s->g[n] = unwritten;
    if (d->marks & REPORTED && size > LEAST)
        report(c, d, (ureg)(stack + BIAS), size, NEW_FRAME);
    return 0;
}

/* Find the window below when the state does not hold it: recorded, or in the stack's memory. */
static __attribute__((noinline)) int find_window(
    struct machine *m, const struct decoded *d, u64 *window)
{
    struct state *s = &m->state;
    struct control *c = &m->control;
    if (!s->stored && d->marks & FED) {
        int stop = fed(c, d, IN_WINDOW);
        if (stop)
            return stop;
        memcpy(window, c->feed_value + c->feed_place, IN_WINDOW * sizeof *window);
        c->feed_place += IN_WINDOW;
        return 0;
    }
    u64 frame = (ureg)(s->g[16 + FRAME] + BIAS);
    for (unsigned n = 0; n < IN_WINDOW; n++) {
        u64 at = (ureg)(frame + n * sizeof(ureg));
        if (!memory_load(m, at, sizeof(ureg), &window[n])) {
            unknown_memory(c, frame, IN_WINDOW * sizeof(ureg));
            return WINDOW_UNDERFLOW;
        }
    }
    s->stored -= s->stored > 0;
    return 0;
}

static inline int restore_window(struct machine *m, const struct decoded *d)
{
    struct state *s = &m->state;
    u64 window[IN_WINDOW], *from = window;
    if (likely(s->kept)) {
        from = s->windows[--s->kept];
    } else {
        int stop = find_window(m, d, window);
        if (stop)
            return stop;
    }
    memcpy(&s->g[8], &s->g[24], 8 * sizeof s->g[0]);
    memcpy(&s->g[16], from, sizeof window);
    return 0;
}

/* Traps of Linux: of 3 the windows are stored, of others the system knows. */
enum { FLUSH_WINDOWS = 3, CALL_32 = 0x10, CALL_64 = 0x6d, GET_CONTEXT = 0x6e, SET_CONTEXT = 0x6f };
#define TRAP_IF(code, number)                                                    \
    do {                                                                         \
        unsigned number_ = (A + (number)) & 127;                                 \
        if (IF(code, W(28, 25))) {                                               \
            if (number_ == CALL_32 || (number_ >= CALL_64 && number_ <= SET_CONTEXT)) \
                CALL_SYSTEM();                                                   \
            if (number_ != FLUSH_WINDOWS)                                        \
                STOP(TRAP);                                                      \
            OR_STOP(flush_windows(m));                                           \
        }                                                                        \
    } while (0)

/* Accesses. The space of addresses is in the word, or in %asi where the address has a number. */
#define AT (A + B)
#define SPACE (IMMEDIATE ? s->asi : W(12, 5))
enum { PRIMARY = 0x80, WITHOUT_FAULT = 2, LEON_USER = 10, LEON_SUPERVISOR = 11 };
#define IN_SPACE(allowed)                              \
    do {                                               \
        if ((SPACE & ~(u32)(allowed)) != PRIMARY)      \
            UNDEFINED;                                 \
    } while (0)
#define ALIGNED(at, size)                  \
    do {                                   \
        if (unlikely((at) & ((size) - 1))) \
            STOP(TRAP);                    \
    } while (0)

/* Blocks of 64 bytes, of the registers from one of %f0, %f16, %f32 and %f48 on. */
enum { BLOCK = 0xf0, BLOCK_COMMITTED = 0xe0 };
#define BLOCK_AT(at)               \
    do {                           \
        if (DOUBLE(FD) & 15)       \
            UNDEFINED;             \
        ALIGNED(at, 64);           \
    } while (0)

/* Load, and store in the same place at once: always, or if what was loaded is `expected`. */
static int exchange(struct machine *m, const struct decoded *d, u64 at, unsigned size, u64 *loaded,
    u64 stored, int compares, u64 expected)
{
    struct control *c = &m->control;
    int stop = room_for(c, d, 2);
    if (!stop)
        stop = load_several(m, d, at, size, 1, loaded);
    if (stop || (compares && *loaded != expected))
        return stop;
    stop = store_several(m, d, at, size, 1, &stored);
    if (!stop && d->marks & REPORTED)
        c->out_kind[c->out_count - 1] |= CONTINUED;
    return stop;
}

#define EXCHANGE(size, at, stored, compares, expected)                               \
    do {                                                                             \
        u64 loaded_;                                                                 \
        OR_STOP(exchange(m, d, (ureg)(at), size, &loaded_, stored, compares, expected)); \
        TO_RD(loaded_);                                                              \
    } while (0)

/* Floating-point registers: f[n] is %fn; the upper 32 exist in pairs and fours only. */
#define DOUBLE(number) (((number) & 1) << 5 | ((number) & 30))

static inline u64 get_double(const struct state *s, unsigned place)
{
    return (u64)s->f[place] << 32 | s->f[place + 1];
}

static inline void set_double(struct state *s, unsigned place, u64 value)
{
    s->f[place] = value >> 32;
    s->f[place + 1] = (u32)value;
}

/* What a load of %fsr sets. */
#define FSR_LOADED ((u64)0x3fcfc00fff)

static inline void load_fsr(struct state *s, u64 value, u64 loaded)
{
    s->fsr = (s->fsr & ~loaded) | (value & loaded);
    set_rounding(s->fsr >> 30 & 3);
}
