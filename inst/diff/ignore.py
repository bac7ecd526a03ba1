"""What a comparison may ignore, as a table: name, meaning."""

from __future__ import annotations

IGNORE = {
    "addresses": "where programs, stacks, heaps and mappings are: addresses and pointers are "
    "equal if they moved as far as their region; both traces are read twice",
    "all-addresses": "every pc, effective address and target",
    "timestamps": "times of CPU, TRACEINFO and BUSTRACE records",
    "untaken": "effective addresses of untaken conditional branches",
    "ids": "sequence ids, places in the order of threads; in RST the counts of FILEMARKER and "
    "RECNUM",
    "threads": "thread and process ids",
    "cpus": "cpu numbers",
    "strings": "what the producers recorded: strings, producer and image records",
    "values": "values read and written, and registers",
    "nulls": "NULLREC records",
    "stale": "bytes that no field covers, and bytes after the end of a text",
    "spelling": "white space, key names and number forms of s-expressions and STF",
}
