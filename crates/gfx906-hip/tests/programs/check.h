// Helpers of the programs: checked calls, inputs, comparison, a line per test.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                                      \
    do {                                                                                                     \
        hipError_t status_ = (call);                                                                         \
        if (status_ != hipSuccess) {                                                                         \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status_));           \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

// An error code that a call must return.
#define EXPECT(code, call)                                                                                   \
    do {                                                                                                     \
        hipError_t status_ = (call);                                                                         \
        if (status_ != (code)) {                                                                             \
            std::printf("%s:%d: %s: %s instead of %s\n", __FILE__, __LINE__, #call, hipGetErrorName(status_), \
                        #code);                                                                              \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                        \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

// A requirement of whole numbers, whose values are printed if they differ.
#define REQUIRE_EQUAL(value, expected)                                                                       \
    do {                                                                                                     \
        const long long is = (value), should_be = (expected);                                                \
        if (is != should_be) {                                                                               \
            std::printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, is, should_be);          \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

inline unsigned next_random() {
    static unsigned state = 0x9e3779b9u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

inline void fill_random(float* data, size_t n, float low, float high) {
    for (size_t i = 0; i < n; ++i) data[i] = low + (high - low) * (next_random() >> 8) / 16777216.0f;
}

inline float max_diff(const float* a, const float* b, size_t n) {
    float most = 0.0f;
    for (size_t i = 0; i < n; ++i) {
        float diff = std::fabs(a[i] - b[i]);
        if (!(diff <= most)) most = diff;  // a NaN stays
    }
    return most;
}

template <typename T>
T* device_alloc(size_t n) {
    T* p = nullptr;
    HIP_CHECK(hipMalloc(&p, n * sizeof(T)));
    return p;
}

template <typename T>
void to_device(T* device, const T* host, size_t n) {
    HIP_CHECK(hipMemcpy(device, host, n * sizeof(T), hipMemcpyHostToDevice));
}

template <typename T>
void to_host(T* host, const T* device, size_t n) {
    HIP_CHECK(hipMemcpy(host, device, n * sizeof(T), hipMemcpyDeviceToHost));
}

// Additions after HIP 5.2, whose headers Debian has.
#if HIP_VERSION < 50300000
typedef struct hipUserObject* hipUserObject_t;
enum { hipUserObjectNoDestructorSync = 1, hipGraphUserObjectMove = 1 };
extern "C" hipError_t hipUserObjectCreate(hipUserObject_t*, void*, hipHostFn_t, unsigned, unsigned);
extern "C" hipError_t hipGraphRetainUserObject(hipGraph_t, hipUserObject_t, unsigned, unsigned);
#endif

static int failures = 0;

static inline void report(const char* name, bool passed, float diff) {
    std::printf("  [%s] %s (max_diff=%.2e)\n", passed ? "PASS" : "FAIL", name, diff);
    failures += !passed;
}
