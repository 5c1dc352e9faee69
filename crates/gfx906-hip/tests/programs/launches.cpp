// Other ways to launch, contexts, attributes of kernels.
#include <hip/hip_ext.h>

#include <string>

#include "check.h"

__global__ void add(int* x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

__global__ void where(unsigned* out) {
    unsigned i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned j = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i * blockDim.x * blockDim.y * blockDim.z + j] = i * 1000 + j;
}

template <typename T, int N>
__global__ void scaled(T* x) {
    __shared__ T rows[N];
    rows[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = rows[N - 1 - threadIdx.x] * T(2);
}

int main(int, char** arguments) {
    int host[128], *x = device_alloc<int>(128);
    auto expect = [&](int value) {
        to_host(host, x, 128);
        for (int y : host) REQUIRE(y == value);
    };
    HIP_CHECK(hipMemset(x, 0, 128 * sizeof(int)));

    // A launch with events.
    hipEvent_t start, stop;
    float ms = -1;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));
    hipExtLaunchKernelGGL(add, dim3(2), dim3(64), 0, 0, start, stop, 0, x, 1);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipEventSynchronize(stop));
    HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
    REQUIRE(ms > 0);
    expect(1);

    // A launch with pointers to arguments.
    int y = 10;
    void* parameters[] = {&x, &y};
    HIP_CHECK(hipLaunchKernel(reinterpret_cast<const void*>(add), dim3(2), dim3(64), parameters, 0, 0));
    expect(11);

    // A launch in several calls.
    HIP_CHECK(hipConfigureCall(dim3(2), dim3(64), 0, 0));
    HIP_CHECK(hipSetupArgument(&x, sizeof x, 0));
    HIP_CHECK(hipSetupArgument(&y, sizeof y, sizeof x));
    HIP_CHECK(hipLaunchByPtr(reinterpret_cast<const void*>(add)));
    expect(21);
    EXPECT(hipErrorMissingConfiguration, hipLaunchByPtr(reinterpret_cast<const void*>(add)));
    EXPECT(hipErrorMissingConfiguration, hipSetupArgument(&y, sizeof y, 0));

    // A launch of a module's kernel, counted in work-items.
    hipModule_t module;
    hipFunction_t sigmoid;
    HIP_CHECK(hipModuleLoad(&module, arguments[1]));
    HIP_CHECK(hipModuleGetFunction(&sigmoid, module, "kernel_sigmoid"));
    REQUIRE(std::string(hipKernelNameRef(sigmoid)) == "kernel_sigmoid");
    float *in = device_alloc<float>(256), *out = device_alloc<float>(256), half[256];
    HIP_CHECK(hipMemset(in, 0, 1024));
    int n = 256;
    void* of_sigmoid[] = {&in, &out, &n};
    HIP_CHECK(hipExtModuleLaunchKernel(sigmoid, 256, 1, 1, 64, 1, 1, 0, 0, of_sigmoid, nullptr, start, stop, 0));
    to_host(half, out, 256);
    for (float h : half) REQUIRE(h == 0.5f);
    EXPECT(hipErrorInvalidValue, hipExtModuleLaunchKernel(sigmoid, 250, 1, 1, 64, 1, 1, 0, 0, of_sigmoid, nullptr));

    // Three dimensions.
    unsigned *d_where = device_alloc<unsigned>(24 * 30), places[24 * 30];
    where<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(d_where);
    to_host(places, d_where, 24 * 30);
    for (unsigned i = 0; i < 24 * 30; ++i) REQUIRE(places[i] == i / 30 * 1000 + i % 30);

    // Templates.
    double doubles[32], *d_doubles = device_alloc<double>(32);
    for (int i = 0; i < 32; ++i) doubles[i] = i;
    to_device(d_doubles, doubles, 32);
    scaled<double, 32><<<1, 32>>>(d_doubles);
    to_host(doubles, d_doubles, 32);
    for (int i = 0; i < 32; ++i) REQUIRE(doubles[i] == 2.0 * (31 - i));
    hipFuncAttributes attributes;
    HIP_CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(scaled<double, 32>)));
    REQUIRE(attributes.sharedSizeBytes == 256 && attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0);
    int blocks = 0, grid = 0, block = 0;
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled<double, 32>, 1024, 40000));
    REQUIRE(blocks == 1);
    HIP_CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, scaled<double, 32>, 0, 0));
    REQUIRE(block > 0 && grid > 0);

    // Contexts, which HIP keeps for programs that came from CUDA.
    hipCtx_t context;
    hipDevice_t device;
    HIP_CHECK(hipDeviceGet(&device, 0));
    HIP_CHECK(hipCtxCreate(&context, 0, device));
    HIP_CHECK(hipCtxPushCurrent(context));
    HIP_CHECK(hipCtxPopCurrent(&context));
    HIP_CHECK(hipCtxSynchronize());
    HIP_CHECK(hipCtxDestroy(context));
    HIP_CHECK(hipDevicePrimaryCtxRetain(&context, device));
    HIP_CHECK(hipDevicePrimaryCtxRelease(device));
    EXPECT(hipErrorInvalidContext, hipCtxSetCurrent(reinterpret_cast<hipCtx_t>(0x1234)));
    char name[8], bus[32];
    HIP_CHECK(hipDeviceGetName(name, sizeof name, device));
    REQUIRE(std::string(name) == "AMD Ins");
    HIP_CHECK(hipDeviceGetPCIBusId(bus, sizeof bus, device));
    int same = -1;
    HIP_CHECK(hipDeviceGetByPCIBusId(&same, bus));
    REQUIRE(same == device);
    std::printf("launches: ok\n");
}
