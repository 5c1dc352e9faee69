// Compiled for other processors only: the first launch says so.
#include "check.h"

__global__ void nothing() {}

int main() {
    int devices = 0;
    HIP_CHECK(hipGetDeviceCount(&devices));
    nothing<<<1, 64>>>();
    REQUIRE(hipGetLastError() == hipErrorNoBinaryForGpu);
    nothing<<<1, 64>>>();
    REQUIRE(hipGetLastError() == hipErrorNoBinaryForGpu);
    std::printf("nobinary: ok\n");
}
