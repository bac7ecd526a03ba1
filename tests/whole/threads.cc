/* Exceptions through several frames, in threads too, with the containers and streams of C++. */
#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Counted {
    static int alive;
    Counted() { alive++; }
    Counted(const Counted &) { alive++; }
    ~Counted() { alive--; }
};
int Counted::alive;

static std::mutex guard;
static std::map<std::string, int> seen;

static int deep(int levels, int fails)
{
    Counted one;
    if (levels)
        return deep(levels - 1, fails) + 1;
    if (fails % 3 == 1)
        throw std::runtime_error("runtime");
    if (fails % 3 == 2)
        throw fails;
    return 0;
}

static std::string attempt(int number)
{
    std::ostringstream text;
    try {
        text << "depth " << deep(number, number);
    } catch (const std::exception &error) {
        text << "error " << error.what();
    } catch (int value) {
        text << "value " << value;
    }
    return text.str();
}

static void work(int first)
{
    for (int number = first; number < first + 4; number++) {
        std::string text = attempt(number);
        std::lock_guard<std::mutex> locked(guard);
        seen[text]++;
    }
}

int main()
{
    for (int number = 0; number < 3; number++) {
        std::thread one(work, number);
        one.join();
    }
    std::vector<std::pair<std::string, int>> rows(seen.begin(), seen.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    for (const auto &row : rows)
        std::cout << row.first << ": " << row.second << "\n";
    std::cout << Counted::alive << " alive, " << 2.5 * rows.size() << std::endl;
    return Counted::alive;
}
