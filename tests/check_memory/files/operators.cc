// Each form of new and delete, once more than one thread has been.
#include <cstdio>
#include <new>
#include <thread>

int main()
{
    std::thread([] {}).join();
    void *blocks[] = {operator new(8), operator new[](8), operator new(8, std::nothrow),
                      operator new[](8, std::nothrow)};
    operator delete(blocks[0]);
    operator delete[](blocks[1]);
    operator delete(blocks[2], std::size_t(8));
    operator delete[](blocks[3], std::size_t(8));
    std::printf("%d\n", blocks[0] != blocks[1]);
}
