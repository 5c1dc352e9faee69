// Ends of a program that checks no errors. Argument 1: `return` (from main, while the kernel runs), `exit`, `abort`, `kill` (by a signal),
// `refused` (a block that is too large), `freed` (a kernel writes freed memory), `part` (the host copies
// more than the kernel has written), `overlap` (a copy reads what it writes), `unrecorded` (a stream waits for an
// event that was never recorded), `host` (the host reads device memory).
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "check.h"

// Two blocks write the same elements.
__global__ void both(int* x) { x[threadIdx.x] = blockIdx.x; }

int main(int, char** arguments) {
    std::string how = arguments[1];
    int* x = device_alloc<int>(64);
    if (how == "refused") {
        both<<<1, 2048>>>(x);
        (void)hipDeviceSynchronize();
        return 0;
    }
    if (how == "freed") {
        int* freed = nullptr;
        HIP_CHECK(hipMallocAsync(reinterpret_cast<void**>(&freed), 65536, nullptr));
        HIP_CHECK(hipFreeAsync(freed, nullptr));
        HIP_CHECK(hipDeviceSynchronize());
        both<<<1, 64>>>(freed);
        (void)hipDeviceSynchronize();
        return 0;
    }
    if (how == "part") {
        both<<<1, 32>>>(x);
        int copied[64];
        HIP_CHECK(hipMemcpy(copied, x, sizeof copied, hipMemcpyDeviceToHost));
        HIP_CHECK(hipMemcpy(copied, x, sizeof copied, hipMemcpyDeviceToHost));
        return 0;
    }
    if (how == "overlap") {
        both<<<1, 64>>>(x);
        HIP_CHECK(hipMemcpy(x + 1, x, 63 * sizeof *x, hipMemcpyDeviceToDevice));
        HIP_CHECK(hipDeviceSynchronize());
        return 0;
    }
    if (how == "unrecorded") {
        hipEvent_t event;
        HIP_CHECK(hipEventCreate(&event));
        HIP_CHECK(hipStreamWaitEvent(nullptr, event, 0));
        return 0;
    }
    both<<<2, 64>>>(x);
    if (how == "return") return 0;
    HIP_CHECK(hipDeviceSynchronize());
    if (how == "host") return *static_cast<volatile int*>(x);
    if (how == "abort") std::abort();
    if (how == "kill") {
        kill(getpid(), SIGTERM);
        pause();
    }
    std::exit(0);
}
