// Kernels that print, and assertions that hold. Optional argument 1: an assertion that fails.
#include <cassert>

#include "check.h"

__global__ void greet(const int* x, const char* name, double y) {
    if (threadIdx.x % 40 == 3) printf("lane %d of block %u: %s has %5.2f%%, %#llx\n", int(threadIdx.x), unsigned(blockIdx.x), name, y, 1ull << 40);
    if (threadIdx.x == 64) printf("%s", "a text that takes more than one packet: 56 bytes are what a part of it holds\n");
    assert(x[threadIdx.x] == 7);
}

__global__ void count(int* total) {
    int printed = printf("%c", "ab"[threadIdx.x & 1]);
    atomicAdd(total, printed);
}

int main(int arguments, char**) {
    int in[128], *x = device_alloc<int>(129);
    for (int& value : in) value = 7;
    if (arguments > 1) in[66] = 8;
    to_device(x, in, 128);
    HIP_CHECK(hipMemset(x + 128, 0, sizeof(int)));
    char* name;
    HIP_CHECK(hipMallocManaged(&name, 16));
    std::snprintf(name, 16, "kernel");
    std::printf("before\n");
    greet<<<2, 128>>>(x, name, 12.345);
    hipError_t status = hipDeviceSynchronize();
    if (arguments > 1) {
        REQUIRE(status == hipErrorLaunchFailure);
        std::printf("printf: ok\n");
        return 0;
    }
    HIP_CHECK(status);
    count<<<4, 256>>>(x + 128);
    HIP_CHECK(hipDeviceSynchronize());
    int total = 0;
    to_host(&total, x + 128, 1);
    REQUIRE(total == 4 * 256);
    std::printf("\nprintf: ok\n");
}
