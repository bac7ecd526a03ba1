/* Read an RST trace in C: print every instruction with what it moved.

       cc -I runtime/include examples/rst_reader.c -o rst_reader
       ./rst_reader program.rst

   A line is the record's number, cpu, address, instruction word, effective address and values. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <inst/rst.h>

static unsigned version = RST_CURRENT;
static unsigned long instructions, others;

/* The value records of an instruction follow it; here they are printed on its line. */
static int print_value(const unsigned char *record)
{
    if (record[1] & 0x80) {
        struct rst_memval128 wide;
        rst_read_memval128(record, version, &wide);
        printf(" %016" PRIx64 "%016" PRIx64 ":16", wide.val, wide.val2);
    } else {
        struct rst_memval64 value;
        rst_read_memval64(record, version, &value);
        printf(" %" PRIx64 ":%u", value.val, value.size);
    }
    return 1;
}

static void print_instruction(unsigned long number, const unsigned char *record)
{
    struct rst_instr instr;
    rst_read_instr(record, version, &instr);
    printf("%lu %u %" PRIx64 " %08" PRIx32, number, instr.cpuid, instr.pc_va, instr.instr);
    if (instr.ea_valid)
        printf(" [%" PRIx64 "]", instr.ea_va);
    instructions++;
}

static int read_trace(FILE *file, const char *name)
{
    unsigned char record[RST_SIZE];
    unsigned long number = 0;
    size_t got;
    int open = 0; /* a line has begun */

    for (; (got = fread(record, 1, RST_SIZE, file)) == RST_SIZE; number++) {
        int value = open && record[0] == RST_MEMVAL64 ? print_value(record) : 0;
        if (open && !value)
            putchar('\n');
        open = value;
        if (record[0] == RST_HEADER)
            version = rst_version(record);
        if (record[0] == RST_INSTR) {
            print_instruction(number, record);
            open = 1;
        }
        others += record[0] != RST_INSTR;
    }
    if (open)
        putchar('\n');
    printf("%lu instructions, %lu other records\n", instructions, others);
    if (got || ferror(file))
        fprintf(stderr, "%s: ends within record %lu\n", name, number);
    return got || ferror(file) ? 2 : 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 && strcmp(argv[1], "-") ? fopen(argv[1], "rb") : stdin;
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    return read_trace(file, argc > 1 ? argv[1] : "standard input");
}
