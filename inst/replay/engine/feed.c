/* Accesses that are fed or reported. Each returns 0, or the reason to stop with nothing done. */

static int room_for(struct control *c, const struct decoded *d, u64 count)
{
    return d->marks & REPORTED && c->out_room - c->out_count < count ? OUTPUT_FULL : 0;
}

static int fed(struct control *c, const struct decoded *d, u64 count)
{
    u64 left = c->feed_count - c->feed_place, wanted = d->marks & (LOOSE | AHEAD) ? 0 : d->pc;
    for (u64 n = 0; n < count && n < left; n++)
        if (c->feed_pc[c->feed_place + n] != wanted)
            return DIVERGED;
    return left < count ? FEED_END : 0;
}

static void report(struct control *c, const struct decoded *d, u64 address, u64 value, u32 kind)
{
    u64 n = c->out_count++;
    c->out_pc[n] = d->pc;
    c->out_address[n] = address;
    c->out_value[n] = value;
    c->out_kind[n] = kind;
}

static u64 low_bytes(u64 value, unsigned size)
{
    return size < 8 ? value & (((u64)1 << 8 * size) - 1) : value;
}

/* Return how many values of the feed an instruction takes for a number of `size` bytes. */
static unsigned taken_for(const struct decoded *d, unsigned size)
{
    return d->marks & LOOSE && size > sizeof(ureg) ? 2 : 1;
}

/* Return the number that the next values of the feed are, from number `place` on. */
static u64 fed_number(const struct control *c, const struct decoded *d, u64 place, unsigned size)
{
    const u64 *words = c->feed_value + c->feed_place + place * taken_for(d, size);
    u64 value = words[0];
    if (taken_for(d, size) == 2)
        value = words[IS_BIG ? 0 : 1] << 32 | words[IS_BIG ? 1 : 0];
    if (d->marks & HIGH)
        value >>= 8 * (sizeof(ureg) - size);
    if (d->marks & REVERSED)
        value = __builtin_bswap64(value) >> (64 - 8 * size);
    return low_bytes(value, size);
}

static int unknown_memory(struct control *c, u64 address, unsigned size)
{
    c->stop_address = address;
    c->stop_size = size;
    return UNKNOWN_MEMORY;
}

/* Return WATCHED if an access is of memory that is watched for it. */
static int watched(struct control *c, const struct decoded *d, u64 address, u64 size, u64 kind)
{
    if (!(d->marks & CHECKED))
        return 0;
    for (u64 n = 0; n < c->watch_count; n++) {
        const struct watch *w = &c->watches[n];
        if (w->kinds & kind && (address - w->address < w->size || w->address - address < size)) {
            c->stop_address = address;
            c->stop_size = size;
            c->stop_kind = kind;
            return WATCHED;
        }
    }
    return 0;
}

static int load_windowed(struct machine *m, const struct decoded *d, u64 address, unsigned size, u64 *value);

/* Load `count` numbers of `size` bytes in a row. */
static __attribute__((noinline)) int load_several(struct machine *m, const struct decoded *d,
    u64 address, unsigned size, u64 count, u64 *values)
{
    struct control *c = &m->control;
    if (d->marks & WINDOWED)
        return count == 1 ? load_windowed(m, d, address, size, values) : DIVERGED;
    int stop = room_for(c, d, count);
    if (!stop && d->marks & (FED | AHEAD))
        stop = fed(c, d, count * taken_for(d, size));
    if (!stop)
        stop = watched(c, d, address, size * count, LOADED);
    if (stop)
        return stop;
    for (u64 n = 0; n < count; n++) {
        u64 at = (ureg)(address + n * size);
        if (d->marks & (FED | AHEAD))
            values[n] = fed_number(c, d, n, size);
        else if (!memory_load(m, at, size, &values[n]))
            return unknown_memory(c, at, size);
    }
    for (u64 n = 0; n < count; n++) {
        u64 at = (ureg)(address + n * size);
        if (d->marks & (FED | AHEAD) && !memory_store(m, at, size, values[n]))
            return NO_MEMORY;
        if (d->marks & REPORTED)
            report(c, d, at, values[n], size | (n ? CONTINUED : 0));
    }
    if (d->marks & FED)
        c->feed_place += count * taken_for(d, size);
    return 0;
}

/* Store `count` numbers of `size` bytes in a row. */
static __attribute__((noinline)) int store_several(struct machine *m, const struct decoded *d,
    u64 address, unsigned size, u64 count, const u64 *values)
{
    struct control *c = &m->control;
    int stop = room_for(c, d, count);
    if (!stop && (stop = watched(c, d, address, size * count, STORED)) && d->marks & FED)
        c->feed_place--; /* the same instruction has taken a value, and will take it again */
    if (!stop && d->marks & NAMED) {
        stop = fed(c, d, 1);
        if (!stop && c->feed_value[c->feed_place] != (ureg)values[0])
            stop = DIVERGED;
    }
    if (stop)
        return stop;
    if (d->marks & NAMED)
        c->feed_place++;
    for (u64 n = 0; n < count; n++) {
        u64 at = (ureg)(address + n * size);
        if (!memory_store(m, at, size, values[n])
            || (d->marks & WINDOWED && !memory_store(m, at ^ LEARNED, size, values[n])))
            return NO_MEMORY;
        if (d->marks & REPORTED)
            report(c, d, at, low_bytes(values[n], size), WRITTEN | size | (n ? CONTINUED : 0));
    }
    return 0;
}

/* Take the result of an instruction from the feed, which has to have one. */
static int take_recorded(struct control *c, const struct decoded *d, u64 *value)
{
    if (!(d->marks & (FED | AHEAD)))
        return UNKNOWN_INSTRUCTION;
    int stop = fed(c, d, 1);
    if (stop)
        return stop;
    *value = c->feed_value[c->feed_place];
    if (d->marks & FED)
        c->feed_place++;
    return 0;
}
