// The module API on a code object that another compiler built, kernels/built/deltanet.co (argument 1), and on a bundle with variables,
// of factor.hip (argument 2).
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"

const char* factor_file;

// A managed variable of a module is memory that both sides use.
void managed(hipModule_t module) {
    hipFunction_t count;
    int* launches;
    size_t size = 0;
    HIP_CHECK(hipModuleGetGlobal(reinterpret_cast<hipDeviceptr_t*>(&launches), &size, module, "launches"));
    REQUIRE(size == 2 * sizeof(int) && launches[0] == 10 && launches[1] == 20);
    HIP_CHECK(hipModuleGetFunction(&count, module, "count"));
    for (int n = 21; n < 24; ++n) {
        HIP_CHECK(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
        HIP_CHECK(hipDeviceSynchronize());
        REQUIRE(launches[0] == 10 && launches[1] == n);
    }
    launches[1] = 7;
    HIP_CHECK(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    int copied[2];
    HIP_CHECK(hipMemcpyDtoH(copied, launches, sizeof copied));
    REQUIRE(copied[0] == 10 && copied[1] == 8);
    // Each load has a variable of its own.
    hipModule_t other;
    hipDeviceptr_t other_launches;
    HIP_CHECK(hipModuleLoad(&other, factor_file));
    HIP_CHECK(hipModuleGetGlobal(&other_launches, &size, other, "launches"));
    REQUIRE(other_launches != launches && static_cast<int*>(other_launches)[1] == 20);
    HIP_CHECK(hipModuleUnload(other));
    EXPECT(hipErrorInvalidValue, hipMemcpyDtoH(copied, other_launches, sizeof copied));
}

void variables(const char* file) {
    factor_file = file;
    hipModule_t module;
    hipFunction_t scale;
    hipDeviceptr_t factor, table;
    size_t size = 0;
    HIP_CHECK(hipModuleLoad(&module, file));
    HIP_CHECK(hipModuleGetGlobal(&factor, &size, module, "factor"));
    REQUIRE(size == sizeof(float));
    HIP_CHECK(hipModuleGetGlobal(&table, &size, module, "table"));
    REQUIRE(size == 4 * sizeof(int));
    HIP_CHECK(hipModuleGetFunction(&scale, module, "scale"));
    float before = 0, after = 0.25f, ones[64], *x = device_alloc<float>(64);
    HIP_CHECK(hipMemcpyDtoH(&before, factor, sizeof before));
    REQUIRE(before == 1.5f);
    HIP_CHECK(hipMemcpyHtoD(factor, &after, sizeof after));
    for (float& one : ones) one = 1;
    to_device(x, ones, 64);
    void* parameters[] = {&x};
    HIP_CHECK(hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    to_host(ones, x, 64);
    for (int i = 0; i < 64; ++i) REQUIRE(ones[i] == 0.25f * (i % 4 + 1));
    HIP_CHECK(hipFree(x));
    managed(module);
    HIP_CHECK(hipModuleUnload(module));
    EXPECT(hipErrorInvalidValue, hipMemcpyDtoH(&before, factor, sizeof before));
}

int main(int, char** arguments) {
    variables(arguments[2]);
    hipModule_t module, again;
    hipFunction_t sigmoid;
    EXPECT(hipErrorFileNotFound, hipModuleLoad(&module, "/nowhere.co"));
    HIP_CHECK(hipModuleLoad(&module, arguments[1]));
    EXPECT(hipErrorNotFound, hipModuleGetFunction(&sigmoid, module, "no_such_kernel"));
    HIP_CHECK(hipModuleGetFunction(&sigmoid, module, "kernel_sigmoid"));
    hipFunction_t same;
    HIP_CHECK(hipModuleGetFunction(&same, module, "kernel_sigmoid"));
    REQUIRE(same == sigmoid);
    int threads = 0;
    HIP_CHECK(hipFuncGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, sigmoid));
    REQUIRE(threads >= 256);

    int n = 1000;
    std::vector<float> in(n), expected(n), out(n);
    fill_random(in.data(), n, -4.0f, 4.0f);
    for (int i = 0; i < n; ++i) expected[i] = 1.0f / (1.0f + std::exp(-in[i]));
    float *d_in = device_alloc<float>(n), *d_out = device_alloc<float>(n);
    to_device(d_in, in.data(), n);

    // Arguments by pointers.
    void* parameters[] = {&d_in, &d_out, &n};
    HIP_CHECK(hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out.data(), d_out, n);
    REQUIRE(max_diff(expected.data(), out.data(), n) < 1e-5f);

    // Arguments in their final layout, for a module that is loaded from memory.
    std::ifstream file(arguments[1], std::ios::binary);
    std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    HIP_CHECK(hipModuleLoadData(&again, image.data()));
    HIP_CHECK(hipModuleGetFunction(&sigmoid, again, "kernel_sigmoid"));
    image.assign(image.size(), '\0');
    HIP_CHECK(hipMemset(d_out, 0, n * sizeof(float)));
    struct {
        float *in, *out;
        int n;
    } packed = {d_in, d_out, n};
    size_t size = sizeof packed;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    HIP_CHECK(hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
    to_host(out.data(), d_out, n);
    REQUIRE(max_diff(expected.data(), out.data(), n) < 1e-5f);

    // Invalid launch shapes and arguments.
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, extra));
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 0, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 0, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT(hipErrorInvalidConfiguration, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 1025, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT(hipErrorInvalidConfiguration,
           hipModuleLaunchKernel(sigmoid, 0x7fffffff, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 65537, nullptr, parameters, nullptr));
    size = 8;
    EXPECT(hipErrorInvalidValue, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
    hipDeviceptr_t global;
    EXPECT(hipErrorNotFound, hipModuleGetGlobal(&global, &size, module, "no_such_variable"));
    EXPECT(hipErrorInvalidValue, hipModuleGetGlobal(&global, &size, module, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleGetGlobal(&global, &size, module, ""));
    EXPECT(hipErrorInvalidValue, hipModuleGetGlobal(nullptr, nullptr, module, "no_such_variable"));
    EXPECT(hipErrorInvalidHandle, hipModuleGetGlobal(&global, &size, nullptr, "no_such_variable"));
    hipFunction_t function;
    EXPECT(hipErrorInvalidValue, hipModuleGetFunction(nullptr, module, "kernel_sigmoid"));
    EXPECT(hipErrorInvalidValue, hipModuleGetFunction(&function, module, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleGetFunction(&function, module, ""));
    EXPECT(hipErrorInvalidHandle, hipModuleGetFunction(&function, nullptr, "kernel_sigmoid"));
    EXPECT(hipErrorInvalidImage, hipModuleLaunchKernel(nullptr, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
    hipModule_t other;
    EXPECT(hipErrorInvalidValue, hipModuleLoad(nullptr, "/no/such.co"));
    EXPECT(hipErrorInvalidValue, hipModuleLoad(&other, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleLoad(&other, ""));
    EXPECT(hipErrorFileNotFound, hipModuleLoad(&other, "/no/such.co"));
    EXPECT(hipErrorInvalidImage, hipModuleLoad(&other, "/dev/null"));

    int blocks = 0, grid = 0, block = 0;
    HIP_CHECK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sigmoid, 256, 0));
    REQUIRE(blocks >= 1 && blocks <= 10);
    HIP_CHECK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, sigmoid, 0, 0));
    REQUIRE(grid >= 60 && block >= 64 && block <= 1024);

    HIP_CHECK(hipModuleUnload(again));
    EXPECT(hipErrorNotFound, hipModuleUnload(again));
    EXPECT(hipErrorInvalidHandle, hipModuleLaunchKernel(sigmoid, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr));
    HIP_CHECK(hipModuleUnload(module));
    EXPECT(hipErrorInvalidValue, hipModuleLoadData(&module, nullptr));
    EXPECT(hipErrorInvalidValue, hipModuleLoadData(nullptr, image.data()));
    EXPECT(hipErrorInvalidImage, hipModuleLoadData(&module, "this is no code object at all"));
    std::printf("modules: ok\n");
}
