// Runs the checks of a C++ client as checks.py does those of Python: a line for each, and a last line that counts them.
#pragma once
#include <hip/hip_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) throw std::runtime_error(std::to_string(__LINE__) + ": " #condition);              \
    } while (0)
#define HIP(call) REQUIRE((call) == hipSuccess)

// Memory of the card with the elements of a vector, freed with the object.
template <typename T>
class Card {
public:
    explicit Card(size_t count) : count(count) { HIP(hipMalloc(&memory, (count ? count : 1) * sizeof(T))); }
    explicit Card(const std::vector<T>& host) : Card(host.size()) {
        HIP(hipMemcpy(memory, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Card(const Card&) = delete;
    ~Card() { (void)hipFree(memory); }
    operator T*() const { return memory; }
    std::vector<T> host() const {
        std::vector<T> copy(count);
        HIP(hipMemcpy(copy.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost));
        return copy;
    }

private:
    T* memory = nullptr;
    size_t count;
};

inline std::mt19937 generator(906);

// Whole numbers of a range, evenly distributed.
template <typename T>
std::vector<T> integers(size_t count, int low, int high) {
    std::uniform_int_distribution<int> distribution(low, high);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(distribution(generator));
    return values;
}

// Requires the same length, and elements within a tolerance that is relative and absolute.
template <typename T, typename U>
void require_near(const std::vector<T>& got, const std::vector<U>& expected, double tolerance) {
    REQUIRE(got.size() == expected.size());
    for (size_t at = 0; at < got.size(); ++at) {
        const double is = got[at], right = expected[at];
        if (!(std::fabs(is - right) <= tolerance * (1 + std::fabs(right))))
            throw std::runtime_error("element " + std::to_string(at) + " is " + std::to_string(is) + ", not " + std::to_string(right));
    }
}

struct Check {
    const char* name;
    void (*function)();
};

// Runs the checks; returns the exit code of the program.
inline int run_checks(const std::vector<Check>& checks) {
    int failed = 0;
    for (const Check& check : checks) {
        const auto begin = std::chrono::steady_clock::now();
        const char* result = "ok";
        try {
            check.function();
        } catch (const std::exception& error) {
            std::printf("%s: %s\n", check.name, error.what());
            result = "FAILED";
            ++failed;
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::printf("%-56s %-6s %6.1f s\n", check.name, result, seconds.count());
        std::fflush(stdout);
    }
    std::printf("%zu passed, %d failed\n", checks.size() - failed, failed);
    return failed != 0;
}
