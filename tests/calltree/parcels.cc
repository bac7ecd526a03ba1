// A depot that sorts, checks and delivers parcels: exceptions through destructors that call and
// throw themselves, virtual calls, callbacks, recursion, tail calls, and jumps out of C code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define OWN __attribute__((noinline))

extern "C" {
typedef int visitor(int value, void *context);
int walk(int depth, visitor *visit, void *context);
int guarded_walk(int depth, visitor *visit, void *context);
void leave_walk(int code);
int sort_numbers(int *numbers, int count);
int chain(int steps, int sum);
}

namespace depot {

static volatile unsigned checksum;
OWN void note(unsigned value) { checksum = checksum * 31 + value; }

struct Damaged : std::runtime_error {
    int weight;
    OWN Damaged(const std::string &what, int weight) : std::runtime_error(what), weight(weight) { note(weight); }
    OWN ~Damaged() override { note(1); }
};
struct Lost : std::exception {
    const char *what() const noexcept override { return "lost"; }
};

/* Notes when it ends, also by an exception. */
class Guard {
    std::function<void(int)> at_end;
    int value;

public:
    OWN Guard(std::function<void(int)> at_end, int value) : at_end(std::move(at_end)), value(value) {}
    OWN ~Guard() { at_end(value + std::uncaught_exceptions()); }
};

class Item {
public:
    OWN explicit Item(int weight) : weight(weight) { note(weight); }
    virtual OWN ~Item() { note(weight + 3); }
    virtual int price() const = 0;
    virtual void check() const { note(weight); }

protected:
    int weight;
};

class Letter : public Item {
public:
    using Item::Item;
    OWN int price() const override { return weight + 1; }
};

class Parcel : public virtual Item {
public:
    OWN explicit Parcel(int weight) : Item(weight) {}
    OWN ~Parcel() override { note(5); }
    OWN int price() const override { return weight * 2 + extra(); }
    OWN void check() const override
    {
        Guard guard([](int value) { note(value); }, weight);
        if (weight % 7 == 0)
            throw Damaged("parcel " + std::to_string(weight), weight);
        Item::check();
    }
    virtual OWN int extra() const { return 0; }
};

class Insured : public Parcel {
public:
    OWN explicit Insured(int weight) : Item(weight), Parcel(weight) {}
    OWN ~Insured() override
    {
        try {
            check();
        } catch (const Damaged &damaged) { // while another exception may be on its way
            note(damaged.weight);
        }
    }
    OWN int extra() const override { return weight % 5; }
};

OWN std::unique_ptr<Item> make_item(int number)
{
    switch (number % 3) {
    case 0: return std::make_unique<Letter>(number);
    case 1: return std::make_unique<Parcel>(number);
    default: return std::make_unique<Insured>(number);
    }
}

/* Catches some, lets others pass, throws some again. */
OWN int deliver(const Item &item, int depth)
{
    Guard guard([depth](int value) { note(value + depth); }, depth);
    if (depth > 0)
        try {
            return deliver(item, depth - 1) + 1;
        } catch (const Damaged &damaged) {
            if (damaged.weight % 2 && depth == 1)
                throw;
            if (depth == 2)
                throw Lost();
            if (depth < 3)
                throw;
            return -damaged.weight;
        }
    item.check();
    return item.price();
}

OWN int attempt(int number) noexcept
{
    auto item = make_item(number);
    try {
        return deliver(*item, number % 5);
    } catch (const Lost &) {
        note(70);
    } catch (const std::exception &error) {
        note(static_cast<unsigned>(std::string(error.what()).size()));
    }
    return 0;
}

/* A constructor that fails: what is built of it is destroyed. */
struct Shelf {
    Letter first;
    std::vector<std::unique_ptr<Item>> items;
    OWN explicit Shelf(int count) : first(count)
    {
        for (int number = 0; number < count; number++) {
            items.push_back(make_item(number + count));
            if (number == 3)
                throw Lost();
        }
    }
};

OWN int shelves()
{
    int built = 0;
    for (int count = 1; count < 7; count++)
        try {
            Shelf shelf(count);
            built += static_cast<int>(shelf.items.size());
        } catch (Lost &lost) {
            note(lost.what()[0]);
        }
    return built;
}

/* An exception that is kept, and thrown once more elsewhere. */
OWN int postponed(int number)
{
    std::exception_ptr kept;
    try {
        make_item(number)->check();
        return 0;
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (const Damaged &damaged) {
        return damaged.weight;
    }
}

OWN int tail_of(int n);
OWN int hand_on(int n) { note(n); return n > 40 ? n : tail_of(n + 3); }
OWN int tail_of(int n) { note(n + 1); return hand_on(n * 2); }

OWN int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

struct Counter {
    int total = 0;
    OWN void add(int n) { total += n; note(n); }
};

OWN int callbacks()
{
    std::map<int, std::function<int(int)>> table;
    Counter counter;
    table[0] = [&](int n) { counter.add(n); return n; };
    table[1] = hand_on;
    table[2] = std::bind(ackermann, 1, std::placeholders::_1);
    table[3] = [&](int n) { return n > 0 ? table[3](n - 1) + 1 : table[0](n); };
    int sum = 0;
    for (int n = 0; n < 12; n++)
        sum += table[n % 4](n);
    std::vector<int> numbers;
    for (int n = 0; n < 40; n++)
        numbers.push_back(n * 37 % 41);
    std::stable_sort(numbers.begin(), numbers.end(), [](int one, int two) { note(one); return one < two; });
    std::for_each(numbers.begin(), numbers.end(), [&](int n) { counter.add(n); });
    void (Counter::*member)(int) = &Counter::add;
    (counter.*member)(sum);
    return counter.total;
}

} // namespace depot

using namespace depot;

/* Called from C: leaves by longjmp, or by an exception through the C functions. */
extern "C" OWN int visit(int value, void *context)
{
    int mode = *static_cast<int *>(context);
    note(value);
    if (value == 3 && mode == 1)
        leave_walk(value);
    if (value == 2 && mode == 2)
        throw Damaged("visited", value);
    return attempt(value + 5) + value;
}

OWN int visits(int mode)
{
    try {
        return guarded_walk(5, visit, &mode);
    } catch (const Damaged &damaged) {
        return damaged.weight;
    }
}

int main(int argc, char **)
{
    for (int number = 0; number < 36; number++)
        note(attempt(number));
    note(shelves());
    for (int number = 12; number < 18; number++)
        note(postponed(number));
    note(hand_on(1) + ackermann(2, 3) + callbacks());
    for (int mode = 0; mode < 3; mode++)
        note(visits(mode));
    int numbers[] = { 9, 4, 7, 1, 8, 2, 6, 3, 5, 0, 11, 10 };
    note(sort_numbers(numbers, 12) + chain(9, 0));
    for (int mode = 0; mode < 3; mode++)
        note(visits((mode + 1) % 3));
    std::printf("%u\n", checksum);
    return argc > 5;
}
