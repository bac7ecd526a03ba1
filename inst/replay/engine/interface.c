/* Functions that Python calls */

/* Let each page be found anew when it is changed next. */
static void change_none(struct machine *m)
{
    for (unsigned n = 0; n < CACHED; n++)
        m->changing[n] = &no_page;
}

/* Forget all memory. */
void inst_clear(struct machine *m)
{
    for (u64 n = 0; n < m->bucket_count; n++) {
        for (struct page *p = m->buckets[n], *next; p; p = next) {
            next = p->next;
            release(p);
        }
        m->buckets[n] = 0;
    }
    m->page_count = 0;
    for (unsigned n = 0; n < CACHED; n++)
        m->cached[n] = &no_page;
    change_none(m);
}

/* Keep memory as it is, for inst_return; NULL if there is no memory left. */
struct kept *inst_keep(struct machine *m)
{
    struct kept *k = malloc(sizeof *k + m->page_count * sizeof *k->pages);
    if (!k)
        return 0;
    k->count = 0;
    k->period = m->period;
    for (u64 n = 0; n < m->bucket_count; n++)
        for (struct page *p = m->buckets[n]; p; p = p->next) {
            p->holders++;
            k->pages[k->count++] = p;
        }
    change_none(m);
    return k;
}

/* Make memory what it was. */
void inst_return(struct machine *m, const struct kept *k)
{
    for (u64 n = 0; n < k->count; n++)
        k->pages[n]->holders++;
    inst_clear(m);
    m->page_count = k->count;
    m->period = k->period;
    for (u64 n = 0; n < k->count; n++) {
        struct page **bucket = &m->buckets[bucket_of(m, k->pages[n]->number)];
        k->pages[n]->next = *bucket;
        *bucket = k->pages[n];
    }
}

void inst_drop(struct kept *k)
{
    for (u64 n = 0; n < k->count; n++)
        release(k->pages[n]);
    free(k);
}

static struct page *earlier_page(struct memory *e, u64 number)
{
    struct page **bucket = &e->buckets[place_in(e->bucket_count, number)];
    for (struct page *p = *bucket; p; p = p->next)
        if (p->number == number)
            return p;
    struct page *p = calloc(1, sizeof *p);
    if (!p)
        return 0;
    p->number = number;
    p->holders = 1;
    p->next = *bucket;
    *bucket = p;
    return p;
}

/* Begin a window: what is known goes to the memory before it, from which bytes come that are loaded
 * before they are stored; inst_firsts tells which. 0 is success. */
int inst_begin_window(struct machine *m)
{
    struct memory *e = &m->earlier;
    if (!e->buckets) {
        e->bucket_count = 1 << 14;
        e->buckets = calloc(e->bucket_count, sizeof *e->buckets);
        if (!e->buckets)
            return 1;
    }
    for (u64 n = 0; n < m->bucket_count; n++)
        for (struct page *p = m->buckets[n]; p; p = p->next) {
            struct page *kept = earlier_page(e, p->number);
            if (!kept)
                return 1;
            for (unsigned at = 0; at < PAGE; at++)
                if (p->known[at >> 3] >> (at & 7) & 1)
                    kept->bytes[at] = p->bytes[at];
            for (unsigned at = 0; at < PAGE / 8; at++)
                kept->known[at] |= p->known[at];
        }
    inst_clear(m);
    m->first_count = 0;
    return 0;
}

/* Return the bytes that were loaded first since the window began, and how many. */
const struct first *inst_firsts(struct machine *m, u64 *count)
{
    *count = m->first_count;
    return m->firsts;
}

/* Begin a period: inst_recent tells which bytes become known in it. */
void inst_begin_period(struct machine *m)
{
    m->period++;
    change_none(m);
}

struct machine *inst_new(void)
{
    struct machine *m = calloc(1, sizeof *m);
    if (!m)
        return 0;
    m->bucket_count = 1024;
    m->buckets = calloc(m->bucket_count, sizeof *m->buckets);
    m->recent = &m->no_piece;
    if (!m->buckets) {
        free(m);
        return 0;
    }
    inst_clear(m);
    return m;
}

void inst_free(struct machine *m)
{
    inst_clear(m);
    for (u64 n = 0; n < m->earlier.bucket_count; n++)
        for (struct page *p = m->earlier.buckets[n], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    free(m->earlier.buckets);
    free(m->firsts);
    for (u64 n = 0; n < m->piece_count; n++)
        free(m->pieces[n].first);
    free(m->pieces);
    free(m->buckets);
    free(m);
}

struct state *inst_state(struct machine *m)
{
    return &m->state;
}

struct control *inst_control(struct machine *m)
{
    return &m->control;
}

u64 inst_state_size(void)
{
    return sizeof(struct state);
}

/* Decode all code again: sites, reported accesses or breakpoints have changed. */
void inst_forget_decoded(struct machine *m)
{
    for (u64 n = 0; n < m->piece_count; n++)
        for (u64 k = 0; k < m->pieces[n].size / 4; k++)
            m->pieces[n].first[k].handler = DECODE;
}

/* Add code whose words are numbers of this machine; pieces must not overlap. 0 is success. */
int inst_add_code(struct machine *m, u64 address, const u32 *words, u64 count)
{
    struct piece *pieces = realloc(m->pieces, (m->piece_count + 1) * sizeof *pieces);
    if (!pieces)
        return 1;
    m->pieces = pieces;
    m->recent = &m->no_piece;
    struct decoded *first = calloc(count + BEHIND, sizeof *first);
    if (!first)
        return 1;
    for (u64 n = 0; n < count + BEHIND; n++) {
        first[n].pc = (ureg)(address + 4 * n);
        first[n].word = n < count ? words[n] : 0;
        first[n].handler = n < count ? DECODE : OUT;
    }
    u64 place = m->piece_count++;
    for (; place && pieces[place - 1].base > address; place--)
        pieces[place] = pieces[place - 1];
    pieces[place] = (struct piece){address, 4 * count, first};
    return 0;
}

int inst_write(struct machine *m, u64 address, const u8 *bytes, u64 size)
{
    for (u64 n = 0; n < size; n += PAGE)
        if (!store_bytes(m, address + n, size - n < PAGE ? size - n : PAGE, bytes + n))
            return 1;
    return 0;
}

/* Read bytes; `known` receives 1 for each byte that is known, 0 for others. */
void inst_read(struct machine *m, u64 address, u8 *bytes, u8 *known, u64 size)
{
    for (u64 n = 0; n < size; n++) {
        bytes[n] = 0;
        known[n] = load_bytes(m, address + n, 1, bytes + n);
    }
}

/* Set for each byte whether it was loaded or stored since the period began. */
void inst_recent(struct machine *m, u64 address, u8 *recent, u64 size)
{
    for (u64 n = 0; n < size; n++) {
        ureg at = (ureg)(address + n);
        unsigned offset = at % PAGE;
        struct page *p = page_of(m, at, 0);
        recent[n] = p != &no_page && p->period == m->period
            && p->recent[offset >> 3] >> (offset & 7) & 1;
    }
}

/* Forget bytes; 0 is success. */
int inst_unknow(struct machine *m, u64 address, u64 size)
{
    for (u64 n = 0; n < size; n++) {
        ureg at = (ureg)(address + n);
        struct page *p = page_of(m, at, 0);
        if (p != &no_page && !(p = page_of(m, at, 1)))
            return 1;
        if (p != &no_page)
            p->known[at % PAGE >> 3] &= ~(1 << (at & 7));
    }
    return 0;
}

/* Return whether a word has changed to anything else than what is wanted. */
static int is_other(const u32 *state, const struct rounds *r, u64 n)
{
    u32 at = r->places[n], mask = r->masks[n];
    return (state[at] ^ r->wanted[at]) & mask && (state[at] ^ r->first[at]) & mask;
}

/* Look at one round: it counts if no word has changed to anything else. */
static void look_at_round(struct machine *m, struct rounds *r)
{
    const u32 *state = (const u32 *)&m->state;
    u64 alike = 0;
    int counts = !r->count || !is_other(state, r, r->other);
    if (!counts && r->is_open)
        return;
    for (u64 n = 0; n < r->count; n++) {
        u32 at = r->places[n], mask = r->masks[n];
        alike += !((state[at] ^ r->wanted[at]) & mask);
        r->is_open |= (state[at] ^ r->first[at]) & mask && (r->first[at] ^ r->wanted[at]) & mask;
        if (is_other(state, r, n)) {
            r->other = n;
            counts = 0;
        }
    }
    if (!counts)
        return;
    r->times += alike == r->most;
    if (alike > r->most) {
        r->most = alike;
        r->found = r->executed;
        r->times = 1;
    }
}

enum { SOME_ROUNDS = 1 << 20 };

/* Return how many instructions to look beyond the best place. */
static u64 room_for_rounds(const struct rounds *r)
{
    int may_be_later = r->times != 1 || (!r->found && r->is_open);
    return may_be_later ? (u64)1 << 34 : SOME_ROUNDS + r->found;
}

/* Execute up to the breakpoint, again and again, and find where the words of the state whose numbers are
 * `places` are most like `wanted`, in the bits of their `masks`: the first such time.  A word that has
 * changed since the beginning, where it was `first`, has to be alike: others may be of no use.
 *
 * It ends one round after all of them were, after a round that has changed no register, and where
 * something else stops the run; and after twice as many instructions as there were up to the best
 * place, unless that is the beginning and words have changed that were not alike there (`is_open`).
 * `found` and `executed` are counts of instructions since the search began, `most` the words that were
 * alike, `times` how often as many were. */
int inst_run_rounds(struct machine *m, struct rounds *r)
{
    struct state before; /* in the last round whose number is a power of two */
    u64 number = 0;
    while (r->executed - r->found < room_for_rounds(r)) {
        u64 done;
        int reason = inst_run(m, SOME_ROUNDS, &done);
        r->executed += done;
        if (reason != LIMIT && reason != BREAK)
            return reason;
        if (reason == BREAK) {
            look_at_round(m, r);
            if (r->most == r->count && r->executed > r->found)
                return BREAK;
            if (number && !memcmp(&before, &m->state, sizeof before))
                return BREAK;
            if (!(number & (number + 1)))
                before = m->state;
            number++;
        }
    }
    return LIMIT;
}

/* Let the next run stop where it begins, if it has to stop there. */
void inst_arrive(struct machine *m)
{
    m->is_paused = 0;
}
