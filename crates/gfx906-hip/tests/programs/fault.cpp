// Fails on purpose, in the way that argument 1 names. The error must stay until the device is reset.
#include <cstring>
#include <string>

#include "check.h"

__global__ void beyond_the_end(int* x, int n) { x[n + threadIdx.x] = 1; }
__global__ void forever(volatile int* x) {
    while (x[0] == 0) {}
}
__global__ void stops_itself(const int* x) {
    if (x[0] == 0) __builtin_trap();
}
__global__ void fine(int* x) { x[threadIdx.x] = threadIdx.x; }

int main(int, char** arguments) {
    std::string how = arguments[1];
    int* x = device_alloc<int>(1024);
    int* of_the_host = static_cast<int*>(std::calloc(1024, 4));
    HIP_CHECK(hipMemset(x, 0, 4096));
    fine<<<1, 64>>>(x);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipMemset(x, 0, 4096));

    if (how == "write") beyond_the_end<<<1, 64>>>(x, 1024);
    if (how == "hang") forever<<<1, 64>>>(x);
    if (how == "trap") stops_itself<<<1, 64>>>(x);
    if (how == "host") fine<<<1, 64>>>(of_the_host);
    EXPECT(hipErrorLaunchFailure, hipDeviceSynchronize());

    // The error stays.
    void* p;
    char byte;
    EXPECT(hipErrorLaunchFailure, hipMalloc(&p, 4));
    EXPECT(hipErrorLaunchFailure, hipMemcpy(&byte, x, 1, hipMemcpyDeviceToHost));
    fine<<<1, 64>>>(x);
    REQUIRE(hipGetLastError() == hipErrorLaunchFailure);
    REQUIRE(hipGetLastError() == hipErrorLaunchFailure && hipPeekAtLastError() == hipErrorLaunchFailure);
    int devices = 0;
    HIP_CHECK(hipGetDeviceCount(&devices));
    REQUIRE(devices == 1);

    // The error ends with a reset, after which the device is as new.
    HIP_CHECK(hipDeviceReset());
    REQUIRE(hipGetLastError() == hipSuccess);
    EXPECT(hipErrorInvalidValue, hipFree(x));
    x = device_alloc<int>(64);
    fine<<<1, 64>>>(x);
    HIP_CHECK(hipDeviceSynchronize());
    int host[64];
    to_host(host, x, 64);
    for (int i = 0; i < 64; ++i) REQUIRE(host[i] == i);
    std::free(of_the_host);
    std::printf("fault: ok\n");
}
