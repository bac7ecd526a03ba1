/* Reuse distances: how many other lines of memory were touched since a line was touched last.

   A fully associative cache of N lines hits exactly those accesses whose distance is below N, so
   one run gives the hit rates of caches of all sizes.  Lines beyond the last WINDOW or more
   distinct ones are forgotten; their next access counts as a first one. */
#include <inst/hooks.h>
#include <inst/support.h>

#include <array>
#include <atomic>

#ifndef LINE
#define LINE 64
#endif
#ifndef WINDOW
#define WINDOW 32768
#endif

namespace {

/* A set of numbers from 1 to Size that counts those up to a number (Fenwick's tree). */
template <uint32_t Size> class CountedSet {
public:
    void insert(uint32_t number) { change(number, 1); }
    void remove(uint32_t number) { change(number, -1); }
    void clear() { sums.fill(0); }

    uint32_t until(uint32_t number) const
    {
        uint32_t count = 0;
        for (; number; number &= number - 1)
            count += sums[number];
        return count;
    }

private:
    void change(uint32_t number, uint32_t by)
    {
        for (; number <= Size; number += number & -number)
            sums[number] += by;
    }

    std::array<uint32_t, Size + 1> sums{};
};

/* Lines and the time of their last access; open addressing, at most half full. */
template <uint32_t Slots> class LastAccesses {
public:
    uint32_t &operator[](inst_address line)
    {
        uint32_t slot = uint32_t(line * 2654435761u) % Slots;
        while (slots[slot].time && slots[slot].line != line)
            slot = (slot + 1) % Slots;
        slots[slot].line = line;
        return slots[slot].time;
    }

    void clear() { slots.fill({}); }

private:
    struct Slot {
        inst_address line;
        uint32_t time; /* 0: the slot is empty */
    };
    std::array<Slot, Slots> slots{};
};

class Distances {
public:
    void touch(inst_address line)
    {
        if (now == TIMES)
            forget();
        uint32_t &last = accesses[line];
        if (last) {
            count(lines - times.until(last));
            times.remove(last);
        } else {
            first++;
            lines++;
        }
        last = ++now;
        times.insert(now);
        line_at[now] = line;
    }

    void clear()
    {
        accesses.clear();
        times.clear();
        histogram.fill(0);
        first = 0;
        now = lines = 0;
    }

    void report() const
    {
        uint64_t all = first;
        for (uint64_t number : histogram)
            all += number;
        DPRINTF(2, "%12llu accesses to lines of %d bytes\n", (unsigned long long)all, LINE);
        DPRINTF(2, "%12llu first accesses\n", (unsigned long long)first);
        for (uint32_t bucket = 0; bucket < histogram.size(); bucket++)
            if (histogram[bucket])
                DPRINTF(2, "%12llu with fewer than %u other lines since the last\n",
                        (unsigned long long)histogram[bucket], 1u << bucket);
    }

private:
    static constexpr uint32_t TIMES = 2 * WINDOW;

    /* Bucket 0 is distance 0, bucket N those from 2**(N-1) to below 2**N. */
    void count(uint32_t distance)
    {
        uint32_t bucket = 0;
        while (distance >> bucket)
            bucket++;
        histogram[bucket]++;
    }

    /* Number the last WINDOW lines anew, from 1 in the order of their last accesses. */
    void forget()
    {
        uint32_t kept = 0;
        uint32_t dropped = lines > WINDOW ? lines - WINDOW : 0;
        for (uint32_t time = 1; time <= TIMES; time++)
            if (accesses[line_at[time]] == time && !(dropped && dropped--))
                line_at[++kept] = line_at[time];
        accesses.clear();
        times.clear();
        for (uint32_t time = 1; time <= kept; time++) {
            accesses[line_at[time]] = time;
            times.insert(time);
        }
        now = lines = kept;
    }

    LastAccesses<4 * WINDOW> accesses;
    CountedSet<TIMES> times;
    std::array<inst_address, TIMES + 1> line_at{};
    std::array<uint64_t, 32> histogram{};
    uint64_t first = 0;
    uint32_t now = 0, lines = 0;
};

constinit Distances distances;

/* Hooks run in several threads at once, and in signal handlers that interrupt a hook: an access
   during the lookup of another one is left out, and counted. */
constinit std::atomic_flag busy;
constinit volatile uint32_t left_out = 0;
constinit bool stopped = false;

void access(inst_address address, uint32_t size)
{
    if (stopped)
        return;
    if (busy.test_and_set(std::memory_order_acquire)) {
        left_out = left_out + 1;
        return;
    }
    for (inst_address line = address / LINE; line <= (address + size - 1) / LINE; line++)
        distances.touch(line);
    busy.clear(std::memory_order_release);
}

} // namespace

void ldbhook(inst_address address) { access(address, 1); }
void ldhhook(inst_address address) { access(address, 2); }
void ldwhook(inst_address address) { access(address, 4); }
void lddhook(inst_address address) { access(address, 8); }
void ldqhook(inst_address address) { access(address, 16); }
void stbhook(inst_address address) { access(address, 1); }
void sthhook(inst_address address) { access(address, 2); }
void stwhook(inst_address address) { access(address, 4); }
void stdhook(inst_address address) { access(address, 8); }
void stqhook(inst_address address) { access(address, 16); }
void llhook(inst_address address, inst_address, inst_address size) { access(address, size); }
void stblockhook(inst_address address, inst_address, inst_address size) { access(address, size); }

/* INST_HINT("measure_start", 0, 0) in the program begins anew, "measure_stop" ends. */
void hinthook(const char *kind)
{
    if (!STRCMP(kind, "measure_stop"))
        stopped = true;
    if (!STRCMP(kind, "measure_start")) {
        distances.clear();
        left_out = 0;
        stopped = false;
    }
}

void exithook()
{
    distances.report();
    if (left_out)
        DPRINTF(2, "%u accesses were left out: they came while another was looked up\n",
                unsigned(left_out));
}
