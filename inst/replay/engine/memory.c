/* Memory: pages, of which it is known which bytes have a value.
 *
 * What loads and stores whose values may be left out have loaded and stored is known once more, at
 * addresses of its own: see inst/replay/engine/windows.c. */

/* What is changed of an address for that: a bit that no program's address has, and one by which both pages
 * have places of their own in `cached`. */
static const u64 LEARNED = (u64)1 << 62 | (u64)1 << (PAGE_BITS + 9);

/* Return the address of a byte after another one. */
static inline u64 byte_at(u64 address, u64 n)
{
    u64 learned = address >> 62 == 1 ? LEARNED : 0;
    return (ureg)((address ^ learned) + n) ^ learned;
}

static u64 place_in(u64 bucket_count, u64 number)
{
    return (number * 0x9E3779B97F4A7C15u >> 20) & (bucket_count - 1);
}

static u64 bucket_of(const struct machine *m, u64 number)
{
    return place_in(m->bucket_count, number);
}

static int grow(struct machine *m)
{
    u64 old_count = m->bucket_count;
    struct page **old = m->buckets;
    struct page **grown = calloc(old_count * 4, sizeof *grown);
    if (!grown)
        return 0;
    m->buckets = grown;
    m->bucket_count = old_count * 4;
    for (u64 n = 0; n < old_count; n++)
        for (struct page *p = old[n], *next; p; p = next) {
            struct page **bucket = &m->buckets[bucket_of(m, p->number)];
            next = p->next;
            p->next = *bucket;
            *bucket = p;
        }
    free(old);
    return 1;
}

static void release(struct page *p)
{
    if (!--p->holders)
        free(p);
}

/* Make a page ready to be changed; NULL if there is no memory left. */
static struct page *owned(struct machine *m, struct page **link)
{
    struct page *p = *link;
    if (p->holders > 1) {
        struct page *copy = malloc(sizeof *copy);
        if (!copy)
            return 0;
        *copy = *p;
        copy->holders = 1;
        release(p);
        *link = p = copy;
    }
    if (p->period != m->period) {
        memset(p->recent, 0, sizeof p->recent);
        p->period = m->period;
    }
    return m->changing[p->number % CACHED] = p;
}

/* Return the page of an address, or no_page; NULL if it cannot be made. */
static __attribute__((noinline)) struct page *find_page(struct machine *m, u64 address, int change)
{
    u64 number = address >> PAGE_BITS;
    struct page **link = &m->buckets[bucket_of(m, number)];
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    struct page *p = *link;
    if (p && change) {
        p = owned(m, link);
        if (!p)
            return 0;
    } else if (!p) {
        if (!change)
            return &no_page;
        if (m->page_count > m->bucket_count * 2 && !grow(m))
            return 0;
        p = calloc(1, sizeof *p);
        if (!p)
            return 0;
        struct page **bucket = &m->buckets[bucket_of(m, number)];
        p->number = number;
        p->holders = 1;
        p->period = m->period;
        p->next = *bucket;
        *bucket = p;
        m->page_count++;
        m->changing[number % CACHED] = p;
    }
    return m->cached[number % CACHED] = p;
}

static inline struct page *page_of(struct machine *m, u64 address, int change)
{
    struct page **pages = change ? m->changing : m->cached;
    struct page *p = pages[(address >> PAGE_BITS) % CACHED];
    return likely(p->number == address >> PAGE_BITS) ? p : find_page(m, address, change);
}

/* Whether the program's bytes are in big-endian order. */
enum { IS_BIG = SWAP_BYTES == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) };

static inline u64 in_order(u64 value, unsigned size)
{
    return SWAP_BYTES ? __builtin_bswap64(value) >> (64 - 8 * size) : value;
}

static inline u16 known_bits(const struct page *p, unsigned offset)
{
    return p->known[offset >> 3] | p->known[(offset >> 3) + 1] << 8;
}

/* Copy a byte that nothing has stored in this window from before it; 0 if it was not known. */
static int load_earlier(struct machine *m, u64 address)
{
    struct memory *earlier = &m->earlier;
    if (!earlier->buckets)
        return 0;
    u64 number = address >> PAGE_BITS;
    unsigned offset = address % PAGE;
    struct page *p = earlier->buckets[place_in(earlier->bucket_count, number)];
    while (p && p->number != number)
        p = p->next;
    if (!p || !(p->known[offset >> 3] >> (offset & 7) & 1))
        return 0;
    if (m->first_count == m->first_room) {
        u64 room = m->first_room ? 2 * m->first_room : 1024;
        struct first *grown = realloc(m->firsts, room * sizeof *grown);
        if (!grown)
            return 0;
        m->firsts = grown;
        m->first_room = room;
    }
    struct page *own = page_of(m, address, 1);
    if (!own)
        return 0;
    m->firsts[m->first_count++] = (struct first){address, p->bytes[offset]};
    own->bytes[offset] = p->bytes[offset];
    own->known[offset >> 3] |= 1 << (offset & 7);
    return 1;
}

static __attribute__((noinline)) int load_bytes(
    struct machine *m, u64 address, unsigned size, u8 *bytes)
{
    for (unsigned n = 0; n < size; n++) {
        u64 at = byte_at(address, n);
        unsigned offset = at % PAGE;
        struct page *p = page_of(m, at, 0);
        if (!(p->known[offset >> 3] >> (offset & 7) & 1)) {
            if (!load_earlier(m, at))
                return 0;
            p = page_of(m, at, 0);
        }
        bytes[n] = p->bytes[offset];
    }
    return 1;
}

static __attribute__((noinline)) int store_bytes(
    struct machine *m, u64 address, unsigned size, const u8 *bytes)
{
    for (unsigned n = 0; n < size; n++) {
        u64 at = byte_at(address, n);
        unsigned offset = at % PAGE;
        struct page *p = page_of(m, at, 1);
        if (!p)
            return 0;
        p->bytes[offset] = bytes[n];
        p->known[offset >> 3] |= 1 << (offset & 7);
        p->recent[offset >> 3] |= 1 << (offset & 7);
    }
    return 1;
}

static inline u64 from_bytes(const u8 *bytes, unsigned size)
{
    u64 value = 0;
    memcpy((u8 *)&value + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - size), bytes, size);
    return in_order(value, size);
}

static inline void to_bytes(u64 value, unsigned size, u8 *bytes)
{
    value = in_order(size == 8 ? value : value & (((u64)1 << 8 * size % 64) - 1), size);
    memcpy(bytes, (u8 *)&value + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - size), size);
}

/* Load a number of up to 8 bytes; return 0 if a byte of it is not known. */
static inline int memory_load(struct machine *m, u64 address, unsigned size, u64 *value)
{
    unsigned offset = address % PAGE;
    struct page *p = m->cached[(address >> PAGE_BITS) % CACHED];
    unsigned wanted = ((1u << size) - 1) << (offset & 7);
    if (likely(p->number == address >> PAGE_BITS && offset + size <= PAGE)
        && likely((known_bits(p, offset) & wanted) == wanted)) {
        *value = from_bytes(p->bytes + offset, size);
        return 1;
    }
    u8 bytes[8];
    if (!load_bytes(m, address, size, bytes))
        return 0;
    *value = from_bytes(bytes, size);
    return 1;
}

/* Store a number of up to 8 bytes; return 0 if there is no memory left. */
static inline int memory_store(struct machine *m, u64 address, unsigned size, u64 value)
{
    unsigned offset = address % PAGE;
    struct page *p = m->changing[(address >> PAGE_BITS) % CACHED];
    if (likely(p->number == address >> PAGE_BITS && offset + size <= PAGE)) {
        unsigned known = ((1u << size) - 1) << (offset & 7);
        to_bytes(value, size, p->bytes + offset);
        p->known[offset >> 3] |= known;
        p->known[(offset >> 3) + 1] |= known >> 8;
        p->recent[offset >> 3] |= known;
        p->recent[(offset >> 3) + 1] |= known >> 8;
        return 1;
    }
    u8 bytes[8];
    to_bytes(value, size, bytes);
    return store_bytes(m, address, size, bytes);
}
