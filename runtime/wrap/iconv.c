/* iconv: what is converted lies between where the program's pointers were and where they are. */
#include <inst/wrap.h>
#include <iconv.h>

extern size_t __real_iconv(iconv_t, char **, size_t *, char **, size_t *);

size_t __wrap_iconv(iconv_t how, char **from, size_t *left, char **to, size_t *room)
{
    const char *input = from ? *from : 0, *output = to ? *to : 0;
    inst_reads(from, sizeof *from);
    inst_reads(input ? left : 0, sizeof *left);
    inst_reads(to, sizeof *to);
    inst_reads(output ? room : 0, sizeof *room);
    int before = errno;
    size_t result = __real_iconv(how, from, left, to, room);
    inst_error_since(before);
    if (input) {
        inst_reads(input, *from - input);
        inst_writes(from, sizeof *from);
        inst_writes(left, sizeof *left);
    }
    if (output) {
        inst_writes(output, *to - output);
        inst_writes(to, sizeof *to);
        inst_writes(room, sizeof *room);
    }
    return result;
}
