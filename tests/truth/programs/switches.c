/* Dense switches become jump tables, sparse ones trees of branches. */
#include <stdio.h>

enum { PUSH, ADD, MULTIPLY, SWAP, DUPLICATE, DROP, JUMP_IF, NEGATE, HALT };

static int run(const signed char *code)
{
    int stack[32], top = 0;
    for (int pc = 0, steps = 0; steps < 2000; steps++) {
        switch (code[pc++]) {
        case PUSH: stack[top++] = code[pc++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case MULTIPLY: top--; stack[top - 1] *= stack[top]; break;
        case SWAP: { int t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break; }
        case DUPLICATE: stack[top] = stack[top - 1]; top++; break;
        case DROP: top--; break;
        case JUMP_IF: if (stack[top - 1] > 0) pc += code[pc]; else pc++; break;
        case NEGATE: stack[top - 1] = -stack[top - 1]; break;
        case HALT: return stack[top - 2];
        }
    }
    return -1;
}

static int sparse(int value)
{
    switch (value) {
    case 1: return 10;
    case 17: return 11;
    case 300: return 12;
    case 4096: return 13;
    case -5: return 14;
    case 70000: return 15;
    default: return value & 3;
    }
}

int main(void)
{
    /* 2 to the power 20: the counter lies on top of the product. */
    static const signed char code[] = {PUSH, 1, PUSH, 20, SWAP, PUSH, 2, MULTIPLY, SWAP, PUSH, 1,
                                       NEGATE, ADD, JUMP_IF, -10, HALT};
    static const int probes[] = {1, 17, 18, 300, 4096, -5, 70000, 6};
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 3 + sparse(probes[i]);
    printf("%d %d\n", run(code), sum);
    return 0;
}
