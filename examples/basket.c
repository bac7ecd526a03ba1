/* A basket of goods as a linked list: enough loads and stores to look at. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    const char *name;
    uint16_t cents;
    uint8_t count;
    struct item *next;
};

static struct item *put(struct item *basket, const char *name, uint16_t cents, uint8_t count)
{
    struct item *item = malloc(sizeof *item);

    if (!item)
        exit(1);
    item->name = name;
    item->cents = cents;
    item->count = count;
    item->next = basket;
    return item;
}

static uint32_t total(const struct item *basket)
{
    uint32_t sum = 0;

    for (; basket; basket = basket->next)
        sum += (uint32_t)basket->cents * basket->count;
    return sum;
}

int main(void)
{
    struct item *basket = NULL;
    uint32_t sum;

    basket = put(basket, "apples", 45, 6);
    basket = put(basket, "bread", 320, 1);
    basket = put(basket, "cheese", 599, 2);
    sum = total(basket);
    printf("to pay: %u.%02u\n", (unsigned)(sum / 100), (unsigned)(sum % 100));
    return 0;
}
