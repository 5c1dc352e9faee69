// Errors that are reported late, and stay. With argument `sync` (and GFX906_SYNC=1) the launch itself returns them.
#include <string>

#include "check.h"

__global__ void beyond(int* x) { x[1 << 20] = 1; }
__global__ void fine(int* x) { x[threadIdx.x] = threadIdx.x; }

int told = -1, called = 0;
void callback(hipStream_t, hipError_t status, void*) { told = status; }
void function(void*) { called = 1; }

int main(int count, char** arguments) {
    bool sync = count > 1 && std::string(arguments[1]) == "sync";
    int* x = device_alloc<int>(64);
    if (sync) {
        beyond<<<1, 64>>>(x);
        REQUIRE(hipPeekAtLastError() == hipErrorLaunchFailure);
        EXPECT(hipErrorLaunchFailure, hipStreamQuery(nullptr));
        HIP_CHECK(hipDeviceReset());
        x = device_alloc<int>(64);
        HIP_CHECK(hipLaunchHostFunc(nullptr, function, nullptr));
        REQUIRE(called == 1);
        std::printf("late: ok\n");
        return 0;
    }
    using Synchronise = hipError_t (*)(hipStream_t, hipEvent_t, int*);
    Synchronise ways[] = {
        [](hipStream_t, hipEvent_t, int*) { return hipDeviceSynchronize(); },
        [](hipStream_t stream, hipEvent_t, int*) { return hipStreamSynchronize(stream); },
        [](hipStream_t, hipEvent_t event, int*) { return hipEventSynchronize(event); },
        [](hipStream_t, hipEvent_t, int* x) { int y; return hipMemcpy(&y, x, 4, hipMemcpyDeviceToHost); },
        [](hipStream_t, hipEvent_t, int* x) { return hipFree(x); },
        [](hipStream_t stream, hipEvent_t, int*) {
            hipError_t status;
            while ((status = hipStreamQuery(stream)) == hipErrorNotReady) {}
            return status;
        },
    };
    for (auto synchronise : ways) {
        hipStream_t stream;
        hipEvent_t event;
        HIP_CHECK(hipStreamCreate(&stream));
        HIP_CHECK(hipEventCreate(&event));
        told = -1, called = 0;
        // The launch and all asynchronous calls succeed until a call waits.
        beyond<<<1, 64, 0, stream>>>(x);
        HIP_CHECK(hipGetLastError());
        fine<<<1, 64, 0, stream>>>(x);
        HIP_CHECK(hipGetLastError());
        int* y = device_alloc<int>(64);
        HIP_CHECK(hipStreamAddCallback(stream, callback, nullptr, 0));
        HIP_CHECK(hipLaunchHostFunc(stream, function, nullptr));
        HIP_CHECK(hipEventRecord(event, stream));
        EXPECT(hipErrorLaunchFailure, synchronise(stream, event, x));
        // From now on the error stays.
        REQUIRE(hipGetLastError() == hipErrorLaunchFailure && hipGetLastError() == hipErrorLaunchFailure);
        EXPECT(hipErrorLaunchFailure, hipMalloc(&y, 4));
        EXPECT(hipErrorLaunchFailure, hipDeviceSynchronize());
        fine<<<1, 64, 0, stream>>>(x);
        REQUIRE(hipGetLastError() == hipErrorLaunchFailure);
        HIP_CHECK(hipDeviceReset());
        REQUIRE(hipGetLastError() == hipSuccess);
        REQUIRE(told == hipErrorLaunchFailure && called == 0);
        x = device_alloc<int>(64);
        fine<<<1, 64>>>(x);
        int host[64];
        to_host(host, x, 64);
        for (int i = 0; i < 64; ++i) REQUIRE(host[i] == i);
    }
    // A refused launch returns its error at once, and no error stays.
    fine<<<1, 4096>>>(x);
    REQUIRE(hipGetLastError() == hipErrorInvalidConfiguration);
    HIP_CHECK(hipDeviceSynchronize());
    std::printf("late: ok\n");
}
