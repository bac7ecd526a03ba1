// A queue of work under a condition variable; with an argument, a number that nothing guards.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>
static std::mutex guard;
static std::condition_variable changed;
static std::vector<int> queue;
static bool done;
static long total, unguarded;

static void worker(int number)
{
    for (;;) {
        std::unique_lock<std::mutex> hold(guard);
        while (queue.empty() && !done)
            changed.wait(hold);
        if (queue.empty())
            return;
        total += queue.back() * number;
        queue.pop_back();
    }
}

int main(int count, char **)
{
    long before = 5, after = 0;
    std::vector<std::thread> threads;
    for (int n = 0; n < 3; n++)
        threads.emplace_back(worker, 1);
    std::thread other([&] {
        after = before + 1;
        if (count > 1)
            unguarded++;
    });
    if (count > 1)
        unguarded++;
    for (int n = 0; n < 20; n++) {
        std::lock_guard<std::mutex> hold(guard);
        queue.push_back(n);
        changed.notify_one();
    }
    {
        std::lock_guard<std::mutex> hold(guard);
        done = true;
    }
    changed.notify_all();
    for (auto &thread : threads)
        thread.join();
    other.join();
    std::printf("%ld %ld\n", total, after);
}
