// Aligned eight bytes are single operations: no load between work-groups is torn, no addition is lost where atomics of 32 and of 64
// bits meet, or those of kernels and of the host.
#include "check.h"

#include <atomic>
#include <thread>

typedef unsigned long long u64;

// Group 0 stores pairs of equal halves; the others count the loads whose halves differ.
__global__ void pairs(u64 *cell, unsigned *torn, int rounds) {
    if (threadIdx.x != 0) return;
    for (int n = 1; n <= rounds; ++n) {
        if (blockIdx.x == 0) {
            __atomic_store_n(cell, static_cast<u64>(n) << 32 | static_cast<unsigned>(n), __ATOMIC_RELAXED);
        } else {
            u64 value = __atomic_load_n(cell, __ATOMIC_RELAXED);
            if (static_cast<unsigned>(value >> 32) != static_cast<unsigned>(value)) atomicAdd(torn, 1u);
        }
    }
}

// The low half stays below 2^32, so that additions of either width give one sum.
__global__ void widths(u64 *sum, int rounds) {
    for (int n = 0; n < rounds; ++n) {
        if (blockIdx.x & 1) atomicAdd(sum, 1ull);
        else atomicAdd(reinterpret_cast<unsigned *>(sum), 1u);
    }
}

__global__ void add(u64 *sum, int rounds) {
    for (int n = 0; n < rounds; ++n) atomicAdd(sum, 1ull);
}

int main() {
    u64 *cells = nullptr, *shared = nullptr, got = 0;
    HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&cells), 128));
    HIP_CHECK(hipHostMalloc(reinterpret_cast<void **>(&shared), 8, 0));
    unsigned torn = 1;
    HIP_CHECK(hipMemset(cells, 0, 128));
    pairs<<<3, 64>>>(cells, reinterpret_cast<unsigned *>(cells + 8), 100000);
    HIP_CHECK(hipMemcpy(&torn, cells + 8, sizeof torn, hipMemcpyDeviceToHost));
    REQUIRE(torn == 0);
    HIP_CHECK(hipMemset(cells, 0, 128));
    widths<<<4, 64>>>(cells, 5000);
    HIP_CHECK(hipMemcpy(&got, cells, sizeof got, hipMemcpyDeviceToHost));
    REQUIRE(got == 4ull * 64 * 5000);
    for (int round = 0; round < 3; ++round) {
        *shared = 0;
        std::atomic<bool> on{true};
        u64 host = 0;
        std::thread adder([&] {
            do {
                __atomic_fetch_add(shared, 1ull, __ATOMIC_SEQ_CST);
                ++host;
            } while (on);
        });
        add<<<4, 64>>>(shared, 2000);
        HIP_CHECK(hipDeviceSynchronize());
        on = false;
        adder.join();
        REQUIRE(*shared == host + 4ull * 64 * 2000);
    }
    std::printf("nothing torn, nothing lost\n");
}
