// Reports of failing programs. Argument 1: `past` (reads behind an allocation's end), `over` (more than a page behind it), `lanes` (an
// assertion that fails in many lanes), `twice` (two blocks write the same elements), `damaged` (an image with a bad header).
#include <cassert>
#include <cstring>
#include <string>

#include "check.h"

namespace reports {
template <typename T>
__global__ void sum(const T* x, T* out, int n) {
    T total = 0;
    for (int i = 0; i < n; ++i) total += x[i];
    out[threadIdx.x] = total;
}

__global__ void last(int* out) {
    out[threadIdx.x] = blockIdx.x;
}

__global__ void odd(const int* x) {
    assert(x[threadIdx.x] % 2 == 1);
}
}  // namespace reports

int main(int arguments, char** argument) {
    std::string how = arguments > 1 ? argument[1] : "";
    if (how == "damaged") {
        static char bytes[4096] = "__CLANG_OFFLOAD_BUNDEL__";
        hipModule_t module;
        EXPECT(hipErrorInvalidImage, hipModuleLoadData(&module, bytes));
        std::memcpy(bytes, "no code", 8);
        EXPECT(hipErrorInvalidImage, hipModuleLoadData(&module, bytes));
        std::printf("reports: ok\n");
        return 0;
    }
    int host[100], *x = device_alloc<int>(100), *out = device_alloc<int>(64);
    for (int& value : host) value = 2;
    to_device(x, host, 100);
    if (how == "lanes") reports::odd<<<1, 64>>>(x);
    if (how == "twice") reports::last<<<2, 64>>>(out);
    if (how == "past") reports::sum<int><<<1, 64>>>(x, out, 101);
    if (how == "over") reports::sum<int><<<1, 64>>>(x, out, 4096);
    hipError_t status = hipDeviceSynchronize();
    std::printf("status %d\n", status);
    if (status == hipSuccess) {
        to_host(host, out, 64);
        std::printf("sum %d\n", host[63]);
    }
}
