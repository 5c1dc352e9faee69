// Cooperative launches: barriers of the whole grid, by the device library and by the program itself. The argument chooses a forbidden action.
#include <string>

#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// In each round every work-item sums its neighbours' values of the round before. A group that is a round ahead or behind gives a wrong sum at once.
__global__ void rounds(int* a, int* b, int n, int times) {
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < times; ++t) {
        b[i] = a[(i + n - 1) % n] + a[(i + 1) % n] + 1;
        grid.sync();
        int* c = a;
        a = b;
        b = c;
    }
}

__global__ void what_it_is(int* out) {
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = grid.is_valid() && grid.size() == gridDim.x * blockDim.x ? int(grid.thread_rank()) : -1;
}

// A barrier on two words of memory.
__device__ void meet(unsigned* count, unsigned* turn, unsigned groups) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned now = __hip_atomic_load(turn, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        __threadfence();
        if (atomicAdd(count, 1) == groups - 1) {
            __hip_atomic_store(count, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
            __hip_atomic_fetch_add(turn, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        } else {
            while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == now) {}
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void own_barrier(unsigned* words, int* sums, int times) {
    for (int t = 0; t < times; ++t) {
        if (threadIdx.x == 0) atomicAdd(&sums[t], 1);
        meet(&words[0], &words[1], gridDim.x);
        // No group passes the barrier before all have come.
        if (threadIdx.x == 0 && __hip_atomic_load(&sums[t], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != int(gridDim.x)) atomicAdd(&sums[times], 1);
    }
}

// One group takes another way, so that the others wait forever.
__global__ void one_stays_away(int* x) {
    if (blockIdx.x == 1) return;
    cg::this_grid().sync();
    *x = 1;
}

__global__ void __launch_bounds__(1024) large(int* x) {
    __shared__ int lds[12 * 1024];
    lds[threadIdx.x] = threadIdx.x;
    cg::this_grid().sync();
    x[blockIdx.x * 1024 + threadIdx.x] = lds[threadIdx.x ^ 1];
}

static void check_rounds(int groups, int items, int times) {
    int n = groups * items;
    std::vector<int> host(n), want(n), next(n);
    for (int i = 0; i < n; ++i) want[i] = host[i] = i % 7;
    int* a = device_alloc<int>(n);
    int* b = device_alloc<int>(n);
    to_device(a, host.data(), n);
    void* arguments[] = {&a, &b, &n, &times};
    HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(groups), dim3(items), arguments, 0, 0));
    to_host(host.data(), times % 2 ? b : a, n);
    for (int t = 0; t < times; ++t) {
        for (int i = 0; i < n; ++i) next[i] = want[(i + n - 1) % n] + want[(i + 1) % n] + 1;
        want.swap(next);
    }
    for (int i = 0; i < n; ++i) REQUIRE(host[i] == want[i]);
    HIP_CHECK(hipFree(a));
    HIP_CHECK(hipFree(b));
}

int main(int count, char** words) {
    std::string how = count > 1 ? words[1] : "";
    int* x = device_alloc<int>(64 * 1024);
    void* one[] = {&x};
    if (how == "stuck") {
        HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(one_stays_away), dim3(4), dim3(128), one, 0, 0));
        EXPECT(hipErrorLaunchFailure, hipDeviceSynchronize());
        return 0;
    }
    if (how == "usual") {
        one_stays_away<<<4, 64>>>(x);
        EXPECT(hipErrorLaunchFailure, hipDeviceSynchronize());
        return 0;
    }
    int has = 0, units = 0, each = 0;
    HIP_CHECK(hipDeviceGetAttribute(&has, hipDeviceAttributeCooperativeLaunch, 0));
    HIP_CHECK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    hipDeviceProp_t properties;
    HIP_CHECK(hipGetDeviceProperties(&properties, 0));
    REQUIRE(has == 1 && properties.cooperativeLaunch == 1);

    check_rounds(1, 64, 5);
    check_rounds(7, 256, 9);
    check_rounds(60, 96, 20);
    check_rounds(500, 64, 3);

    std::vector<int> host(64 * 1024);
    HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(what_it_is), dim3(5), dim3(100), one, 0, 0));
    to_host(host.data(), x, 500);
    for (int i = 0; i < 500; ++i) REQUIRE(host[i] == i);

    // The grid has as many groups as the card holds, and one more.
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&each, reinterpret_cast<const void*>(large), 1024, 0));
    REQUIRE(each == 1);
    dim3 most(each * units);
    HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(large), most, dim3(1024), one, 0, 0));
    to_host(host.data(), x, most.x * 1024);
    for (unsigned i = 0; i < most.x * 1024; ++i) REQUIRE(host[i] == int(i % 1024 ^ 1));
    EXPECT(hipErrorCooperativeLaunchTooLarge,
           hipLaunchCooperativeKernel(reinterpret_cast<void*>(large), dim3(most.x + 1), dim3(1024), one, 0, 0));
    EXPECT(hipErrorCooperativeLaunchTooLarge, hipGetLastError());

    // The kernel loops on memory, with every group resident.
    const int times = 6;
    unsigned* barrier = device_alloc<unsigned>(2);
    int* sums = device_alloc<int>(times + 1);
    HIP_CHECK(hipMemset(barrier, 0, 8));
    HIP_CHECK(hipMemset(sums, 0, 4 * (times + 1)));
    int turns = times;
    void* arguments[] = {&barrier, &sums, &turns};
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(own_barrier), dim3(200), dim3(128), arguments, 0, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    int got[times + 1];
    to_host(got, sums, times + 1);
    for (int t = 0; t < times; ++t) REQUIRE(got[t] == 200);
    REQUIRE(got[times] == 0);

    // The launch on all devices has one device.
    hipLaunchParams all = {};
    all.func = reinterpret_cast<void*>(what_it_is);
    all.gridDim = dim3(3);
    all.blockDim = dim3(64);
    all.args = one;
    all.stream = stream;
    HIP_CHECK(hipLaunchCooperativeKernelMultiDevice(&all, 1, 0));
    HIP_CHECK(hipStreamSynchronize(stream));
    EXPECT(hipErrorInvalidValue, hipLaunchCooperativeKernelMultiDevice(&all, 2, 0));
    std::printf("cooperative: ok\n");
}
