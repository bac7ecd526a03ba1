// Exceptions through frames with probes, RTTI, static initialisation, templates in COMDAT.
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

struct Base {
    virtual ~Base() {}
    virtual int value() const { return 1; }
};
struct Derived : Base {
    int kept = 41;
    int value() const override { return kept + 1; }
};
static std::map<std::string, int> table = {{"one", 1}, {"two", 2}};

struct Noisy {
    int number;
    explicit Noisy(int n) : number(n) {}
    ~Noisy() { std::cout << "gone " << number << "\n"; }
};

template <class T> T deep(T n)
{
    Noisy noisy(n);
    if (n == 0)
        throw std::runtime_error("at the bottom");
    return deep(n - 1) + n;
}

int main()
{
    try {
        std::cout << deep(4) << "\n";
    } catch (const std::exception &error) {
        std::cout << error.what() << "\n";
    }
    std::unique_ptr<Base> base(new Derived);
    std::cout << base->value() << " " << (dynamic_cast<Derived *>(base.get()) != nullptr) << " "
              << table["two"] << " " << (typeid(*base) == typeid(Derived)) << "\n";
    try {
        table.at("three");
    } catch (std::out_of_range &) {
        return 4;
    }
    return 0;
}
