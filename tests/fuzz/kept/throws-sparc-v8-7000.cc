/* | clang++ -O2 -ffunction-sections | pie record loads no-counter parts */
typedef unsigned u;
static u sum = 2166136261u, cells[16];
static void mix(u x) { sum = (sum ^ x) * 16777619u; sum ^= sum >> 15; }
struct Small { u a; };
struct Derived : Small { u b; };
struct Large {
};
struct Guard {
};
struct Virtual { virtual u go(u x, u y); virtual ~Virtual() { mix(77); } };
u __attribute__((noinline)) Virtual::go(u x, u y) {
    return y;
}
static void __attribute__((noinline)) raise(u kind, u x) {
    switch (kind % 7) {
    case 0: throw x;
    default: throw (unsigned long long) x << 20;
    }
}
u f0(u x, u y) {
    u v0 = y - 8u;
    u v1 = y - 96u;
    u v2 = y * 36u;
    u v3 = y - 91u;
    u v4 = y + 92u;
    u v5 = x * 2u;
    for (u i1 = 0; i1 < 2; i1++) {
        try {
        } catch (...) {
        }
    }
    try {
        try {
            if ((x ^ v0) % 5 == 0) raise(v3, v1);
        } catch (unsigned long long e) {
            if ((v0 ^ v0) % 2 == 0) throw;
        } catch (...) {
            if ((v5 ^ v3) % 4 == 0) raise(x, v2);
        }
    } catch (...) {
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe0(u x, u y) noexcept {
    try { return f0(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
u __attribute__((noinline)) f1(u x, u y) {
    u v0 = y ^ 38u;
    u v1 = y + 33u;
    u v2 = y - 97u;
    u v3 = x - 62u;
    u v4 = y ^ 7u;
    u v5 = y - 7u;
    for (u i1 = 0; i1 < 3; i1++) {
        for (u i12 = 0; i12 < 2; i12++) {
        }
        v4 += safe0(x, v3);
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe1(u x, u y) noexcept {
    try { return f1(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
static u __attribute__((noinline)) f2(u x, u y) {
    u v0 = y * 51u;
    u v1 = y - 31u;
    u v2 = x * 22u;
    u v3 = y - 42u;
    u v4 = y - 0u;
    u v5 = y + 36u;
    try {
    } catch (int e) {
        try {
        } catch (...) {
        }
        for (u i3 = 0; i3 < 2; i3++) {
        }
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe2(u x, u y) noexcept {
    try { return f2(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
static u f3(u x, u y) {
    u v0 = y + 14u;
    u v1 = y + 2u;
    u v2 = x - 72u;
    u v3 = x - 52u;
    u v4 = y - 34u;
    u v5 = x ^ 14u;
    if ((y ^ v5) % 5 == 0) {
    }
    try {
        if ((x ^ v2) % 2 == 0) {
        }
        v2 += f1(v1, v4);
    } catch (const char *e) {
        if ((y ^ v4) % 2 == 0) {
        }
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe3(u x, u y) noexcept {
    try { return f3(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
u __attribute__((noinline)) f4(u x, u y) {
    u v0 = x ^ 71u;
    u v1 = x + 17u;
    u v2 = x ^ 98u;
    u v3 = y * 26u;
    u v4 = x - 96u;
    u v5 = x * 21u;
    for (u i1 = 0; i1 < 2; i1++) {
        for (u i2 = 0; i2 < 2; i2++) {
        }
        try {
        } catch (Derived e) {
        }
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe4(u x, u y) noexcept {
    try { return f4(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
u f5(u x, u y) {
    u v0 = x * 38u;
    u v1 = x + 53u;
    u v2 = y + 98u;
    u v3 = x - 58u;
    u v4 = x + 78u;
    u v5 = x * 71u;
    try {
        for (u i2 = 0; i2 < 2; i2++) {
        }
        v5 += f3(v3, y);
    } catch (unsigned long long e) {
        try {
        } catch (Small &e) {
        }
    }
    return v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5;
}
static u safe5(u x, u y) noexcept {
    try { return f5(x, y); } catch (u e) { return e; } catch (...) { return x - y; }
}
int main() {
    for (u n = 0; n < 24; n++) {
        mix(safe5(n, n * 503u));
    }
}
