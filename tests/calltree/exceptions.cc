// Exceptions through several frames, for comparison with the emulator's record of calls.
#include <cstdio>
#include <stdexcept>

#define OWN __attribute__((noipa))

static volatile int total;

OWN void leaf(int n) { total += n; }
struct Guard {
    int n;
    OWN explicit Guard(int n) : n(n) { total++; }
    OWN ~Guard() { total += n; leaf(n); }
};
OWN void thrower(int n)
{
    leaf(n);
    if (n > 2)
        throw std::runtime_error("n");
    leaf(n);
}
OWN void middle(int n) { Guard guard(n); thrower(n); total++; }
OWN void again(int n)
{
    try {
        middle(n);
    } catch (const std::logic_error &) {
        leaf(50);
    }
    total++;
}
OWN int catcher(int n)
{
    total++;
    try {
        again(n);
    } catch (const std::exception &) {
        leaf(100);
        return 1;
    }
    total++;
    return 0;
}

int main()
{
    for (int i = 0; i < 6; i++) {
        catcher(i);
        leaf(i);
    }
    std::printf("%d\n", total);
}
