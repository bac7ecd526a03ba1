/* The variables that getopt and similar functions set; they also reorder the words. */
#include <inst/wrap.h>
#include <unistd.h>

void inst_options_written(int count, char *const *words)
{
    inst_writes(&optarg, sizeof optarg);
    inst_writes(&optind, sizeof optind);
    inst_writes(&optopt, sizeof optopt);
    inst_writes(words, (count + 1) * sizeof *words);
}
