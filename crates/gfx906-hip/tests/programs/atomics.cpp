// Atomics of global memory and LDS, and assertions that hold.
#include <cassert>

#include "check.h"

__global__ void count(int* total, float* sum, unsigned long long* wide, int* most, int* bins) {
    __shared__ int local;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    atomicAdd(&local, 1);
    atomicAdd(sum, 0.5f);
    atomicAdd(wide, 1ull << 33);
    atomicMax(most, i);
    atomicAdd(&bins[i % 7], 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, local);
    if (blockDim.x != 128) abort();
    assert(blockDim.y == 1);
}

// A lock of compare-and-swap, taken by one lane of each block.
__global__ void locked(int* lock, int* value) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int*)value += 3;
    __threadfence();
    atomicExch(lock, 0);
}

int main() {
    struct Totals {
        int total, most;
        float sum;
        int bins[7], lock, value;
        unsigned long long wide;
    } totals = {};
    Totals* d = device_alloc<Totals>(1);
    to_device(d, &totals, 1);
    constexpr int BLOCKS = 40, N = BLOCKS * 128;
    count<<<BLOCKS, 128>>>(&d->total, &d->sum, &d->wide, &d->most, d->bins);
    locked<<<BLOCKS, 64>>>(&d->lock, &d->value);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(&totals, d, 1);
    REQUIRE(totals.total == N && totals.most == N - 1 && totals.sum == 0.5f * N);
    REQUIRE(totals.wide == (unsigned long long)N << 33);
    for (int b = 0; b < 7; ++b) REQUIRE(totals.bins[b] == N / 7 + (b < N % 7));
    REQUIRE(totals.lock == 0 && totals.value == 3 * BLOCKS);
    std::printf("atomics: ok\n");
}
