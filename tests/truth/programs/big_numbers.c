/* Arbitrary-precision arithmetic in base 10000: factorials and a Fibonacci number. */
#include <stdio.h>

struct number {
    int length;
    unsigned short digit[40];
};

static void multiply(struct number *n, unsigned by)
{
    unsigned carry = 0;
    for (int i = 0; i < n->length; i++) {
        carry += n->digit[i] * by;
        n->digit[i] = (unsigned short)(carry % 10000);
        carry /= 10000;
    }
    while (carry) {
        n->digit[n->length++] = (unsigned short)(carry % 10000);
        carry /= 10000;
    }
}

static void add(struct number *to, const struct number *from)
{
    unsigned carry = 0;
    for (int i = 0; i < from->length || i < to->length || carry; i++) {
        if (i == to->length)
            to->digit[to->length++] = 0;
        carry += to->digit[i] + (i < from->length ? from->digit[i] : 0u);
        to->digit[i] = (unsigned short)(carry % 10000);
        carry /= 10000;
    }
}

static void print(const struct number *n)
{
    printf("%d", n->digit[n->length - 1]);
    for (int i = n->length - 2; i >= 0; i--)
        printf("%04d", n->digit[i]);
    printf("\n");
}

int main(void)
{
    struct number f = {1, {1}}, a = {1, {0}}, b = {1, {1}};
    for (unsigned i = 2; i <= 40; i++)
        multiply(&f, i);
    for (int i = 0; i < 100; i++) {
        struct number next = a;
        add(&next, &b);
        a = b;
        b = next;
    }
    print(&f);
    print(&a);
    return 0;
}
