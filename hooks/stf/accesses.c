/* Write an STF trace: each access as its instruction, with the registers that it implies. */
#include "stf.h"

/* A record being built; its first character is stored last, so that no partial record is read. */
struct record {
    unsigned char *start, *at;
    unsigned char first;
};

ALWAYS void put_letter(struct record *record, unsigned char letter)
{
    if (record->at == record->start)
        record->first = letter;
    else
        *record->at = letter;
    record->at++;
}

/* As many digits as a general register has. */
ALWAYS unsigned char *put_register(unsigned char *at, uint64_t value)
{
    if (sizeof(inst_address) == 8)
        at = put_word(at, value >> 32);
    return put_word(at, value);
}

static void put_held(struct record *record, const struct held *held)
{
    uint32_t number = held->number & 31, tens = number / 10;
    int floating = held->number >= FLOATING;
    put_letter(record, floating ? 'F' : 'R');
    unsigned char *at = record->at;
    at[0] = '0' + tens;
    at[1] = '0' + (number - 10 * tens);
    at = put_text(at + 2, " = ");
    if (floating)
        at = put_word(put_word(at, held->value >> 32), held->value);
    else
        at = put_register(at, held->value);
    *at = ' ';
    record->at = at + 1;
}

/* Write the registers of one bank on a line of their own, if there are any. */
static void put_bank(struct record *record, const struct line *line, int floating)
{
    const unsigned char *start = record->at;
    for (unsigned n = 0; n < line->count; n++)
        if ((line->held[n].number >= FLOATING) == floating)
            put_held(record, &line->held[n]);
    for (unsigned n = 0; !floating && n < line->several; n++) {
        uint32_t number = (line->first + n) & 31;
        struct held held = { number, line->general[number] };
        put_held(record, &held);
    }
    if (record->at > start)
        record->at[-1] = '\n';
}

static void put_line(struct record *record, const struct line *line)
{
    put_bank(record, line, 0);
    put_bank(record, line, 1);
}

static struct instruction instruction_at(inst_address pc)
{
    const uint32_t *words = (const uint32_t *)pc;
    if (inst_is_prefix(*words))
        return (struct instruction){ words[0], words[1] };
    return (struct instruction){ 0, *words };
}

static void put_instruction(struct record *record, const struct form *form, inst_address pc,
                            struct instruction instruction)
{
    put_letter(record, 'P');
    unsigned char *at = put_register(put_text(record->at, "CN = "), pc);
    at = put_text(at, " OPC = ");
    if (instruction.prefix)
        at = put_word(at, instruction.prefix);
    at = put_word(at, instruction.word);
    at = put_text(at, " MNC = ");
    for (const char *name = form->name; *name; name++)
        *at++ = *name;
    *at++ = '\n';
    record->at = at;
}

/* A second R line after an instruction belongs to the next one: so each has a first one, which
   names a known register where nothing changed. */
static void add_unchanged(struct implied *implied, uint32_t target)
{
    struct line *after = &implied->after;
    for (unsigned n = 0; n < implied->before.count && !after->count && !after->several; n++) {
        const struct held *held = &implied->before.held[n];
        if (held->number < FLOATING && held->number != target)
            after->held[after->count++] = *held;
    }
    if (!after->count && !after->several)
        stf_add_thread_pointer(after);
}

/* Write an access; return its end. */
static __attribute__((noinline)) unsigned char *write_access(unsigned char *start,
                                                             const struct access *access)
{
    struct implied implied;
    struct record record = { start, start, 0 };
    struct instruction instruction = instruction_at(access->pc);
    const struct form *form = stf_form_of(instruction);
    stf_imply(&implied, form, instruction, access);
    put_line(&record, &implied.before);
    if (implied.length) {
        put_letter(&record, 'X');
        record.at = put_register(put_text(record.at, "ER = "), implied.length);
        *record.at++ = '\n';
    }
    put_instruction(&record, form, access->pc, instruction);
    add_unchanged(&implied, access->kind & STORES ? -1u : instruction.word >> 21 & 31);
    put_line(&record, &implied.after);
    inst_ordered();
    *start = record.first;
    return record.at;
}

/* The first event of a chunk, or one that interrupted another. */
__attribute__((used)) void stf_slow_body(const struct access *access)
{
    if (inst_wanted(access->address, access->kind & (STORES - 1)))
        inst_commit_slow(write_access(inst_place_slow(), access));
}

/* Events of a signal handler interrupted this one: it is complete, or has to be written again. */
__attribute__((used)) void stf_retry_body(unsigned char *at, const struct access *access)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_access(at, access) : 0);
}

void stf_slow(const struct access *access);
INST_PRESERVING(stf_slow);
void stf_retry(unsigned char *at, const struct access *access);
INST_PRESERVING(stf_retry);

ALWAYS void event(struct access access)
{
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        stf_slow(&access);
        return;
    }
    unsigned char *end = write_access(at, &access);
    if (inst_unlikely(inst_commit(end)))
        stf_retry(at, &access);
}

#define SMALL(NAME, KIND)                                                   \
    void NAME(inst_address address, inst_address pc, uint32_t value)        \
    {                                                                       \
        event((struct access){ address, pc, 0, value, KIND, 1, 0 });        \
    }
SMALL(ldbhook, 1)
SMALL(ldhhook, 2)
SMALL(ldwhook, 4)
SMALL(stbhook, 1 | STORES)
SMALL(sthhook, 2 | STORES)
SMALL(stwhook, 4 | STORES)

void lddhook(inst_address address, inst_address pc, uint64_t value)
{
    event((struct access){ address, pc, 0, value, 8, 1, 0 });
}

void stdhook(inst_address address, inst_address pc, uint64_t value)
{
    event((struct access){ address, pc, 0, value, 8 | STORES, 1, 0 });
}

void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event((struct access){ address, pc, high, low, 16, 1, 0 });
}

void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low)
{
    event((struct access){ address, pc, high, low, 16 | STORES, 1, 0 });
}

void llhook(inst_address address, inst_address pc, inst_address size)
{
    event((struct access){ address, pc, 0, 0, size, 0, 0 });
}

void stblockhook(inst_address address, inst_address pc, inst_address size)
{
    event((struct access){ address, pc, 0, 0, (size & (STORES - 1)) | STORES, 0, 0 });
}

void inst_several(inst_address address, inst_address pc, unsigned size, int stores,
                  const inst_address *registers)
{
    event((struct access){ address, pc, 0, 0, size | (stores ? STORES : 0), 1, registers });
}
