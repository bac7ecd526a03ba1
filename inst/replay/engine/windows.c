/* Loads whose values may have been left out of the recording (hooks/windows), and calls of glue.
 *
 * The hooks have left out what their table had, which knows only what loads and stores with hooks have
 * loaded and stored.  The same is kept here beside memory: memory has what code without hooks stores, too,
 * and the table had never heard of that. */

/* Return how many words of the feed the number of a load is. */
static unsigned words_of(unsigned size)
{
    return size > sizeof(ureg) ? 2 : 1;
}

/* Take the value of a load, and how many are left out after it; return 0, or the reason to stop. */
static int take_counted(struct control *c, unsigned size, u64 *value)
{
    const u64 *words = c->feed_value + c->feed_place, *owners = c->feed_pc + c->feed_place;
    u64 left = c->feed_count - c->feed_place, wanted = words_of(size) + 1;
    for (u64 n = 0; n < wanted && n < left; n++)
        if (owners[n])
            return DIVERGED;
    if (left < wanted)
        return FEED_END;
    u64 number = words[0];
    if (wanted == 3)
        number = words[IS_BIG ? 0 : 1] << 32 | words[IS_BIG ? 1 : 0];
    if (number != low_bytes(number, size) || !words[wanted - 1])
        return DIVERGED;
    *value = number;
    c->left_out = words[wanted - 1] - 1;
    c->feed_place += wanted;
    return 0;
}

/* Return whether a load that has been left out is one of those that are not executed yet. */
static int is_held(const struct control *c)
{
    return c->left_out && c->left_out <= c->hold;
}

static __attribute__((noinline)) int load_windowed(struct machine *m, const struct decoded *d, u64 address,
    unsigned size, u64 *value)
{
    struct control *c = &m->control;
    int stop = room_for(c, d, 1);
    if (!stop && is_held(c))
        stop = FEED_END;
    if (!stop)
        stop = watched(c, d, address, size, LOADED);
    if (!stop && c->left_out && !memory_load(m, address ^ LEARNED, size, value))
        stop = unknown_memory(c, address, size);
    else if (!stop && c->left_out)
        c->left_out--;
    else if (!stop)
        stop = take_counted(c, size, value);
    if (stop)
        return stop;
    if (!memory_store(m, address, size, *value) || !memory_store(m, address ^ LEARNED, size, *value))
        return NO_MEMORY;
    if (d->marks & REPORTED)
        report(c, d, address, *value, size);
    return 0;
}

static u64 state_number(const struct machine *m, u64 at, u64 size)
{
    ureg narrow;
    u64 wide;
    if (size == 8) {
        memcpy(&wide, (const char *)&m->state + at, 8);
        return (ureg)wide;
    }
    memcpy(&narrow, (const char *)&m->state + at, sizeof narrow);
    return narrow;
}

static void set_state_number(struct machine *m, u64 at, u64 size, ureg number)
{
    u64 wide = number;
    if (size == 8)
        memcpy((char *)&m->state + at, &wide, 8);
    else
        memcpy((char *)&m->state + at, &number, sizeof number);
}

/* Set the link register as glue does that returns to `link`; 0 where that is not known. */
static int restore_link(struct machine *m, u64 link)
{
    const struct control *c = &m->control;
    u32 word = code_at(m, (ureg)(link - c->beyond_link - 4))->word;
    for (u64 n = 0; n < c->kept_count; n++) {
        const struct kept_link *k = &c->kept_links[n];
        if (k->word != word)
            continue;
        u64 value = state_number(m, k->register_at, k->register_size), saved = value;
        if (k->is_in_frame) {
            if (!memory_load(m, (ureg)(value + k->place), sizeof(ureg), &saved))
                return 0;
            set_state_number(m, k->register_at, k->register_size, value + k->frame);
        }
        set_state_number(m, c->link_at, c->link_size, saved);
        break;
    }
    return 1;
}

static int is_glue(const struct control *c, u64 pc)
{
    u64 after = lower_bound(&c->glue, 2, pc + 1);
    return after && pc < c->glue.rows[2 * after - 1];
}

/* Return where a call of glue returns to whose hook has written nothing but values; NULL if that is not known. */
static struct decoded *beyond_glue(struct machine *m, u64 pc)
{
    struct control *c = &m->control;
    int passes = c->left_out || c->feed_place < c->pass_until;
    if (!passes || !is_glue(c, pc))
        return 0;
    u64 link = (ureg)(state_number(m, c->link_at, c->link_size) + c->beyond_link);
    if (!restore_link(m, link))
        return 0;
    if (c->cursor && (!memory_store(m, c->cursor, sizeof(ureg), c->buffer)
                      || !memory_store(m, (ureg)(c->cursor + sizeof(ureg)), sizeof(ureg), c->buffer_limit)))
        return 0;
    return code_at(m, link);
}
