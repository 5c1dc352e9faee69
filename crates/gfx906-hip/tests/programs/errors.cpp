// Error codes: what a call returns, and what the thread remembers.
#include <string>

#include "check.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small(int* x) { x[threadIdx.x] = 1; }

int main() {
    void* p = &p;
    // Null pointers, empty ranges, sizes beyond memory.
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

    // Positions within rows and planes: a position outside its row is refused, wherever its bytes would be.
    {
        char* q = nullptr;
        char rows[4 * 16 * 2] = {};
        HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&q), 64 * 8 * 4));
        hipMemcpy3DParms copy = {};
        copy.srcPtr = make_hipPitchedPtr(rows, 16, 16, 4), copy.dstPtr = make_hipPitchedPtr(q, 64, 64, 8);
        copy.extent = make_hipExtent(16, 4, 2), copy.kind = hipMemcpyHostToDevice;
        HIP_CHECK(hipMemcpy3D(&copy));
        copy.dstPos = make_hipPos(48, 4, 1);
        HIP_CHECK(hipMemcpy3D(&copy));
        copy.dstPos = make_hipPos(49, 0, 0);
        EXPECT(hipErrorInvalidValue, hipMemcpy3D(&copy));
        copy.dstPos = make_hipPos(0, 5, 0);
        EXPECT(hipErrorInvalidValue, hipMemcpy3D(&copy));
        copy.dstPos = make_hipPos(0, 0, 3);
        EXPECT(hipErrorInvalidValue, hipMemcpy3D(&copy));
        copy.dstPos = make_hipPos(0, 0, 0), copy.srcPos = make_hipPos(1, 0, 0);
        EXPECT(hipErrorInvalidValue, hipMemcpy3DAsync(&copy, nullptr));
        copy.srcPos = make_hipPos(0, 0, 0), copy.srcPtr.pitch = 15;
        EXPECT(hipErrorInvalidPitchValue, hipMemcpy3D(&copy));
        HIP_MEMCPY3D driver = {};
        driver.srcMemoryType = hipMemoryTypeHost, driver.srcHost = rows, driver.srcPitch = 16, driver.srcHeight = 4;
        driver.dstMemoryType = hipMemoryTypeDevice, driver.dstDevice = q, driver.dstPitch = 64, driver.dstHeight = 8;
        driver.WidthInBytes = 16, driver.Height = 4, driver.Depth = 2;
        driver.dstXInBytes = 48, driver.dstY = 4;
        HIP_CHECK(hipDrvMemcpy3D(&driver));
        driver.dstXInBytes = 49;
        EXPECT(hipErrorInvalidValue, hipDrvMemcpy3D(&driver));
        driver.dstXInBytes = 48, driver.dstY = 5;
        EXPECT(hipErrorInvalidValue, hipDrvMemcpy3D(&driver));
        HIP_CHECK(hipFree(q));
        // An address that both sides have, and flags that do not exist.
        void *pinned, *there;
        HIP_CHECK(hipHostMalloc(&pinned, 16));
        HIP_CHECK(hipHostGetDevicePointer(&there, pinned, 0));
        REQUIRE(there == pinned);
        EXPECT(hipErrorInvalidValue, hipHostGetDevicePointer(&there, pinned, 1));
        EXPECT(hipErrorInvalidValue, hipHostGetDevicePointer(nullptr, pinned, 0));
        EXPECT(hipErrorInvalidValue, hipHostGetDevicePointer(&there, nullptr, 0));
        HIP_CHECK(hipHostFree(pinned));
    }

    // The last error stays until it is queried, whatever succeeds meanwhile.
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

    // Preferences of a kernel, and of the device: known ones change nothing, others are refused.
    const void* kernel = reinterpret_cast<const void*>(nothing);
    for (int config = 0; config < 4; ++config) {
        HIP_CHECK(hipFuncSetCacheConfig(kernel, hipFuncCache_t(config)));
        HIP_CHECK(hipDeviceSetCacheConfig(hipFuncCache_t(config)));
    }
    for (int config = 0; config < 3; ++config) {
        HIP_CHECK(hipFuncSetSharedMemConfig(kernel, hipSharedMemConfig(config)));
        HIP_CHECK(hipDeviceSetSharedMemConfig(hipSharedMemConfig(config)));
    }
    EXPECT(hipErrorInvalidDeviceFunction, hipFuncSetCacheConfig(nullptr, hipFuncCachePreferNone));
    EXPECT(hipErrorInvalidDeviceFunction, hipFuncSetSharedMemConfig(nullptr, hipSharedMemBankSizeDefault));
    EXPECT(hipErrorInvalidValue, hipFuncSetCacheConfig(kernel, hipFuncCache_t(4)));
    EXPECT(hipErrorInvalidValue, hipFuncSetSharedMemConfig(kernel, hipSharedMemConfig(3)));
    EXPECT(hipErrorInvalidValue, hipDeviceSetCacheConfig(hipFuncCache_t(-1)));
    EXPECT(hipErrorInvalidValue, hipDeviceSetSharedMemConfig(hipSharedMemConfig(-1)));
    EXPECT(hipErrorInvalidHandle, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, nullptr));
    EXPECT(hipErrorInvalidValue, hipFuncGetAttribute(nullptr, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, nullptr));

    // Handles.
    hipStream_t stream = reinterpret_cast<hipStream_t>(0x1234);
    hipEvent_t event = reinterpret_cast<hipEvent_t>(0x1234);
    hipModule_t module = reinterpret_cast<hipModule_t>(0x1234);
    EXPECT(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
    EXPECT(hipErrorContextIsDestroyed, hipStreamDestroy(stream));
    EXPECT(hipErrorInvalidHandle, hipStreamDestroy(nullptr));
    EXPECT(hipErrorInvalidHandle, hipEventSynchronize(event));
    EXPECT(hipErrorInvalidHandle, hipEventRecord(nullptr, nullptr));
    EXPECT(hipErrorNotFound, hipModuleUnload(module));
    EXPECT(hipErrorInvalidHandle, hipModuleUnload(nullptr));
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

    // Unsupported functions return their error.
    hipIpcMemHandle_t handle;
    EXPECT(hipErrorNotSupported, hipIpcGetMemHandle(&handle, p));
    EXPECT(hipErrorNotSupported, hipIpcGetMemHandle(&handle, p));
    REQUIRE(hipGetErrorName(hipErrorInvalidValue) == std::string("hipErrorInvalidValue"));
    std::printf("errors: ok\n");
}
