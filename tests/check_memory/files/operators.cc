// Each form of new and delete, once more than one thread has been.
#include <cstdio>
#include <new>
#include <thread>

int main()
{
    std::thread([] {}).join();
    const std::align_val_t wide{64};
    const std::size_t size = 8;
    void *blocks[] = {
        operator new(8), operator new[](8), operator new(8, std::nothrow),
        operator new[](8, std::nothrow), operator new(8, wide), operator new[](8, wide),
        operator new(8, wide, std::nothrow), operator new[](8, wide, std::nothrow),
    };
    operator delete(blocks[0]);
    operator delete[](blocks[1]);
    operator delete(blocks[2], size);
    operator delete[](blocks[3], size);
    operator delete(blocks[4], wide);
    operator delete[](blocks[5], wide);
    operator delete(blocks[6], size, wide);
    operator delete[](blocks[7], size, wide);
    void *again[] = {
        operator new(8), operator new[](8), operator new(8, wide), operator new[](8, wide),
    };
    operator delete(again[0], std::nothrow);
    operator delete[](again[1], std::nothrow);
    operator delete(again[2], wide, std::nothrow);
    operator delete[](again[3], wide, std::nothrow);
    std::printf("%d\n", blocks[0] != blocks[1]);
}
