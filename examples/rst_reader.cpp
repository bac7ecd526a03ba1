/* Read an RST trace in C++: print every instruction with what it moved.

       c++ -std=c++17 -I runtime/include examples/rst_reader.cpp -o rst_reader
       ./rst_reader program.rst

   A line is the record's number, cpu, address, instruction word, effective address and values. To
   do something else, write a class with the functions of Printer, for the records you want. */
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <inst/rst.h>

using Record = std::array<unsigned char, RST_SIZE>;

/* Reads the records of a file one by one, and knows the version that explains them. */
class Reader {
public:
    explicit Reader(std::FILE *file) : file_(file) {}

    bool next(Record &record)
    {
        rest_ = std::fread(record.data(), 1, record.size(), file_);
        if (rest_ < record.size())
            return false;
        if (record[0] == RST_HEADER)
            version_ = rst_version(record.data());
        number_++;
        return true;
    }

    /* Whether the file ended within a record, or could not be read. */
    bool failed() const { return rest_ != 0 || std::ferror(file_); }
    unsigned long number() const { return number_ - 1; }
    unsigned long count() const { return number_; }
    unsigned version() const { return version_; }

private:
    std::FILE *file_;
    std::size_t rest_ = 0;
    unsigned long number_ = 0;
    unsigned version_ = RST_CURRENT;
};

/* Prints instructions; the value records that follow one are printed on its line. */
class Printer {
public:
    void instruction(const Reader &reader, const Record &record)
    {
        rst_instr instr;
        rst_read_instr(record.data(), reader.version(), &instr);
        end_line();
        std::printf("%lu %u %" PRIx64 " %08" PRIx32, reader.number(), unsigned(instr.cpuid),
                    instr.pc_va, instr.instr);
        if (instr.ea_valid)
            std::printf(" [%" PRIx64 "]", instr.ea_va);
        open_ = true;
        instructions_++;
    }

    void value(const Reader &reader, const Record &record)
    {
        if (open_ && record[1] & 0x80) {
            rst_memval128 wide;
            rst_read_memval128(record.data(), reader.version(), &wide);
            std::printf(" %016" PRIx64 "%016" PRIx64 ":16", wide.val, wide.val2);
        } else if (open_) {
            rst_memval64 narrow;
            rst_read_memval64(record.data(), reader.version(), &narrow);
            std::printf(" %" PRIx64 ":%u", narrow.val, unsigned(narrow.size));
        }
    }

    void other() { end_line(); }

    void finish(unsigned long count)
    {
        end_line();
        std::printf("%lu instructions, %lu other records\n", instructions_, count - instructions_);
    }

private:
    void end_line()
    {
        if (open_)
            std::putchar('\n');
        open_ = false;
    }

    bool open_ = false;
    unsigned long instructions_ = 0;
};

static int read_trace(std::FILE *file, const char *name)
{
    Reader reader(file);
    Printer printer;

    for (Record record; reader.next(record);) {
        switch (record[0]) {
        case RST_INSTR: printer.instruction(reader, record); break;
        case RST_MEMVAL64: printer.value(reader, record); break;
        default: printer.other();
        }
    }
    printer.finish(reader.count());
    if (reader.failed())
        std::fprintf(stderr, "%s: ends within record %lu\n", name, reader.count());
    return reader.failed() ? 2 : 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "-";
    std::FILE *file = std::strcmp(name, "-") ? std::fopen(name, "rb") : stdin;
    if (!file) {
        std::perror(name);
        return 2;
    }
    return read_trace(file, file == stdin ? "standard input" : name);
}
