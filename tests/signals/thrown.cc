// Exceptions that a handler throws through the frame of a signal, for a store or, with an argument, for a load.
#include <csignal>
#include <cstdio>

static volatile int *nowhere;

static void handler(int number, siginfo_t *, void *)
{
    throw number;
}

static int stores()
{
    try {
        *nowhere = 12;
    } catch (int number) {
        return number;
    }
    return 0;
}

static int loads()
{
    try {
        return *nowhere;
    } catch (int number) {
        return number + 1;
    }
}

int main(int count, char **)
{
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    bool caught = count == 1 ? stores() == SIGSEGV : loads() == SIGSEGV + 1;
    std::puts(caught ? "caught" : "not caught");
}
