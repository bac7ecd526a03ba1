/* getifaddrs: a list that the program reads itself. */
#include <inst/wrap.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <netinet/in.h>
#include <netpacket/packet.h>

extern int __real_getifaddrs(struct ifaddrs **);

static size_t size_of(const struct sockaddr *address)
{
    switch (address->sa_family) {
    case AF_INET:
        return sizeof(struct sockaddr_in);
    case AF_INET6:
        return sizeof(struct sockaddr_in6);
    case AF_PACKET:
        return sizeof(struct sockaddr_ll);
    }
    return sizeof *address;
}

static void address_written(const struct sockaddr *address)
{
    inst_writes(address, address ? size_of(address) : 0);
}

int __wrap_getifaddrs(struct ifaddrs **to)
{
    int before = errno;
    int result = __real_getifaddrs(to);
    inst_error_since(before);
    if (result)
        return result;
    inst_writes(to, sizeof *to);
    for (const struct ifaddrs *one = *to; one; one = one->ifa_next) {
        int is_link = one->ifa_addr && one->ifa_addr->sa_family == AF_PACKET;
        inst_writes(one, sizeof *one);
        WRITTEN_STRING(one->ifa_name);
        address_written(one->ifa_addr);
        address_written(one->ifa_netmask);
        address_written(one->ifa_broadaddr);
        inst_writes(one->ifa_data, is_link ? sizeof(struct rtnl_link_stats) : 0);
    }
    return 0;
}
