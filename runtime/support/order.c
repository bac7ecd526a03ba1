/* Which stores are ordered after their thread's earlier accesses. */
#include <inst/order.h>

#include <order.h>

int inst_is_barrier(const uint32_t *at)
{
    return is_barrier(*at);
}

int inst_goes_on(const uint32_t *at, const uint32_t **target)
{
    return goes_on(at, target);
}

int inst_stores(const uint32_t *at)
{
    return stores(at);
}

int inst_is_release(const uint32_t *store)
{
    for (const uint32_t *at = store - 1; at >= store - INST_ORDER_REACH; at--) {
        if (orders_stores(*at))
            return 1;
        if (ends_search(*at) || stores(at))
            return 0;
    }
    return 0;
}
