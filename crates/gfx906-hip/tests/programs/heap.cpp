// malloc, free, new and delete in kernels; host functions that kernels call; the clocks.
#include <chrono>

#include "check.h"

struct Node {
    int value;
    Node* next;
};

// Each work-item builds a list of its own, sums it up and frees it.
__global__ void lists(long* sums, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Node* head = nullptr;
    for (int k = 0; k < length; ++k) {
        Node* node = new Node;
        node->value = i + k;
        node->next = head;
        head = node;
    }
    long sum = 0;
    while (head) {
        sum += head->value;
        Node* next = head->next;
        delete head;
        head = next;
    }
    sums[i] = sum;
}

// Blocks of all sizes must not overlap: each is filled with its owner's number, and checked when all are filled.
__global__ void blocks(int* wrong) {
    int i = threadIdx.x;
    size_t bytes = 8 << (i % 13);
    auto mine = static_cast<unsigned char*>(malloc(bytes));
    if (!mine) {
        atomicAdd(wrong, 1);
    } else {
        for (size_t k = 0; k < bytes; ++k) mine[k] = i;
    }
    __syncthreads();
    for (size_t k = 0; mine && k < bytes; ++k) {
        if (mine[k] != static_cast<unsigned char>(i)) atomicAdd(wrong, 1);
    }
    free(mine);
}

// A kernel reads and frees the blocks that another kernel has allocated.
__global__ void keep(int** where, int n) {
    int* mine = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) mine[k] = threadIdx.x * 1000 + k;
    where[threadIdx.x] = mine;
}
__global__ void take(int** where, int n, int* sum) {
    int* theirs = where[threadIdx.x];
    for (int k = 0; k < n; ++k) atomicAdd(sum, theirs[k]);
    free(theirs);
}

__global__ void too_much(int* is_null) { *is_null = malloc(size_t(1) << 40) == nullptr; }

extern "C" __device__ HIP_vector_type<long, 2>::Native_vec_ __ockl_call_host_function(unsigned long, unsigned long, unsigned long,
                                                                                     unsigned long, unsigned long, unsigned long,
                                                                                     unsigned long, unsigned long);
extern "C" void add_up(unsigned long* results, const unsigned long* arguments) {
    results[0] = arguments[0] + arguments[1] * arguments[2];
    results[1] = arguments[6];
}
__global__ void ask(unsigned long function, unsigned long* out) {
    int i = threadIdx.x;
    auto got = __ockl_call_host_function(function, i, 3, 5, 0, 0, 0, 100 + i);
    out[2 * i] = got.x;
    out[2 * i + 1] = got.y;
}

__global__ void wait_for(long ticks, long* took) {
#ifdef __HIP_DEVICE_COMPILE__
    long cycles = clock64(), start = wall_clock64();
    while (wall_clock64() - start < ticks) {}
    took[0] = wall_clock64() - start;
    took[1] = clock64() - cycles;
#endif
}

int main() {
    const int items = 256, groups = 3, length = 20;
    long* sums = device_alloc<long>(items * groups);
    for (int round = 0; round < 2; ++round) {
        lists<<<groups, items>>>(sums, length);
        std::vector<long> host(items * groups);
        to_host(host.data(), sums, items * groups);
        for (int i = 0; i < items * groups; ++i) REQUIRE(host[i] == long(length) * i + length * (length - 1) / 2);
    }
    int* number = device_alloc<int>(1);
    HIP_CHECK(hipMemset(number, 0, 4));
    blocks<<<1, 512>>>(number);
    int host = -1;
    to_host(&host, number, 1);
    REQUIRE(host == 0);

    int** where = device_alloc<int*>(64);
    keep<<<1, 64>>>(where, 10);
    take<<<1, 64>>>(where, 10, number);
    to_host(&host, number, 1);
    REQUIRE(host == 64 * 45 + 10 * 1000 * (64 * 63 / 2));
    // Large blocks are allocated differently.
    HIP_CHECK(hipMemset(number, 0, 4));
    keep<<<1, 64>>>(where, 5000);
    take<<<1, 64>>>(where, 5000, number);
    HIP_CHECK(hipDeviceSynchronize());

    unsigned long* answers = device_alloc<unsigned long>(128);
    ask<<<1, 64>>>(reinterpret_cast<unsigned long>(add_up), answers);
    unsigned long got[128];
    to_host(got, answers, 128);
    for (unsigned long i = 0; i < 64; ++i) REQUIRE(got[2 * i] == i + 15 && got[2 * i + 1] == 100 + i);

    // The kernel waits for a tenth of a second, by the rate that the device reports.
    int khz = 0, core = 0;
    HIP_CHECK(hipDeviceGetAttribute(&khz, hipDeviceAttributeClockInstructionRate, 0));
    HIP_CHECK(hipDeviceGetAttribute(&core, hipDeviceAttributeClockRate, 0));
    long* took = device_alloc<long>(2);
    HIP_CHECK(hipDeviceSynchronize());
    auto start = std::chrono::steady_clock::now();
    wait_for<<<1, 1>>>(khz * 100L, took);
    HIP_CHECK(hipDeviceSynchronize());
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    long ticks[2];
    to_host(ticks, took, 2);
    REQUIRE(seconds >= 0.1 && ticks[0] >= khz * 100L);
    // Both clocks have advanced by the same time.
    double ratio = double(ticks[1]) / ticks[0] * khz / core;
    REQUIRE(ratio > 0.9 && ratio < 1.5);

    too_much<<<1, 1>>>(number);
    to_host(&host, number, 1);
    REQUIRE(host == 1);
    std::printf("heap: ok\n");
}
