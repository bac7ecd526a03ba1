/* getaddrinfo: a list that the program reads itself. */
#include <inst/wrap.h>
#include <netdb.h>

extern int __real_getaddrinfo(const char *, const char *, const struct addrinfo *,
                              struct addrinfo **);

int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **to)
{
    inst_reads(name, name ? STRING(name) : 0);
    inst_reads(service, service ? STRING(service) : 0);
    inst_reads(hints, sizeof *hints);
    int before = errno;
    int result = __real_getaddrinfo(name, service, hints, to);
    inst_error_since(before);
    if (result)
        return result;
    inst_writes(to, sizeof *to);
    for (const struct addrinfo *one = *to; one; one = one->ai_next) {
        inst_writes(one, sizeof *one);
        inst_writes(one->ai_addr, one->ai_addrlen);
        WRITTEN_STRING(one->ai_canonname);
    }
    return 0;
}
