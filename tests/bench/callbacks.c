/* The callbacks that gcc's thread sanitizer and clang's load and store coverage call.
 *
 * They return at once, or with -DRECORDING store the place of the call and the address: two words
 * an access, from which size and direction follow. A buffer of the thread is written to the file
 * named by CALLBACKS_OUT when it is full, and when the program ends. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef RECORDING
enum { RECORDS = 8192 };

struct record {
    void *place, *address;
};

static __thread struct record *next, *end, *start;
static int descriptor = -1;

static void write_all(void)
{
    const char *from = (const char *)start;
    while (from < (const char *)next) {
        ssize_t done = write(descriptor, from, (const char *)next - from);
        if (done <= 0)
            abort();
        from += done;
    }
    next = start;
}

static __attribute__((noinline)) void make_room(void)
{
    if (descriptor < 0)
        descriptor = open(getenv("CALLBACKS_OUT"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0)
        abort();
    if (!start) {
        next = start = malloc(RECORDS * sizeof *start);
        end = start + RECORDS;
    } else {
        write_all();
    }
}

__attribute__((destructor)) static void finish(void)
{
    if (start)
        write_all();
}

#define ACT(address)                                                                               \
    if (__builtin_expect(next == end, 0))                                                          \
        make_room();                                                                               \
    *next++ = (struct record){__builtin_return_address(0), address};
#else
#define ACT(address) (void)(address);
#endif

#define ACCESS(name)                                                                               \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        ACT(address)                                                                               \
    }
#define SIZES(prefix) ACCESS(prefix##1) ACCESS(prefix##2) ACCESS(prefix##4) ACCESS(prefix##8) \
    ACCESS(prefix##16)
SIZES(__tsan_read)
SIZES(__tsan_write)
SIZES(__tsan_unaligned_read)
SIZES(__tsan_unaligned_write)
SIZES(__sanitizer_cov_load)
SIZES(__sanitizer_cov_store)

#define RANGE(name)                                                                                \
    void name(void *address, size_t size);                                                         \
    void name(void *address, size_t size)                                                          \
    {                                                                                              \
        (void)size;                                                                                \
        ACT(address)                                                                               \
    }
RANGE(__tsan_read_range)
RANGE(__tsan_write_range)

/* Accesses that are atomic are calls to the sanitizer, which has to make them. */
#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                      \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                       \
    {                                                                                              \
        (void)order;                                                                               \
        ACT((void *)address)                                                                       \
        return *address;                                                                           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);               \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                \
    {                                                                                              \
        (void)order;                                                                               \
        ACT((void *)address)                                                                       \
        *address = value;                                                                          \
    }
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long long)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *from);
void __tsan_func_entry(void *from)
{
    (void)from;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
