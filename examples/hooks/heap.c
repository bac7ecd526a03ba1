/* A heap profile: how many bytes and blocks each call of malloc, new and the like has allocated,
   and how many of them are still allocated at the end.  HEAP_OUT names the file that reports are added
   to; without it they go to standard error.  `inst symbols PROGRAM < FILE` names the calls. */
#include <inst/hooks.h>
#include <inst/support.h>

#include <fcntl.h>

struct site {
    inst_address caller;        /* 0: none */
    uint64_t bytes, blocks, live_bytes, live_blocks;
};

struct block {
    inst_address address, size; /* 0: none */
    inst_address caller;
    int live;
};

/* Hash tables of powers of two; what is in them stays. */
static struct {
    struct site *sites;
    struct block *blocks;
    size_t site_room, site_count, block_room, block_count;
    uint64_t unknown;           /* releases of blocks whose allocation was not observed */
    int failed;                 /* there was no memory: what follows is not counted */
} heap;

static size_t hash(inst_address key, size_t room)
{
    return (uint32_t)((uint32_t)(key >> 2 ^ key >> 20) * 2654435761u) >> 7 & (room - 1);
}

static struct site *site_place(struct site *table, size_t room, inst_address caller)
{
    size_t n = hash(caller, room);
    while (table[n].caller && table[n].caller != caller)
        n = (n + 1) & (room - 1);
    return &table[n];
}

static struct block *block_place(struct block *table, size_t room, inst_address address)
{
    size_t n = hash(address, room);
    while (table[n].address && table[n].address != address)
        n = (n + 1) & (room - 1);
    return &table[n];
}

/* Make room for one site and one block more; return whether there is. */
static int grow(void)
{
    if (2 * heap.site_count >= heap.site_room) {
        size_t room = heap.site_room ? 2 * heap.site_room : 256;
        struct site *more = CALLOC(room, sizeof *more);
        for (size_t n = 0; more && n < heap.site_room; n++)
            if (heap.sites[n].caller)
                *site_place(more, room, heap.sites[n].caller) = heap.sites[n];
        if (!more)
            return 0;
        FREE(heap.sites);
        heap.sites = more;
        heap.site_room = room;
    }
    if (2 * heap.block_count >= heap.block_room) {
        size_t room = heap.block_room ? 2 * heap.block_room : 1024;
        struct block *more = CALLOC(room, sizeof *more);
        for (size_t n = 0; more && n < heap.block_room; n++)
            if (heap.blocks[n].address)
                *block_place(more, room, heap.blocks[n].address) = heap.blocks[n];
        if (!more)
            return 0;
        FREE(heap.blocks);
        heap.blocks = more;
        heap.block_room = room;
    }
    return 1;
}

/* Count a block as allocated, or as freed. */
static void set_live(struct block *block, int live)
{
    struct site *site = site_place(heap.sites, heap.site_room, block->caller);
    block->live = live;
    site->live_blocks += live ? 1 : -1;
    site->live_bytes += live ? block->size : -(uint64_t)block->size;
}

static void add(inst_address address, inst_address size, inst_address caller)
{
    struct block *block = block_place(heap.blocks, heap.block_room, address);
    struct site *site = site_place(heap.sites, heap.site_room, caller);
    heap.block_count += !block->address;
    heap.site_count += !site->caller;
    if (block->live)            /* released where no hook sees it */
        set_live(block, 0);
    site->caller = caller;
    site->blocks++;
    site->bytes += size;
    *block = (struct block){ address, size, caller, 0 };
    set_live(block, 1);
}

void allochook(inst_address address, inst_address size, inst_address caller)
{
    begin_shared();
    if (heap.failed || !grow())
        heap.failed = 1;
    else
        add(address, size, caller);
    end_shared();
}

void releasehook(inst_address address)
{
    begin_shared();
    struct block *block = heap.block_room ? block_place(heap.blocks, heap.block_room, address) : 0;
    if (block && block->live)
        set_live(block, 0);
    else
        heap.unknown++;
    end_shared();
}

void keephook(inst_address address)
{
    begin_shared();
    struct block *block = heap.block_room ? block_place(heap.blocks, heap.block_room, address) : 0;
    if (block && block->address)
        set_live(block, 1);
    else
        heap.unknown--;         /* which releasehook has just added */
    end_shared();
}

static int comes_before(const struct site *one, const struct site *other)
{
    if (one->live_bytes != other->live_bytes)
        return one->live_bytes > other->live_bytes;
    return one->bytes != other->bytes ? one->bytes > other->bytes : one->caller < other->caller;
}

/* Bring the sites to the front of their table, those with the most live bytes first. */
static void sort(void)
{
    size_t count = 0;
    for (size_t n = 0; n < heap.site_room; n++)
        if (heap.sites[n].caller)
            heap.sites[count++] = heap.sites[n];
    for (size_t gap = count / 2; gap; gap /= 2)
        for (size_t n = gap; n < count; n++) {
            struct site one = heap.sites[n];
            size_t at = n;
            for (; at >= gap && comes_before(&one, &heap.sites[at - gap]); at -= gap)
                heap.sites[at] = heap.sites[at - gap];
            heap.sites[at] = one;
        }
    heap.site_count = count;
}

static void write_line(int file, const struct site *site)
{
    DPRINTF(file, "%12llu %9llu %12llu %9llu  %#lx\n", (unsigned long long)site->bytes,
            (unsigned long long)site->blocks, (unsigned long long)site->live_bytes,
            (unsigned long long)site->live_blocks, (unsigned long)site->caller);
}

static void write_report(int file)
{
    struct site all = { 0 };
    DPRINTF(file, "heap of process %d base=%#lx\n%12s %9s %12s %9s  %s\n", GETPID(),
            (unsigned long)getbase(), "bytes", "blocks", "live bytes", "blocks", "call");
    for (size_t n = 0; n < heap.site_count; n++) {
        write_line(file, &heap.sites[n]);
        all.bytes += heap.sites[n].bytes;
        all.blocks += heap.sites[n].blocks;
        all.live_bytes += heap.sites[n].live_bytes;
        all.live_blocks += heap.sites[n].live_blocks;
    }
    DPRINTF(file, "%12llu %9llu %12llu %9llu  in all\n", (unsigned long long)all.bytes,
            (unsigned long long)all.blocks, (unsigned long long)all.live_bytes,
            (unsigned long long)all.live_blocks);
    if (heap.unknown)
        DPRINTF(file, "%llu releases of blocks that were not seen to be allocated\n",
                (unsigned long long)heap.unknown);
    if (heap.failed)
        DPRINTF(file, "the rest is missing: no memory for the profile\n");
}

void exithook(void)
{
    const char *name = GETENV("HEAP_OUT");
    int file = name ? OPEN(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : 2;
    begin_shared();
    sort();
    write_report(file < 0 ? 2 : file);
    heap.site_room = heap.block_room = heap.site_count = heap.block_count = heap.unknown = 0;
    heap.sites = 0;             /* an exec that fails goes on: with a profile of its own */
    heap.blocks = 0;
    end_shared();
    if (file > 2)
        CLOSE(file);
}
