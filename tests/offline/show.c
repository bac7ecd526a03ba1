/* Write a line for each call of a hook, with all that it is passed and the calls that its thread has had.
   What each thread has of its own is a variable of the library's. */
#define INST_ALL_PARAMETERS
#include <inst/backtrace.h>
#include <inst/hooks.h>
#include <inst/support.h>

static __thread unsigned calls;

#define SAY(FORMAT, ...) DPRINTF(2, "%d %u " FORMAT "\n", GETTID(), ++calls, __VA_ARGS__)
#define HEX(NUMBER) ((unsigned long long)(NUMBER))

#define SMALL(NAME)                                                                     \
    void NAME(inst_address address, inst_address pc, uint32_t value)                    \
    {                                                                                   \
        SAY(#NAME " %llx %llx %llx", HEX(address), HEX(pc), HEX(value));                \
    }
SMALL(ldbhook)
SMALL(ldhhook)
SMALL(ldwhook)
SMALL(stbhook)
SMALL(sthhook)
SMALL(stwhook)

#define DOUBLE(NAME)                                                                    \
    void NAME(inst_address address, inst_address pc, uint64_t value)                    \
    {                                                                                   \
        SAY(#NAME " %llx %llx %llx", HEX(address), HEX(pc), HEX(value));                \
    }
DOUBLE(lddhook)
DOUBLE(stdhook)

#define QUAD(NAME)                                                                      \
    void NAME(inst_address address, inst_address pc, uint64_t high, uint64_t low)       \
    {                                                                                   \
        SAY(#NAME " %llx %llx %llx %llx", HEX(address), HEX(pc), HEX(high), HEX(low));  \
    }
QUAD(ldqhook)
QUAD(stqhook)

#define REGION(NAME)                                                                    \
    void NAME(inst_address address, inst_address pc, inst_address size)                 \
    {                                                                                   \
        SAY(#NAME " %llx %llx %llx", HEX(address), HEX(pc), HEX(size));                 \
    }
REGION(llhook)
REGION(stblockhook)

void systemhook(uint32_t id)
{
    SAY("systemhook %u", id);
}

void ldsyshook(inst_address address, inst_address size)
{
    SAY("ldsyshook %llx %llx", HEX(address), HEX(size));
}

void stsyshook(inst_address address, inst_address size)
{
    SAY("stsyshook %llx %llx", HEX(address), HEX(size));
}

void signalhook(int sic, int signal)
{
    (void)sic;
    SAY("signalhook %d", signal);
}

void barrierhook(const char *kind, const char *source)
{
    SAY("barrierhook %s %s", kind, source);
}

void hinthook(const char *kind, inst_address address, uint64_t value, const char *source)
{
    SAY("hinthook %s %llx %llx %s", kind, HEX(address), HEX(value), source);
}

#define LOCK(NAME)                                                                      \
    void NAME(inst_address address, const char *source)                                 \
    {                                                                                   \
        SAY(#NAME " %llx %s", HEX(address), source);                                    \
    }
LOCK(lockhook)
LOCK(trylockhook)
LOCK(unlockhook)

void meminithook(inst_address address, inst_address size, const char *source)
{
    SAY("meminithook %llx %llx %s", HEX(address), HEX(size), source);
}

void memfreehook(inst_address address, inst_address size, const char *source)
{
    SAY("memfreehook %llx %llx %s", HEX(address), HEX(size), source);
}

void memsethook(inst_address address, inst_address size, uint32_t value, const char *source)
{
    SAY("memsethook %llx %llx %x %s", HEX(address), HEX(size), value, source);
}

void tlbihook(const char *operation, int operands, uint64_t operand, const char *source)
{
    SAY("tlbihook %s %d %llx %s", operation, operands, HEX(operand), source);
}

void sysreghook(const char *name, uint64_t value, const char *source)
{
    SAY("sysreghook %s %llx %s", name, HEX(value), source);
}

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    inst_address found[8];
    inst_backtrace_enter(function, back, stack);
    SAY("enterhook %llx %llx %llx depth %d", HEX(function), HEX(back), HEX(stack),
        inst_backtrace(found, 8));
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    inst_backtrace_leave(function, stack);
    SAY("leavehook %llx %llx %llx", HEX(function), HEX(pc), HEX(stack));
}

void inithook(const struct inst_registers *registers)
{
    (void)registers;            /* comes before variables of threads have their place */
    DPRINTF(2, "%d 0 inithook %llx\n", GETTID(), HEX(getbase()));
}

void exithook(void)
{
    SAY("exithook %d", getflag());
}
