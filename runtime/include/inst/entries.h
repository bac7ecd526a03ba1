/* For wrappers of functions that return entries: users, groups, hosts, mounted file systems, files of
   a tree, words.  Each macro reports an entry as written, with all that it points to; nothing of
   null. */
#ifndef INST_ENTRIES_H
#define INST_ENTRIES_H

#include <inst/wrap.h>

/* Report a list of addresses of so many bytes each, which ends with a null pointer. */
static inline void inst_addresses_written(char *const *list, size_t size)
{
    size_t count = 0;
    while (list && list[count])
        inst_writes(list[count++], size);
    inst_writes(list, (count + 1) * sizeof *list);
}

#define ENTRY(PLACE, STRINGS_OF_IT)                                                         \
    do {                                                                                    \
        __auto_type entry = PLACE;                                                          \
        inst_writes(entry, sizeof *entry);                                                  \
        if (entry) {                                                                        \
            STRINGS_OF_IT;                                                                  \
        }                                                                                   \
    } while (0)

#define PASSWD(PLACE)                                                                       \
    ENTRY(PLACE, WRITTEN_STRING(entry->pw_name); WRITTEN_STRING(entry->pw_passwd);          \
          WRITTEN_STRING(entry->pw_gecos); WRITTEN_STRING(entry->pw_dir);                   \
          WRITTEN_STRING(entry->pw_shell))
#define GROUP(PLACE)                                                                        \
    ENTRY(PLACE, WRITTEN_STRING(entry->gr_name); WRITTEN_STRING(entry->gr_passwd);          \
          inst_strings_written(entry->gr_mem))
#define HOST(PLACE)                                                                         \
    ENTRY(PLACE, WRITTEN_STRING(entry->h_name); inst_strings_written(entry->h_aliases);     \
          inst_addresses_written(entry->h_addr_list, entry->h_length))
#define SERVICE(PLACE)                                                                      \
    ENTRY(PLACE, WRITTEN_STRING(entry->s_name); WRITTEN_STRING(entry->s_proto);             \
          inst_strings_written(entry->s_aliases))
#define PROTOCOL(PLACE)                                                                     \
    ENTRY(PLACE, WRITTEN_STRING(entry->p_name); inst_strings_written(entry->p_aliases))
#define MOUNT(PLACE)                                                                        \
    ENTRY(PLACE, WRITTEN_STRING(entry->mnt_fsname); WRITTEN_STRING(entry->mnt_dir);         \
          WRITTEN_STRING(entry->mnt_type); WRITTEN_STRING(entry->mnt_opts))
#define TREE_FILE(PLACE)                                                                    \
    ENTRY(PLACE, WRITTEN_STRING(entry->fts_path); WRITTEN_STRING(entry->fts_accpath);       \
          inst_writes(entry->fts_statp, sizeof *entry->fts_statp))

/* ... of wordexp, which has found them if its result is 0. */
#define WORDS(PLACE) ENTRY(result ? 0 : PLACE, inst_strings_written(entry->we_wordv + entry->we_offs))

#endif
