"""Functions of the C library that look things up, as `inst.calls.touched` has others.

Entries are users, groups, hosts, services, protocols and mounted file systems.  Many are returned in
memory that the next call changes.
"""

ROWS = """
#include <pwd.h>
struct passwd *getpwnam(const char *name) | name: STRING(name) | PASSWD(result)
struct passwd *getpwuid(uid_t user) | | PASSWD(result)
struct passwd *getpwent(void) | | PASSWD(result)
struct passwd *fgetpwent(FILE *file) | | STREAM(file); PASSWD(result)
int getpwnam_r(const char *name, struct passwd *to, char *buffer, size_t size, struct passwd **found) | name: STRING(name) | found: sizeof *found; PASSWD(*found)
int getpwuid_r(uid_t user, struct passwd *to, char *buffer, size_t size, struct passwd **found) | | found: sizeof *found; PASSWD(*found)
int getpwent_r(struct passwd *to, char *buffer, size_t size, struct passwd **found) | | found: sizeof *found; PASSWD(*found)
#include <grp.h>
struct group *getgrgid(gid_t group) | | GROUP(result)
struct group *getgrnam(const char *name) | name: STRING(name) | GROUP(result)
struct group *getgrent(void) | | GROUP(result)
int getgrnam_r(const char *name, struct group *to, char *buffer, size_t size, struct group **found) | name: STRING(name) | found: sizeof *found; GROUP(*found)
int getgrgid_r(gid_t group, struct group *to, char *buffer, size_t size, struct group **found) | | found: sizeof *found; GROUP(*found)
int getgrouplist(const char *name, gid_t group, gid_t *to, int *count) | name: STRING(name); count: sizeof *count | to: result > 0 ? result * sizeof *to : 0; count: sizeof *count
#include <netdb.h>
struct hostent *gethostbyname(const char *name) | name: STRING(name) | HOST(result)
struct hostent *gethostbyname2(const char *name, int family) | name: STRING(name) | HOST(result)
struct hostent *gethostbyaddr(const void *address, socklen_t size, int family) | address: size | HOST(result)
struct servent *getservbyname(const char *name, const char *protocol) | name: STRING(name); protocol: protocol ? STRING(protocol) : 0 | SERVICE(result)
struct servent *getservbyport(int port, const char *protocol) | protocol: protocol ? STRING(protocol) : 0 | SERVICE(result)
struct protoent *getprotobyname(const char *name) | name: STRING(name) | PROTOCOL(result)
struct protoent *getprotobynumber(int number) | | PROTOCOL(result)
int getnameinfo(const struct sockaddr *from, socklen_t size, char *host, socklen_t host_size, char *service, socklen_t service_size, int flags) | from: size | host: result || !host_size ? 0 : STRING(host); service: result || !service_size ? 0 : STRING(service)
#include <net/if.h>
unsigned if_nametoindex(const char *name) | name: STRING(name) |
char *if_indextoname(unsigned number, char *to) | | to: result ? STRING(to) : 0
#include <mntent.h>
FILE *setmntent(const char *path, const char *mode) | path: STRING(path); mode: STRING(mode) | STREAM(result)
struct mntent *getmntent(FILE *file) | | STREAM(file); MOUNT(result)
struct mntent *getmntent_r(FILE *file, struct mntent *to, char *buffer, int size) | | STREAM(file); MOUNT(result)
char *hasmntopt(const struct mntent *from, const char *option) | from: sizeof *from; from->mnt_opts: STRING(from->mnt_opts); option: STRING(option) |
"""
