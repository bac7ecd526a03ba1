// Objects of the program that libstdc++ writes: strings, nodes of trees, streams.
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

int main()
{
    std::map<std::string, int> count;
    std::istringstream text("the quick brown fox jumps over the lazy dog and the other words");
    for (std::string word; text >> word;)
        count[word]++;
    try {
        throw std::runtime_error("counted " + std::to_string(count.size()));
    } catch (const std::exception &error) {
        std::cout << error.what() << ' ' << count.begin()->first << std::endl;
    }
    return count["the"] != 3;
}
