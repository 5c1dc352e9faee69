// Error codes: what a call returns, and what the thread remembers.
#include <string>

#include "check.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small(int* x) { x[threadIdx.x] = 1; }

int main() {
    void* p = &p;
    // Null pointers, nothing to do, too much.
    EXPECT(hipErrorInvalidValue, hipMalloc(static_cast<void**>(nullptr), 4));
    HIP_CHECK(hipMalloc(&p, 0));
    REQUIRE(p == nullptr);
    HIP_CHECK(hipFree(nullptr));
    HIP_CHECK(hipHostFree(nullptr));
    EXPECT(hipErrorOutOfMemory, hipMalloc(&p, size_t(1) << 40));
    REQUIRE(p == nullptr);
    EXPECT(hipErrorOutOfMemory, hipMalloc(&p, ~size_t(0)));
    EXPECT(hipErrorInvalidValue, hipMallocManaged(&p, 0));
    EXPECT(hipErrorInvalidValue, hipHostMalloc(&p, 4, hipHostMallocCoherent | hipHostMallocNonCoherent));

    // Copies.
    HIP_CHECK(hipMalloc(&p, 64));
    char host[128] = {};
    HIP_CHECK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault));
    EXPECT(hipErrorInvalidValue, hipMemcpy(p, nullptr, 4, hipMemcpyHostToDevice));
    EXPECT(hipErrorInvalidValue, hipMemcpy(p, host, 65, hipMemcpyHostToDevice));
    EXPECT(hipErrorInvalidValue, hipMemcpy(static_cast<char*>(p) + 64, host, 1, hipMemcpyHostToDevice));
    EXPECT(hipErrorInvalidMemcpyDirection, hipMemcpy(p, host, 4, hipMemcpyKind(9)));
    EXPECT(hipErrorInvalidValue, hipMemcpyDtoH(host, host + 8, 4));
    EXPECT(hipErrorInvalidValue, hipMemset(p, 0, 65));
    EXPECT(hipErrorInvalidValue, hipMemset(host, 0, 4));
    EXPECT(hipErrorInvalidValue, hipFree(static_cast<char*>(p) + 4));
    HIP_CHECK(hipFree(p));
    EXPECT(hipErrorInvalidValue, hipFree(p));
    EXPECT(hipErrorInvalidValue, hipMemcpy(p, host, 4, hipMemcpyHostToDevice));
    EXPECT(hipErrorInvalidValue, hipFree(host));

    // The last error stays until it is asked for, whatever succeeds meanwhile.
    HIP_CHECK(hipDeviceSynchronize());
    REQUIRE(hipPeekAtLastError() == hipErrorInvalidValue);
    REQUIRE(hipGetLastError() == hipErrorInvalidValue);
    REQUIRE(hipGetLastError() == hipSuccess);

    // Devices.
    int value = 0;
    hipDeviceProp_t properties;
    HIP_CHECK(hipInit(0));
    EXPECT(hipErrorInvalidValue, hipInit(1));
    HIP_CHECK(hipSetDevice(0));
    EXPECT(hipErrorInvalidDevice, hipSetDevice(1));
    EXPECT(hipErrorInvalidDevice, hipSetDevice(-1));
    EXPECT(hipErrorInvalidDevice, hipGetDeviceProperties(&properties, 1));
    EXPECT(hipErrorInvalidValue, hipGetDeviceProperties(nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipDeviceGetAttribute(&value, hipDeviceAttribute_t(77777), 0));
    HIP_CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    REQUIRE(value == 64);
    HIP_CHECK(hipGetDeviceProperties(&properties, 0));
    HIP_CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    REQUIRE(properties.multiProcessorCount == value && properties.maxThreadsDim[2] == 1024);
    REQUIRE(properties.managedMemory == 1 && properties.pageableMemoryAccess == 0);
    size_t total = 0;
    HIP_CHECK(hipDeviceTotalMem(&total, 0));
    REQUIRE(total == properties.totalGlobalMem);

    // Handles.
    hipStream_t stream = reinterpret_cast<hipStream_t>(0x1234);
    hipEvent_t event = reinterpret_cast<hipEvent_t>(0x1234);
    hipModule_t module = reinterpret_cast<hipModule_t>(0x1234);
    EXPECT(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
    EXPECT(hipErrorContextIsDestroyed, hipStreamDestroy(stream));
    EXPECT(hipErrorInvalidHandle, hipStreamDestroy(nullptr));
    EXPECT(hipErrorInvalidHandle, hipEventSynchronize(event));
    EXPECT(hipErrorInvalidHandle, hipEventRecord(nullptr, nullptr));
    EXPECT(hipErrorInvalidHandle, hipModuleUnload(module));
    EXPECT(hipErrorInvalidValue, hipStreamCreateWithFlags(&stream, 77));
    EXPECT(hipErrorInvalidValue, hipEventCreateWithFlags(&event, 0x100));

    // Launches.
    nothing<<<0, 64>>>();
    REQUIRE(hipGetLastError() == hipErrorInvalidValue);
    nothing<<<1, 2048>>>();
    REQUIRE(hipGetLastError() == hipErrorInvalidConfiguration);
    nothing<<<1, dim3(64, 64, 64)>>>();
    REQUIRE(hipGetLastError() == hipErrorInvalidConfiguration);
    nothing<<<1, 64, 65537>>>();
    REQUIRE(hipGetLastError() == hipErrorInvalidValue);
    small<<<1, 128>>>(nullptr);
    REQUIRE(hipGetLastError() == hipErrorLaunchFailure);
    nothing<<<3, 64>>>();
    HIP_CHECK(hipDeviceSynchronize());
    EXPECT(hipErrorInvalidDeviceFunction, hipLaunchKernel(host, dim3(1), dim3(1), nullptr, 0, 0));
    hipFuncAttributes attributes;
    HIP_CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(small)));
    REQUIRE(attributes.maxThreadsPerBlock == 64 && attributes.sharedSizeBytes == 0);
    EXPECT(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&attributes, host));

    // What is not supported says so.
    hipIpcMemHandle_t handle;
    EXPECT(hipErrorNotSupported, hipIpcGetMemHandle(&handle, p));
    EXPECT(hipErrorNotSupported, hipIpcGetMemHandle(&handle, p));
    REQUIRE(hipGetErrorName(hipErrorInvalidValue) == std::string("hipErrorInvalidValue"));
    std::printf("errors: ok\n");
}
