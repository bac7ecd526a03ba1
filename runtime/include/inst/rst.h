/* The records of RST 2.13: made by `python -m inst.formats.rst.header`, not by hand.

   A trace is a sequence of records of 24 bytes, of which byte 0 tells the type.  For each type
   there is a struct of plain numbers, a function that fills it from a record and one that writes
   it to a record; both work by bytes, so that the host's byte order and alignment do not matter:

       unsigned char record[RST_SIZE];
       struct rst_instr instr;
       while (fread(record, RST_SIZE, 1, file) == 1)
           if (record[0] == RST_INSTR)
               rst_read_instr(record, version, &instr);

   `version` is major * 1000 + minor, as rst_version says of a header record: traces older than
   2012 have shorter cpu numbers.  A function that writes sets the type and its fields and
   leaves all other bits: clear a new record first.  A text has a NUL more than its field.  */
#ifndef INST_RST_H
#define INST_RST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RST_SIZE = 24, RST_CURRENT = 2013 };

/* What the header record says of that version; its third number is a '%'. */
#define RST_HEADER_TEXT "RST Header v2.13"

/* Record types; where two have one number, the first bit of byte 1 decides. */
enum {
    RST_HEADER = 2,
    RST_INSTR = 3,
    RST_TRACEINFO = 4,
    RST_TLB = 5,
    RST_THREAD = 6,
    RST_TRAP = 7,
    RST_TRAPEXIT = 8,
    RST_REGVAL = 9,
    RST_CPU = 11,
    RST_PROCESS = 12,
    RST_DMA = 13,
    RST_STRDESC = 14,
    RST_LEFTDELIM = 15,
    RST_RIGHTDELIM = 16,
    RST_PREG = 17,
    RST_PHYSADDR = 18,
    RST_PAVADIFF = 19,
    RST_NULLREC = 20,
    RST_STRCONT = 21,
    RST_FILEMARKER = 22, /* the bit is 0 */
    RST_RECNUM = 22, /* the bit is 1 */
    RST_STATUS = 23,
    RST_PATCH = 24,
    RST_HWINFO = 25,
    RST_MEMVAL64 = 26, /* the bit is 0 */
    RST_MEMVAL128 = 26, /* the bit is 1 */
    RST_BUSTRACE = 27,
    RST_SNOOP = 28,
    RST_TSB_ACCESS = 29,
    RST_RFS_SECTION = 30,
    RST_RFS_CW = 31,
    RST_RFS_BT = 32,
    RST_TRAPPING_INSTR = 34,
    RST_EVENT = 40,
    RST_EVENT_PC = 41,
    RST_EVENT_SIZE = 42,
    RST_EVENT_TEXT = 43,
    RST_POSITION = 80 /* before each event of a recording, in no RST trace */
};

/* Fields that are one bit of byte 1: that bit. */
enum {
    RST_INSTR_EA_VALID = 0x40,
    RST_INSTR_TR = 0x20,
    RST_INSTR_HPRIV = 0x10,
    RST_INSTR_PR = 0x08,
    RST_INSTR_BT = 0x04,
    RST_INSTR_AN = 0x02,
    RST_TLB_DEMAP = 0x80,
    RST_TLB_TYPE = 0x40,
    RST_TRAP_IS_ASYNC = 0x80,
    RST_REGVAL_POSTINSTR = 0x80,
    RST_DMA_ISWRITE = 0x01,
    RST_PHYSADDR_EA_VALID = 0x80,
    RST_PAVADIFF_EA_VALID = 0x80,
    RST_PATCH_ISBEGIN = 0x01,
    RST_HWINFO_SIM = 0x80,
    RST_MEMVAL64_ADDRISVA = 0x40,
    RST_MEMVAL128_ADDRISVA = 0x40,
    RST_MEMVAL128_ISCONTREC = 0x20,
    RST_TSB_ACCESS_ISDATA = 0x01,
    RST_TRAPPING_INSTR_HPRIV = 0x80,
    RST_TRAPPING_INSTR_PRIV = 0x40,
    RST_TRAPPING_INSTR_IFTRAP = 0x20,
    RST_TRAPPING_INSTR_EA_VA_VALID = 0x10,
    RST_TRAPPING_INSTR_EA_PA_VALID = 0x08,
    RST_EVENT_PC_STATED = 0x80,
    RST_EVENT_SIZE_PLACED = 0x80,
    RST_EVENT_TEXT_LAST = 0x80,
    RST_EVENT_TEXT_IS_SITE = 0x40
};

/* The kind of an EVENT: what it is about. */
enum {
    RST_KIND_OTHER = 0,
    RST_KIND_READ = 1,
    RST_KIND_WRITE = 2,
    RST_KIND_INSTRUCTION = 3,
    RST_KIND_TRAP = 4,
    RST_KIND_INIT = 5,
    RST_KIND_FREE = 6,
    RST_KIND_SET = 7,
    RST_KIND_BARRIER = 8,
    RST_KIND_TLBI = 9,
    RST_KIND_SYSREG = 10,
    RST_KIND_HINT = 11,
    RST_KIND_LOCK = 12,
    RST_KIND_TRYLOCK = 13,
    RST_KIND_UNLOCK = 14,
    RST_KIND_RESERVE = 15,
    RST_KIND_IMAGE = 16,
    RST_KIND_PRODUCER = 17,
    RST_KIND_GAP = 18,
    RST_KIND_ORDER = 19,
    RST_KIND_FRAME = 20,
    RST_KIND_ENTER = 21,
    RST_KIND_LEAVE = 22
};

/* The flags of an EVENT: which numbers it has, and what else is known. */
enum {
    RST_FLAG_HAS_PC = 1,
    RST_FLAG_HAS_ADDRESS = 2,
    RST_FLAG_HAS_VALUE = 4,
    RST_FLAG_HAS_WORD = 8,
    RST_FLAG_ATOMIC = 16,
    RST_FLAG_PRIVILEGED = 32,
    RST_FLAG_TAKEN = 64,
    RST_FLAG_ANNULLED = 128,
    RST_FLAG_TRAPPED = 256
};

/* The regtype0 and regtype1 of a REGVAL: what kind of register. */
enum {
    RST_REGISTER_INT = 1,
    RST_REGISTER_FLOAT = 2,
    RST_REGISTER_PRIV = 3,
    RST_REGISTER_OTHER = 4,
    RST_REGISTER_EMPTY = 5,
    RST_REGISTER_CC = 6,
    RST_REGISTER_FCC = 7
};

/* The rtype2 of a TRACEINFO that states the level, and the status of the last record. */
enum {
    RST_TRACEINFO_LEVEL = 2,
    RST_STATUS_END_OF_FILE = 2
};

/* Bits are counted from the most significant one of byte 0. */
static inline uint64_t rst_get(const unsigned char *record, unsigned start, unsigned width)
{
    unsigned byte = start / 8, end = start + width;
    uint64_t value = 0;
    for (; byte * 8 < end; byte++)
        value = value << 8 | record[byte];
    value >>= byte * 8 - end;
    return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

static inline void rst_put(unsigned char *record, unsigned start, unsigned width, uint64_t value)
{
    while (width) {
        unsigned last = start + width - 1, shift = 7 - last % 8;
        unsigned count = 8 - shift < width ? 8 - shift : width;
        unsigned mask = ((1u << count) - 1) << shift;
        unsigned bits = (unsigned)(value & 0xff) << shift;
        record[last / 8] = (unsigned char)((record[last / 8] & ~mask) | (bits & mask));
        value >>= count;
        width -= count;
    }
}

static inline void rst_get_text(const unsigned char *record, unsigned byte, unsigned size, char *to)
{
    unsigned n = 0;
    for (; n < size && record[byte + n]; n++)
        to[n] = (char)record[byte + n];
    to[n] = 0;
}

/* What is after the text and its NUL stays. */
static inline void rst_put_text(unsigned char *record, unsigned byte, unsigned size,
                                const char *from)
{
    for (unsigned n = 0; n < size; n++) {
        record[byte + n] = (unsigned char)from[n];
        if (!from[n])
            return;
    }
}

struct rst_header {
    uint8_t majorVer;
    uint8_t minorVer;
    uint8_t percent;
    char header_str[21];
};

static inline void rst_read_header(const unsigned char *record, unsigned version,
                                   struct rst_header *to)
{
    (void)version;
    to->majorVer = (uint8_t)rst_get(record, 8, 8);
    to->minorVer = (uint8_t)rst_get(record, 16, 8);
    to->percent = (uint8_t)rst_get(record, 24, 8);
    rst_get_text(record, 4, 20, to->header_str);
}

static inline void rst_write_header(const struct rst_header *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_HEADER;
    rst_put(record, 8, 8, from->majorVer);
    rst_put(record, 16, 8, from->minorVer);
    rst_put(record, 24, 8, from->percent);
    rst_put_text(record, 4, 20, from->header_str);
}

struct rst_instr {
    uint8_t ea_valid;
    uint8_t tr;
    uint8_t hpriv;
    uint8_t pr;
    uint8_t bt;
    uint8_t an;
    uint16_t cpuid;
    uint32_t instr;
    uint64_t pc_va;
    uint64_t ea_va;
};

static inline void rst_read_instr(const unsigned char *record, unsigned version,
                                  struct rst_instr *to)
{
    to->ea_valid = (uint8_t)rst_get(record, 9, 1);
    to->tr = (uint8_t)rst_get(record, 10, 1);
    to->hpriv = 0;
    if (version >= 2012)
        to->hpriv = (uint8_t)rst_get(record, 11, 1);
    to->pr = (uint8_t)rst_get(record, 12, 1);
    to->bt = (uint8_t)rst_get(record, 13, 1);
    to->an = (uint8_t)rst_get(record, 14, 1);
    to->cpuid = 0;
    if (version >= 1010)
        to->cpuid = (uint16_t)rst_get(record, 16, 6);
    if (version >= 2012)
        to->cpuid = (uint16_t)((rst_get(record, 22, 2) << 2 | rst_get(record, 24, 2)) << 6
                | rst_get(record, 16, 6));
    to->instr = (uint32_t)rst_get(record, 32, 32);
    to->pc_va = (uint64_t)rst_get(record, 64, 64);
    to->ea_va = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_instr(const struct rst_instr *from,
                                   unsigned version, unsigned char *record)
{
    record[0] = RST_INSTR;
    rst_put(record, 9, 1, from->ea_valid);
    rst_put(record, 10, 1, from->tr);
    if (version >= 2012)
        rst_put(record, 11, 1, from->hpriv);
    rst_put(record, 12, 1, from->pr);
    rst_put(record, 13, 1, from->bt);
    rst_put(record, 14, 1, from->an);
    if (version >= 1010)
        rst_put(record, 16, 6, from->cpuid);
    if (version >= 2012)
        rst_put(record, 24, 2, from->cpuid >> 6);
    if (version >= 2012)
        rst_put(record, 22, 2, from->cpuid >> 8);
    rst_put(record, 32, 32, from->instr);
    rst_put(record, 64, 64, from->pc_va);
    rst_put(record, 128, 64, from->ea_va);
}

struct rst_traceinfo {
    uint8_t rtype2;
    uint16_t level;
    uint32_t val32;
    uint64_t time64;
};

static inline void rst_read_traceinfo(const unsigned char *record, unsigned version,
                                      struct rst_traceinfo *to)
{
    (void)version;
    to->rtype2 = (uint8_t)rst_get(record, 8, 8);
    to->level = (uint16_t)rst_get(record, 16, 16);
    to->val32 = (uint32_t)rst_get(record, 32, 32);
    to->time64 = (uint64_t)rst_get(record, 64, 64);
}

static inline void rst_write_traceinfo(const struct rst_traceinfo *from,
                                       unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_TRACEINFO;
    rst_put(record, 8, 8, from->rtype2);
    rst_put(record, 16, 16, from->level);
    rst_put(record, 32, 32, from->val32);
    rst_put(record, 64, 64, from->time64);
}

struct rst_tlb {
    uint8_t demap;
    uint8_t type;
    uint16_t index;
    uint8_t unit;
    uint16_t cpuid;
    uint64_t tag;
    uint64_t data;
};

static inline void rst_read_tlb(const unsigned char *record, unsigned version, struct rst_tlb *to)
{
    to->demap = (uint8_t)rst_get(record, 8, 1);
    to->type = (uint8_t)rst_get(record, 9, 1);
    to->index = (uint16_t)rst_get(record, 16, 16);
    to->unit = (uint8_t)rst_get(record, 32, 2);
    to->cpuid = 0;
    if (version >= 1006)
        to->cpuid = (uint16_t)rst_get(record, 34, 6);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 40, 4) << 6 | rst_get(record, 34, 6));
    to->tag = (uint64_t)rst_get(record, 64, 64);
    to->data = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_tlb(const struct rst_tlb *from,
                                 unsigned version, unsigned char *record)
{
    record[0] = RST_TLB;
    rst_put(record, 8, 1, from->demap);
    rst_put(record, 9, 1, from->type);
    rst_put(record, 16, 16, from->index);
    rst_put(record, 32, 2, from->unit);
    if (version >= 1006)
        rst_put(record, 34, 6, from->cpuid);
    if (version >= 2012)
        rst_put(record, 40, 4, from->cpuid >> 6);
    rst_put(record, 64, 64, from->tag);
    rst_put(record, 128, 64, from->data);
}

struct rst_thread {
    uint16_t icontext;
    uint64_t tid;
};

static inline void rst_read_thread(const unsigned char *record, unsigned version,
                                   struct rst_thread *to)
{
    (void)version;
    to->icontext = (uint16_t)rst_get(record, 16, 16);
    to->tid = (uint64_t)rst_get(record, 64, 64);
}

static inline void rst_write_thread(const struct rst_thread *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_THREAD;
    rst_put(record, 16, 16, from->icontext);
    rst_put(record, 64, 64, from->tid);
}

struct rst_trap {
    uint8_t is_async;
    uint8_t tl;
    uint16_t cpuid;
    uint16_t ttype;
    uint16_t pstate;
    uint16_t syscall;
    uint64_t pc;
    uint64_t npc;
};

static inline void rst_read_trap(const unsigned char *record, unsigned version, struct rst_trap *to)
{
    to->is_async = (uint8_t)rst_get(record, 8, 1);
    to->tl = (uint8_t)rst_get(record, 12, 4);
    to->cpuid = 0;
    if (version >= 1010)
        to->cpuid = (uint16_t)rst_get(record, 16, 6);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 48, 4) << 6 | rst_get(record, 16, 6));
    to->ttype = (uint16_t)(rst_get(record, 22, 2) << 8 | rst_get(record, 24, 8));
    to->pstate = (uint16_t)rst_get(record, 32, 16);
    to->syscall = (uint16_t)(rst_get(record, 52, 4) << 8 | rst_get(record, 56, 8));
    to->pc = (uint64_t)rst_get(record, 64, 64);
    to->npc = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_trap(const struct rst_trap *from,
                                  unsigned version, unsigned char *record)
{
    record[0] = RST_TRAP;
    rst_put(record, 8, 1, from->is_async);
    rst_put(record, 12, 4, from->tl);
    if (version >= 1010)
        rst_put(record, 16, 6, from->cpuid);
    if (version >= 2012)
        rst_put(record, 48, 4, from->cpuid >> 6);
    rst_put(record, 24, 8, from->ttype);
    rst_put(record, 22, 2, from->ttype >> 8);
    rst_put(record, 32, 16, from->pstate);
    rst_put(record, 56, 8, from->syscall);
    rst_put(record, 52, 4, from->syscall >> 8);
    rst_put(record, 64, 64, from->pc);
    rst_put(record, 128, 64, from->npc);
}

struct rst_trapexit {
    uint8_t tl;
    uint16_t cpuid;
    uint32_t tstate;
};

static inline void rst_read_trapexit(const unsigned char *record, unsigned version,
                                     struct rst_trapexit *to)
{
    to->tl = (uint8_t)rst_get(record, 8, 8);
    to->cpuid = 0;
    if (version >= 1010)
        to->cpuid = (uint16_t)rst_get(record, 16, 6);
    if (version >= 2012)
        to->cpuid = (uint16_t)((rst_get(record, 22, 2) << 2 | rst_get(record, 24, 2)) << 6
                | rst_get(record, 16, 6));
    to->tstate = (uint32_t)rst_get(record, 32, 32);
}

static inline void rst_write_trapexit(const struct rst_trapexit *from,
                                      unsigned version, unsigned char *record)
{
    record[0] = RST_TRAPEXIT;
    rst_put(record, 8, 8, from->tl);
    if (version >= 1010)
        rst_put(record, 16, 6, from->cpuid);
    if (version >= 2012)
        rst_put(record, 24, 2, from->cpuid >> 6);
    if (version >= 2012)
        rst_put(record, 22, 2, from->cpuid >> 8);
    rst_put(record, 32, 32, from->tstate);
}

struct rst_regval {
    uint8_t postInstr;
    uint16_t cpuid;
    uint8_t regtype0;
    uint8_t regtype1;
    uint8_t regid0;
    uint8_t regid1;
    uint64_t reg64_0;
    uint64_t reg64_1;
};

static inline void rst_read_regval(const unsigned char *record, unsigned version,
                                   struct rst_regval *to)
{
    to->postInstr = (uint8_t)rst_get(record, 8, 1);
    to->cpuid = 0;
    if (version >= 1010)
        to->cpuid = (uint16_t)rst_get(record, 9, 7);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 48, 3) << 7 | rst_get(record, 9, 7));
    to->regtype0 = (uint8_t)rst_get(record, 16, 8);
    to->regtype1 = (uint8_t)rst_get(record, 24, 8);
    to->regid0 = (uint8_t)rst_get(record, 32, 8);
    to->regid1 = (uint8_t)rst_get(record, 40, 8);
    to->reg64_0 = (uint64_t)rst_get(record, 64, 64);
    to->reg64_1 = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_regval(const struct rst_regval *from,
                                    unsigned version, unsigned char *record)
{
    record[0] = RST_REGVAL;
    rst_put(record, 8, 1, from->postInstr);
    if (version >= 1010)
        rst_put(record, 9, 7, from->cpuid);
    if (version >= 2012)
        rst_put(record, 48, 3, from->cpuid >> 7);
    rst_put(record, 16, 8, from->regtype0);
    rst_put(record, 24, 8, from->regtype1);
    rst_put(record, 32, 8, from->regid0);
    rst_put(record, 40, 8, from->regid1);
    rst_put(record, 64, 64, from->reg64_0);
    rst_put(record, 128, 64, from->reg64_1);
}

struct rst_cpu {
    uint16_t cpu;
    uint64_t timestamp;
};

static inline void rst_read_cpu(const unsigned char *record, unsigned version, struct rst_cpu *to)
{
    (void)version;
    to->cpu = (uint16_t)rst_get(record, 48, 16);
    to->timestamp = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_cpu(const struct rst_cpu *from,
                                 unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_CPU;
    rst_put(record, 48, 16, from->cpu);
    rst_put(record, 128, 64, from->timestamp);
}

struct rst_process {
    uint32_t oldpid;
    uint32_t newpid;
    uint32_t oldcontext;
    uint32_t newcontext;
};

static inline void rst_read_process(const unsigned char *record, unsigned version,
                                    struct rst_process *to)
{
    (void)version;
    to->oldpid = (uint32_t)rst_get(record, 64, 32);
    to->newpid = (uint32_t)rst_get(record, 96, 32);
    to->oldcontext = (uint32_t)rst_get(record, 128, 32);
    to->newcontext = (uint32_t)rst_get(record, 160, 32);
}

static inline void rst_write_process(const struct rst_process *from,
                                     unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_PROCESS;
    rst_put(record, 64, 32, from->oldpid);
    rst_put(record, 96, 32, from->newpid);
    rst_put(record, 128, 32, from->oldcontext);
    rst_put(record, 160, 32, from->newcontext);
}

struct rst_dma {
    uint8_t iswrite;
    uint32_t nbytes;
    uint64_t start_pa;
};

static inline void rst_read_dma(const unsigned char *record, unsigned version, struct rst_dma *to)
{
    (void)version;
    to->iswrite = (uint8_t)rst_get(record, 15, 1);
    to->nbytes = (uint32_t)rst_get(record, 32, 32);
    to->start_pa = (uint64_t)rst_get(record, 64, 64);
}

static inline void rst_write_dma(const struct rst_dma *from,
                                 unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_DMA;
    rst_put(record, 15, 1, from->iswrite);
    rst_put(record, 32, 32, from->nbytes);
    rst_put(record, 64, 64, from->start_pa);
}

struct rst_strdesc {
    char string[24];
};

static inline void rst_read_strdesc(const unsigned char *record, unsigned version,
                                    struct rst_strdesc *to)
{
    (void)version;
    rst_get_text(record, 1, 23, to->string);
}

static inline void rst_write_strdesc(const struct rst_strdesc *from,
                                     unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_STRDESC;
    rst_put_text(record, 1, 23, from->string);
}

struct rst_leftdelim {
    uint8_t id;
    uint16_t what;
    uint32_t length;
};

static inline void rst_read_leftdelim(const unsigned char *record, unsigned version,
                                      struct rst_leftdelim *to)
{
    (void)version;
    to->id = (uint8_t)rst_get(record, 8, 8);
    to->what = (uint16_t)rst_get(record, 16, 16);
    to->length = (uint32_t)rst_get(record, 32, 32);
}

static inline void rst_write_leftdelim(const struct rst_leftdelim *from,
                                       unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_LEFTDELIM;
    rst_put(record, 8, 8, from->id);
    rst_put(record, 16, 16, from->what);
    rst_put(record, 32, 32, from->length);
}

struct rst_rightdelim {
    uint8_t id;
    uint16_t what;
    uint32_t length;
};

static inline void rst_read_rightdelim(const unsigned char *record, unsigned version,
                                       struct rst_rightdelim *to)
{
    (void)version;
    to->id = (uint8_t)rst_get(record, 8, 8);
    to->what = (uint16_t)rst_get(record, 16, 16);
    to->length = (uint32_t)rst_get(record, 32, 32);
}

static inline void rst_write_rightdelim(const struct rst_rightdelim *from,
                                        unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_RIGHTDELIM;
    rst_put(record, 8, 8, from->id);
    rst_put(record, 16, 16, from->what);
    rst_put(record, 32, 32, from->length);
}

struct rst_preg {
    uint8_t asiReg;
    uint8_t traplevel;
    uint8_t traptype;
    uint16_t pstate;
    uint16_t cpuid;
    uint16_t primA;
    uint16_t secA;
    uint16_t primD;
    uint16_t secD;
};

static inline void rst_read_preg(const unsigned char *record, unsigned version, struct rst_preg *to)
{
    to->asiReg = (uint8_t)rst_get(record, 8, 8);
    to->traplevel = (uint8_t)rst_get(record, 32, 8);
    to->traptype = (uint8_t)rst_get(record, 40, 8);
    to->pstate = (uint16_t)rst_get(record, 48, 16);
    to->cpuid = 0;
    if (version >= 1009)
        to->cpuid = (uint16_t)rst_get(record, 64, 8);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 72, 2) << 8 | rst_get(record, 64, 8));
    to->primA = (uint16_t)rst_get(record, 128, 16);
    to->secA = (uint16_t)rst_get(record, 144, 16);
    to->primD = (uint16_t)rst_get(record, 160, 16);
    to->secD = (uint16_t)rst_get(record, 176, 16);
}

static inline void rst_write_preg(const struct rst_preg *from,
                                  unsigned version, unsigned char *record)
{
    record[0] = RST_PREG;
    rst_put(record, 8, 8, from->asiReg);
    rst_put(record, 32, 8, from->traplevel);
    rst_put(record, 40, 8, from->traptype);
    rst_put(record, 48, 16, from->pstate);
    if (version >= 1009)
        rst_put(record, 64, 8, from->cpuid);
    if (version >= 2012)
        rst_put(record, 72, 2, from->cpuid >> 8);
    rst_put(record, 128, 16, from->primA);
    rst_put(record, 144, 16, from->secA);
    rst_put(record, 160, 16, from->primD);
    rst_put(record, 176, 16, from->secD);
}

struct rst_physaddr {
    uint8_t ea_valid;
    uint16_t cpuid;
    uint64_t pc_pa;
    uint64_t ea_pa;
};

static inline void rst_read_physaddr(const unsigned char *record, unsigned version,
                                     struct rst_physaddr *to)
{
    to->ea_valid = (uint8_t)rst_get(record, 8, 1);
    to->cpuid = 0;
    if (version >= 1006)
        to->cpuid = (uint16_t)rst_get(record, 9, 7);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 16, 3) << 7 | rst_get(record, 9, 7));
    to->pc_pa = (uint64_t)rst_get(record, 64, 64);
    to->ea_pa = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_physaddr(const struct rst_physaddr *from,
                                      unsigned version, unsigned char *record)
{
    record[0] = RST_PHYSADDR;
    rst_put(record, 8, 1, from->ea_valid);
    if (version >= 1006)
        rst_put(record, 9, 7, from->cpuid);
    if (version >= 2012)
        rst_put(record, 16, 3, from->cpuid >> 7);
    rst_put(record, 64, 64, from->pc_pa);
    rst_put(record, 128, 64, from->ea_pa);
}

struct rst_pavadiff {
    uint8_t ea_valid;
    uint16_t cpuid;
    uint16_t icontext;
    uint16_t dcontext;
    uint64_t pc_pa_va;
    uint64_t ea_pa_va;
};

static inline void rst_read_pavadiff(const unsigned char *record, unsigned version,
                                     struct rst_pavadiff *to)
{
    to->ea_valid = (uint8_t)rst_get(record, 8, 1);
    to->cpuid = 0;
    if (version >= 1006)
        to->cpuid = (uint16_t)rst_get(record, 9, 7);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 16, 3) << 7 | rst_get(record, 9, 7));
    to->icontext = (uint16_t)rst_get(record, 32, 16);
    to->dcontext = (uint16_t)rst_get(record, 48, 16);
    to->pc_pa_va = (uint64_t)rst_get(record, 64, 64);
    to->ea_pa_va = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_pavadiff(const struct rst_pavadiff *from,
                                      unsigned version, unsigned char *record)
{
    record[0] = RST_PAVADIFF;
    rst_put(record, 8, 1, from->ea_valid);
    if (version >= 1006)
        rst_put(record, 9, 7, from->cpuid);
    if (version >= 2012)
        rst_put(record, 16, 3, from->cpuid >> 7);
    rst_put(record, 32, 16, from->icontext);
    rst_put(record, 48, 16, from->dcontext);
    rst_put(record, 64, 64, from->pc_pa_va);
    rst_put(record, 128, 64, from->ea_pa_va);
}

struct rst_strcont {
    char string[24];
};

static inline void rst_read_strcont(const unsigned char *record, unsigned version,
                                    struct rst_strcont *to)
{
    (void)version;
    rst_get_text(record, 1, 23, to->string);
}

static inline void rst_write_strcont(const struct rst_strcont *from,
                                     unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_STRCONT;
    rst_put_text(record, 1, 23, from->string);
}

struct rst_filemarker {
    uint8_t level;
    uint8_t recType;
    uint16_t cpuid;
    uint64_t incount;
    uint64_t outcount;
};

static inline void rst_read_filemarker(const unsigned char *record, unsigned version,
                                       struct rst_filemarker *to)
{
    to->level = (uint8_t)rst_get(record, 9, 7);
    to->recType = (uint8_t)rst_get(record, 16, 8);
    to->cpuid = (uint16_t)rst_get(record, 24, 8);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 32, 2) << 8 | rst_get(record, 24, 8));
    to->incount = (uint64_t)rst_get(record, 64, 64);
    to->outcount = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_filemarker(const struct rst_filemarker *from,
                                        unsigned version, unsigned char *record)
{
    record[0] = RST_FILEMARKER;
    rst_put(record, 8, 1, 0);
    rst_put(record, 9, 7, from->level);
    rst_put(record, 16, 8, from->recType);
    rst_put(record, 24, 8, from->cpuid);
    if (version >= 2012)
        rst_put(record, 32, 2, from->cpuid >> 8);
    rst_put(record, 64, 64, from->incount);
    rst_put(record, 128, 64, from->outcount);
}

struct rst_recnum {
    uint8_t level;
    uint8_t recType;
    uint16_t cpuid;
    uint64_t incount;
    uint64_t outcount;
};

static inline void rst_read_recnum(const unsigned char *record, unsigned version,
                                   struct rst_recnum *to)
{
    to->level = (uint8_t)rst_get(record, 9, 7);
    to->recType = (uint8_t)rst_get(record, 16, 8);
    to->cpuid = (uint16_t)rst_get(record, 24, 8);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 32, 2) << 8 | rst_get(record, 24, 8));
    to->incount = (uint64_t)rst_get(record, 64, 64);
    to->outcount = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_recnum(const struct rst_recnum *from,
                                    unsigned version, unsigned char *record)
{
    record[0] = RST_RECNUM;
    rst_put(record, 8, 1, 1);
    rst_put(record, 9, 7, from->level);
    rst_put(record, 16, 8, from->recType);
    rst_put(record, 24, 8, from->cpuid);
    if (version >= 2012)
        rst_put(record, 32, 2, from->cpuid >> 8);
    rst_put(record, 64, 64, from->incount);
    rst_put(record, 128, 64, from->outcount);
}

struct rst_status {
    uint8_t status;
    uint8_t analyzer;
    uint8_t command;
};

static inline void rst_read_status(const unsigned char *record, unsigned version,
                                   struct rst_status *to)
{
    (void)version;
    to->status = (uint8_t)rst_get(record, 8, 8);
    to->analyzer = (uint8_t)rst_get(record, 16, 8);
    to->command = (uint8_t)rst_get(record, 24, 8);
}

static inline void rst_write_status(const struct rst_status *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_STATUS;
    rst_put(record, 8, 8, from->status);
    rst_put(record, 16, 8, from->analyzer);
    rst_put(record, 24, 8, from->command);
}

struct rst_patch {
    uint8_t isBegin;
    uint8_t rewindrecs;
    uint8_t id;
    uint16_t length;
    char descr[17];
};

static inline void rst_read_patch(const unsigned char *record, unsigned version,
                                  struct rst_patch *to)
{
    (void)version;
    to->isBegin = (uint8_t)rst_get(record, 15, 1);
    to->rewindrecs = (uint8_t)rst_get(record, 16, 8);
    to->id = (uint8_t)rst_get(record, 24, 8);
    to->length = (uint16_t)rst_get(record, 32, 16);
    rst_get_text(record, 8, 16, to->descr);
}

static inline void rst_write_patch(const struct rst_patch *from,
                                   unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_PATCH;
    rst_put(record, 15, 1, from->isBegin);
    rst_put(record, 16, 8, from->rewindrecs);
    rst_put(record, 24, 8, from->id);
    rst_put(record, 32, 16, from->length);
    rst_put_text(record, 8, 16, from->descr);
}

struct rst_hwinfo {
    uint8_t sim;
    uint8_t category;
    uint8_t infotype;
    uint16_t entindex;
    uint16_t nument;
    uint64_t val;
    uint64_t val2;
};

static inline void rst_read_hwinfo(const unsigned char *record, unsigned version,
                                   struct rst_hwinfo *to)
{
    (void)version;
    to->sim = (uint8_t)rst_get(record, 8, 1);
    to->category = (uint8_t)rst_get(record, 16, 8);
    to->infotype = (uint8_t)rst_get(record, 24, 8);
    to->entindex = (uint16_t)rst_get(record, 32, 16);
    to->nument = (uint16_t)rst_get(record, 48, 16);
    to->val = (uint64_t)rst_get(record, 64, 64);
    to->val2 = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_hwinfo(const struct rst_hwinfo *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_HWINFO;
    rst_put(record, 8, 1, from->sim);
    rst_put(record, 16, 8, from->category);
    rst_put(record, 24, 8, from->infotype);
    rst_put(record, 32, 16, from->entindex);
    rst_put(record, 48, 16, from->nument);
    rst_put(record, 64, 64, from->val);
    rst_put(record, 128, 64, from->val2);
}

struct rst_memval64 {
    uint8_t addrisVA;
    uint16_t cpuid;
    uint8_t size;
    uint64_t addr;
    uint64_t val;
};

static inline void rst_read_memval64(const unsigned char *record, unsigned version,
                                     struct rst_memval64 *to)
{
    to->addrisVA = (uint8_t)rst_get(record, 9, 1);
    to->cpuid = (uint16_t)rst_get(record, 16, 8);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 14, 2) << 8 | rst_get(record, 16, 8));
    to->size = (uint8_t)rst_get(record, 28, 4);
    to->addr = (uint64_t)rst_get(record, 64, 64);
    to->val = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_memval64(const struct rst_memval64 *from,
                                      unsigned version, unsigned char *record)
{
    record[0] = RST_MEMVAL64;
    rst_put(record, 8, 1, 0);
    rst_put(record, 9, 1, from->addrisVA);
    rst_put(record, 16, 8, from->cpuid);
    if (version >= 2012)
        rst_put(record, 14, 2, from->cpuid >> 8);
    rst_put(record, 28, 4, from->size);
    rst_put(record, 64, 64, from->addr);
    rst_put(record, 128, 64, from->val);
}

struct rst_memval128 {
    uint8_t addrisVA;
    uint8_t isContRec;
    uint16_t cpuid;
    uint64_t addr;
    uint64_t val;
    uint64_t val2;
};

static inline void rst_read_memval128(const unsigned char *record, unsigned version,
                                      struct rst_memval128 *to)
{
    to->addrisVA = (uint8_t)rst_get(record, 9, 1);
    to->isContRec = (uint8_t)rst_get(record, 10, 1);
    to->cpuid = (uint16_t)rst_get(record, 16, 8);
    if (version >= 2012)
        to->cpuid = (uint16_t)(rst_get(record, 14, 2) << 8 | rst_get(record, 16, 8));
    to->addr = (uint64_t)(rst_get(record, 24, 8) << 32 | rst_get(record, 32, 32));
    if (to->addr >> 39 & 1)
        to->addr |= ~(uint64_t)0 << 40;
    to->addr <<= 4;
    to->val = (uint64_t)rst_get(record, 64, 64);
    to->val2 = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_memval128(const struct rst_memval128 *from,
                                       unsigned version, unsigned char *record)
{
    record[0] = RST_MEMVAL128;
    rst_put(record, 8, 1, 1);
    rst_put(record, 9, 1, from->addrisVA);
    rst_put(record, 10, 1, from->isContRec);
    rst_put(record, 16, 8, from->cpuid);
    if (version >= 2012)
        rst_put(record, 14, 2, from->cpuid >> 8);
    rst_put(record, 32, 32, from->addr >> 4);
    rst_put(record, 24, 8, from->addr >> 36);
    rst_put(record, 64, 64, from->val);
    rst_put(record, 128, 64, from->val2);
}

struct rst_bustrace {
    uint8_t flags;
    uint8_t bt_type;
    uint8_t txType;
    uint16_t agentid;
    uint8_t tdiff;
    uint8_t nsScale;
    uint32_t timestamp;
    uint64_t data;
    uint64_t addr_pa;
};

static inline void rst_read_bustrace(const unsigned char *record, unsigned version,
                                     struct rst_bustrace *to)
{
    (void)version;
    to->flags = (uint8_t)rst_get(record, 8, 4);
    to->bt_type = (uint8_t)rst_get(record, 12, 4);
    to->txType = (uint8_t)rst_get(record, 16, 6);
    to->agentid = (uint16_t)(rst_get(record, 22, 2) << 8 | rst_get(record, 24, 8));
    to->tdiff = (uint8_t)rst_get(record, 32, 1);
    to->nsScale = (uint8_t)rst_get(record, 33, 1);
    to->timestamp = (uint32_t)((rst_get(record, 34, 6) << 8 | rst_get(record, 40, 8)) << 6
            | rst_get(record, 48, 6));
    to->data = (uint64_t)rst_get(record, 64, 64);
    to->addr_pa = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_bustrace(const struct rst_bustrace *from,
                                      unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_BUSTRACE;
    rst_put(record, 8, 4, from->flags);
    rst_put(record, 12, 4, from->bt_type);
    rst_put(record, 16, 6, from->txType);
    rst_put(record, 24, 8, from->agentid);
    rst_put(record, 22, 2, from->agentid >> 8);
    rst_put(record, 32, 1, from->tdiff);
    rst_put(record, 33, 1, from->nsScale);
    rst_put(record, 48, 6, from->timestamp);
    rst_put(record, 40, 8, from->timestamp >> 6);
    rst_put(record, 34, 6, from->timestamp >> 14);
    rst_put(record, 64, 64, from->data);
    rst_put(record, 128, 64, from->addr_pa);
}

struct rst_snoop {
    uint8_t snoopreq;
    uint16_t device_id;
    uint32_t size;
    uint64_t addr_pa;
    uint16_t device_type;
};

static inline void rst_read_snoop(const unsigned char *record, unsigned version,
                                  struct rst_snoop *to)
{
    (void)version;
    to->snoopreq = (uint8_t)rst_get(record, 8, 8);
    to->device_id = (uint16_t)rst_get(record, 16, 16);
    to->size = (uint32_t)rst_get(record, 32, 32);
    to->addr_pa = (uint64_t)rst_get(record, 64, 64);
    to->device_type = (uint16_t)rst_get(record, 128, 16);
}

static inline void rst_write_snoop(const struct rst_snoop *from,
                                   unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_SNOOP;
    rst_put(record, 8, 8, from->snoopreq);
    rst_put(record, 16, 16, from->device_id);
    rst_put(record, 32, 32, from->size);
    rst_put(record, 64, 64, from->addr_pa);
    rst_put(record, 128, 16, from->device_type);
}

struct rst_tsb_access {
    uint8_t isdata;
    uint16_t cpuid;
    uint64_t pa;
    uint64_t va;
};

static inline void rst_read_tsb_access(const unsigned char *record, unsigned version,
                                       struct rst_tsb_access *to)
{
    (void)version;
    to->isdata = (uint8_t)rst_get(record, 15, 1);
    to->cpuid = (uint16_t)(rst_get(record, 22, 2) << 8 | rst_get(record, 24, 8));
    to->pa = (uint64_t)rst_get(record, 64, 64);
    to->va = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_tsb_access(const struct rst_tsb_access *from,
                                        unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_TSB_ACCESS;
    rst_put(record, 15, 1, from->isdata);
    rst_put(record, 24, 8, from->cpuid);
    rst_put(record, 22, 2, from->cpuid >> 8);
    rst_put(record, 64, 64, from->pa);
    rst_put(record, 128, 64, from->va);
}

struct rst_rfs_section {
    uint8_t section_type;
    uint64_t n_records;
};

static inline void rst_read_rfs_section(const unsigned char *record, unsigned version,
                                        struct rst_rfs_section *to)
{
    (void)version;
    to->section_type = (uint8_t)rst_get(record, 8, 8);
    to->n_records = (uint64_t)rst_get(record, 64, 64);
}

static inline void rst_write_rfs_section(const struct rst_rfs_section *from,
                                         unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_RFS_SECTION;
    rst_put(record, 8, 8, from->section_type);
    rst_put(record, 64, 64, from->n_records);
}

struct rst_rfs_cw {
    uint16_t cpuid;
    uint8_t reftype;
    uint8_t asi;
    uint8_t va_valid;
    uint8_t fcn;
    uint32_t size;
    uint64_t va;
    uint64_t pa;
};

static inline void rst_read_rfs_cw(const unsigned char *record, unsigned version,
                                   struct rst_rfs_cw *to)
{
    (void)version;
    to->cpuid = (uint16_t)(rst_get(record, 8, 8) << 2 | rst_get(record, 16, 2));
    to->reftype = (uint8_t)rst_get(record, 18, 6);
    to->asi = (uint8_t)rst_get(record, 32, 8);
    to->va_valid = (uint8_t)rst_get(record, 40, 1);
    to->fcn = (uint8_t)rst_get(record, 41, 5);
    to->size = (uint32_t)rst_get(record, 32, 32);
    to->va = (uint64_t)rst_get(record, 64, 64);
    to->pa = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_rfs_cw(const struct rst_rfs_cw *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_RFS_CW;
    rst_put(record, 16, 2, from->cpuid);
    rst_put(record, 8, 8, from->cpuid >> 2);
    rst_put(record, 18, 6, from->reftype);
    rst_put(record, 32, 8, from->asi);
    rst_put(record, 40, 1, from->va_valid);
    rst_put(record, 41, 5, from->fcn);
    rst_put(record, 32, 32, from->size);
    rst_put(record, 64, 64, from->va);
    rst_put(record, 128, 64, from->pa);
}

struct rst_rfs_bt {
    uint16_t cpuid;
    uint8_t taken;
    uint32_t instr;
    uint64_t pc_va;
    uint64_t npc_va;
};

static inline void rst_read_rfs_bt(const unsigned char *record, unsigned version,
                                   struct rst_rfs_bt *to)
{
    (void)version;
    to->cpuid = (uint16_t)(rst_get(record, 8, 8) << 2 | rst_get(record, 16, 2));
    to->taken = (uint8_t)rst_get(record, 18, 1);
    to->instr = (uint32_t)rst_get(record, 32, 32);
    to->pc_va = (uint64_t)rst_get(record, 64, 64);
    to->npc_va = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_rfs_bt(const struct rst_rfs_bt *from,
                                    unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_RFS_BT;
    rst_put(record, 16, 2, from->cpuid);
    rst_put(record, 8, 8, from->cpuid >> 2);
    rst_put(record, 18, 1, from->taken);
    rst_put(record, 32, 32, from->instr);
    rst_put(record, 64, 64, from->pc_va);
    rst_put(record, 128, 64, from->npc_va);
}

struct rst_trapping_instr {
    uint8_t hpriv;
    uint8_t priv;
    uint8_t iftrap;
    uint8_t ea_va_valid;
    uint8_t ea_pa_valid;
    uint16_t cpuid;
    uint32_t instr;
    uint64_t pc_va;
    uint64_t ea_va;
};

static inline void rst_read_trapping_instr(const unsigned char *record, unsigned version,
                                           struct rst_trapping_instr *to)
{
    (void)version;
    to->hpriv = (uint8_t)rst_get(record, 8, 1);
    to->priv = (uint8_t)rst_get(record, 9, 1);
    to->iftrap = (uint8_t)rst_get(record, 10, 1);
    to->ea_va_valid = (uint8_t)rst_get(record, 11, 1);
    to->ea_pa_valid = (uint8_t)rst_get(record, 12, 1);
    to->cpuid = (uint16_t)(rst_get(record, 16, 8) << 2 | rst_get(record, 24, 2));
    to->instr = (uint32_t)rst_get(record, 32, 32);
    to->pc_va = (uint64_t)rst_get(record, 64, 64);
    to->ea_va = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_trapping_instr(const struct rst_trapping_instr *from,
                                            unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_TRAPPING_INSTR;
    rst_put(record, 8, 1, from->hpriv);
    rst_put(record, 9, 1, from->priv);
    rst_put(record, 10, 1, from->iftrap);
    rst_put(record, 11, 1, from->ea_va_valid);
    rst_put(record, 12, 1, from->ea_pa_valid);
    rst_put(record, 24, 2, from->cpuid);
    rst_put(record, 16, 8, from->cpuid >> 2);
    rst_put(record, 32, 32, from->instr);
    rst_put(record, 64, 64, from->pc_va);
    rst_put(record, 128, 64, from->ea_va);
}

struct rst_event {
    uint8_t kind;
    uint16_t flags;
    uint16_t detail;
    uint16_t cpuid;
    uint64_t address;
    uint64_t value;
};

static inline void rst_read_event(const unsigned char *record, unsigned version,
                                  struct rst_event *to)
{
    (void)version;
    to->kind = (uint8_t)rst_get(record, 8, 8);
    to->flags = (uint16_t)rst_get(record, 16, 16);
    to->detail = (uint16_t)rst_get(record, 32, 16);
    to->cpuid = (uint16_t)rst_get(record, 48, 16);
    to->address = (uint64_t)rst_get(record, 64, 64);
    to->value = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_event(const struct rst_event *from,
                                   unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_EVENT;
    rst_put(record, 8, 8, from->kind);
    rst_put(record, 16, 16, from->flags);
    rst_put(record, 32, 16, from->detail);
    rst_put(record, 48, 16, from->cpuid);
    rst_put(record, 64, 64, from->address);
    rst_put(record, 128, 64, from->value);
}

struct rst_event_pc {
    uint8_t stated;
    uint32_t word;
    uint64_t pc;
    uint64_t id;
};

static inline void rst_read_event_pc(const unsigned char *record, unsigned version,
                                     struct rst_event_pc *to)
{
    (void)version;
    to->stated = (uint8_t)rst_get(record, 8, 1);
    to->word = (uint32_t)rst_get(record, 32, 32);
    to->pc = (uint64_t)rst_get(record, 64, 64);
    to->id = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_event_pc(const struct rst_event_pc *from,
                                      unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_EVENT_PC;
    rst_put(record, 8, 1, from->stated);
    rst_put(record, 32, 32, from->word);
    rst_put(record, 64, 64, from->pc);
    rst_put(record, 128, 64, from->id);
}

struct rst_event_size {
    uint8_t placed;
    uint32_t site;
    uint64_t size;
    uint64_t value_high;
};

static inline void rst_read_event_size(const unsigned char *record, unsigned version,
                                       struct rst_event_size *to)
{
    (void)version;
    to->placed = (uint8_t)rst_get(record, 8, 1);
    to->site = (uint32_t)rst_get(record, 32, 32);
    to->size = (uint64_t)rst_get(record, 64, 64);
    to->value_high = (uint64_t)rst_get(record, 128, 64);
}

static inline void rst_write_event_size(const struct rst_event_size *from,
                                        unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_EVENT_SIZE;
    rst_put(record, 8, 1, from->placed);
    rst_put(record, 32, 32, from->site);
    rst_put(record, 64, 64, from->size);
    rst_put(record, 128, 64, from->value_high);
}

struct rst_event_text {
    uint8_t last;
    uint8_t is_site;
    uint32_t number;
    char text[17];
};

static inline void rst_read_event_text(const unsigned char *record, unsigned version,
                                       struct rst_event_text *to)
{
    (void)version;
    to->last = (uint8_t)rst_get(record, 8, 1);
    to->is_site = (uint8_t)rst_get(record, 9, 1);
    to->number = (uint32_t)rst_get(record, 32, 32);
    rst_get_text(record, 8, 16, to->text);
}

static inline void rst_write_event_text(const struct rst_event_text *from,
                                        unsigned version, unsigned char *record)
{
    (void)version;
    record[0] = RST_EVENT_TEXT;
    rst_put(record, 8, 1, from->last);
    rst_put(record, 9, 1, from->is_site);
    rst_put(record, 32, 32, from->number);
    rst_put_text(record, 8, 16, from->text);
}

/* The version that explains the records after a header record. */
static inline unsigned rst_version(const unsigned char *record)
{
    struct rst_header header;
    rst_read_header(record, RST_CURRENT, &header);
    return (unsigned)header.majorVer * 1000 + header.minorVer;
}

#ifdef __cplusplus
}
#endif
#endif
