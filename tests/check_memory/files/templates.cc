// What C++ does in headers, and what the compiler makes of exceptions: all of it is instrumented.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    explicit Square(int n) : side(n) {}
    int area() const override { return side * side; }
};
struct Error {
    int depth;
    long more[4];
};
struct Guard {
    int *count;
    ~Guard() { ++*count; }
};
static int unwound;

static int deep(int n)
{
    Guard guard{&unwound};
    if (n > 20)
        throw Error{n, {1, 2, 3, 4}};
    return deep(n + 7) + 1;
}

int main(int count, char **)
{
    std::vector<int> numbers;
    for (int n = 0; n < 300; n++)
        numbers.push_back(n * 7919 % 301);
    std::sort(numbers.begin(), numbers.end());
    std::stable_sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 10 < b % 10; });
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int n = 0; n < 50; n++)
        shapes.emplace_back(new Square(n));
    int sum = 0;
    for (auto &shape : shapes)
        sum += shape->area();
    for (int n = 0; n < 5; n++) {
        try {
            deep(count + n);
        } catch (const Error &error) {
            sum += error.depth + error.more[n % 4];
        }
    }
    try {
        try {
            throw 5;
        } catch (int n) {
            sum += n;
            throw;
        }
    } catch (...) {
        sum++;
    }
    std::unique_ptr<long[]> array(new long[9]());
    std::vector<double> reals(10, 2.5);
    reals.insert(reals.begin() + 3, 7, 1.25);
    sum += std::accumulate(reals.begin(), reals.end(), 0.0) + array[3];
    printf("%d %d %d\n", sum, numbers[17], unwound);
    return 0;
}
