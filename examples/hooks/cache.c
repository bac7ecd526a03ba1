/* Two levels of data cache: hits and misses of each, and the instructions that miss most.

   Sizes are set when the library is linked: --inst-hooks="./cache.c -DL1_SIZE=32768 -DL1_WAYS=8".
   Sizes, ways and LINE are powers of two.  Both levels allocate a line for loads and stores, and
   replace the least recently used one; the second receives the misses of the first. */
#include <inst/hooks.h>
#include <inst/support.h>

#ifndef LINE
#define LINE 32
#endif
#ifndef L1_SIZE
#define L1_SIZE 16384
#endif
#ifndef L1_WAYS
#define L1_WAYS 4
#endif
#ifndef L2_SIZE
#define L2_SIZE 262144
#endif
#ifndef L2_WAYS
#define L2_WAYS 8
#endif

enum { PLACES = 1024, SHOWN = 5 }; /* instructions that are counted separately, and how many are shown */

struct counts {
    uint64_t hits, misses;
};

/* Each set holds the numbers of its lines plus 1, the last used first; 0: nothing. */
static inst_address first_level[L1_SIZE / LINE / L1_WAYS][L1_WAYS];
static inst_address second_level[L2_SIZE / LINE / L2_WAYS][L2_WAYS];
static struct counts level1, level2;

static struct place {
    inst_address pc;
    uint32_t misses;
} places[PLACES];

/* Hooks run in several threads at once, and in signal handlers that interrupt a hook: an access
   during the lookup of another one is left out, and counted. */
static unsigned char busy;
static volatile uint32_t left_out;
static int stopped;

/* Return whether a set has the line, which is then first in it. */
static int use(inst_address *set, unsigned ways, inst_address line)
{
    unsigned place = 0;
    while (place < ways - 1 && set[place] != line + 1)
        place++;
    int hit = set[place] == line + 1;
    for (; place > 0; place--)
        set[place] = set[place - 1];
    set[0] = line + 1;
    return hit;
}

static void count_place(inst_address pc)
{
    for (unsigned probe = 0; probe < PLACES; probe++) {
        struct place *place = &places[(pc / 4 + probe) % PLACES];
        if (!place->misses)
            place->pc = pc;
        if (place->pc == pc) {
            place->misses++;
            return;
        }
    }
}

static void touch(inst_address line, inst_address pc)
{
    if (use(first_level[line % (L1_SIZE / LINE / L1_WAYS)], L1_WAYS, line)) {
        level1.hits++;
        return;
    }
    level1.misses++;
    count_place(pc);
    if (use(second_level[line % (L2_SIZE / LINE / L2_WAYS)], L2_WAYS, line))
        level2.hits++;
    else
        level2.misses++;
}

static void access(inst_address address, inst_address pc, unsigned size)
{
    if (stopped)
        return;
    if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {
        left_out++;
        return;
    }
    for (inst_address line = address / LINE; line <= (address + size - 1) / LINE; line++)
        touch(line, pc);
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void ldbhook(inst_address address, inst_address pc) { access(address, pc, 1); }
void ldhhook(inst_address address, inst_address pc) { access(address, pc, 2); }
void ldwhook(inst_address address, inst_address pc) { access(address, pc, 4); }
void lddhook(inst_address address, inst_address pc) { access(address, pc, 8); }
void ldqhook(inst_address address, inst_address pc) { access(address, pc, 16); }
void stbhook(inst_address address, inst_address pc) { access(address, pc, 1); }
void sthhook(inst_address address, inst_address pc) { access(address, pc, 2); }
void stwhook(inst_address address, inst_address pc) { access(address, pc, 4); }
void stdhook(inst_address address, inst_address pc) { access(address, pc, 8); }
void stqhook(inst_address address, inst_address pc) { access(address, pc, 16); }

void llhook(inst_address address, inst_address pc, inst_address size)
{
    access(address, pc, size);
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    access(address, pc, size);
}

static void report_level(const char *name, const struct counts *level)
{
    uint64_t all = level->hits + level->misses;
    unsigned thousandths = all ? level->misses * 1000 / all : 0;
    DPRINTF(2, "%s %12llu hits %12llu misses (%u.%u %%)\n", name, (unsigned long long)level->hits,
            (unsigned long long)level->misses, thousandths / 10, thousandths % 10);
}

static void report(void)
{
    report_level("L1", &level1);
    report_level("L2", &level2);
    DPRINTF(2, "base=%#llx\n", (unsigned long long)getbase()); /* for `inst symbols` */
    for (int shown = 0; shown < SHOWN; shown++) {
        struct place *most = places;
        for (struct place *place = places; place < places + PLACES; place++)
            most = place->misses > most->misses ? place : most;
        if (!most->misses)
            break;
        DPRINTF(2, "%12u L1 misses at %#llx\n", most->misses, (unsigned long long)most->pc);
        most->misses = 0;
    }
    if (left_out)
        DPRINTF(2, "%u accesses were left out: they came while another was looked up\n", left_out);
}

/* INST_HINT("measure_start", 0, 0) in the program begins with empty caches, "measure_stop" ends. */
void hinthook(const char *kind)
{
    if (!STRCMP(kind, "measure_stop"))
        stopped = 1;
    if (STRCMP(kind, "measure_start"))
        return;
    BZERO(first_level, sizeof first_level);
    BZERO(second_level, sizeof second_level);
    BZERO(places, sizeof places);
    level1 = level2 = (struct counts){0};
    left_out = stopped = 0;
}

void exithook(void) { report(); }
