// hipRTC: a program that is compiled at run time, with headers, options, templates and errors.
#include <hip/hiprtc.h>

#include <cstring>
#include <string>

#include "check.h"

#define RTC_CHECK(call) REQUIRE((call) == HIPRTC_SUCCESS)

static const char* source = R"(
#include "factor.h"
template <typename T> __global__ void scale(T* x, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * by * FACTOR + T(OFFSET);
}
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
)";

static std::string log_of(hiprtcProgram program) {
    size_t bytes = 0;
    RTC_CHECK(hiprtcGetProgramLogSize(program, &bytes));
    std::string log(bytes, '?');
    RTC_CHECK(hiprtcGetProgramLog(program, &log[0]));
    REQUIRE(bytes >= 1 && log.back() == '\0');
    log.pop_back();
    return log;
}

int main(int argc, char** argv) {
    hiprtcProgram program;
    int major = -1, minor = -1;
    RTC_CHECK(hiprtcVersion(&major, &minor));
    REQUIRE(major >= 5 && minor >= 0);
    REQUIRE(!std::strcmp(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION), "HIPRTC_ERROR_COMPILATION"));

    if (argc > 1) {  // where there is no compiler
        RTC_CHECK(hiprtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr));
        REQUIRE(hiprtcCompileProgram(program, 0, nullptr) != HIPRTC_SUCCESS);
        REQUIRE(log_of(program).find("GFX906_CLANG") != std::string::npos);
        size_t bytes;
        REQUIRE(hiprtcGetCodeSize(program, &bytes) != HIPRTC_SUCCESS);
        std::printf("rtc: ok without a compiler\n");
        return 0;
    }

    const char* header = "#define FACTOR 10\n";
    const char* name = "factor.h";
    RTC_CHECK(hiprtcCreateProgram(&program, source, "scale.cu", 1, &header, &name));
    RTC_CHECK(hiprtcAddNameExpression(program, "scale<float>"));
    RTC_CHECK(hiprtcAddNameExpression(program, "scale<int>"));
    RTC_CHECK(hiprtcAddNameExpression(program, "&counter"));
    const char* lowered = nullptr;
    REQUIRE(hiprtcGetLoweredName(program, "scale<int>", &lowered) == HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    const char* options[] = {"--gpu-architecture=gfx906", "-DOFFSET=2"};
    hiprtcResult compiled = hiprtcCompileProgram(program, 2, options);
    if (compiled != HIPRTC_SUCCESS) std::printf("%s\n", log_of(program).c_str());
    RTC_CHECK(compiled);
    REQUIRE(hiprtcAddNameExpression(program, "scale<long>") == HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    size_t bytes = 0;
    RTC_CHECK(hiprtcGetCodeSize(program, &bytes));
    std::vector<char> code(bytes);
    RTC_CHECK(hiprtcGetCode(program, code.data()));

    hipModule_t module;
    hipFunction_t function;
    HIP_CHECK(hipModuleLoadData(&module, code.data()));
    int n = 100;
    {
        RTC_CHECK(hiprtcGetLoweredName(program, "scale<int>", &lowered));
        HIP_CHECK(hipModuleGetFunction(&function, module, lowered));
        std::vector<int> host(n);
        for (int i = 0; i < n; ++i) host[i] = i;
        int* x = device_alloc<int>(n);
        to_device(x, host.data(), n);
        int by = 3;
        void* arguments[] = {&x, &by, &n};
        HIP_CHECK(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
        to_host(host.data(), x, n);
        for (int i = 0; i < n; ++i) REQUIRE(host[i] == 30 * i + 2);
    }
    RTC_CHECK(hiprtcGetLoweredName(program, "scale<float>", &lowered));
    HIP_CHECK(hipModuleGetFunction(&function, module, lowered));
    HIP_CHECK(hipModuleGetFunction(&function, module, "count"));
    HIP_CHECK(hipModuleLaunchKernel(function, 3, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr));
    RTC_CHECK(hiprtcGetLoweredName(program, "&counter", &lowered));
    hipDeviceptr_t at;
    HIP_CHECK(hipModuleGetGlobal(&at, &bytes, module, lowered));
    int counted = 0;
    HIP_CHECK(hipMemcpyDtoH(&counted, at, 4));
    REQUIRE(bytes == 4 && counted == 3 * 64);
    REQUIRE(hiprtcGetLoweredName(program, "scale<char>", &lowered) == HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    RTC_CHECK(hiprtcDestroyProgram(&program));
    REQUIRE(program == nullptr);

    // As on a card, types and groups of HIP's device headers are there without an `#include`.
    const char* builtin = R"(
extern "C" __global__ void k(hipFloatComplex* c, hipDoubleComplex* z, __half* h, __half2* h2, hip_bfloat16* b, float4* v) {
    auto group = cooperative_groups::this_thread_block();
    group.sync();
    c[0] = hipCmulf(make_hipFloatComplex(1, 2), c[1]);
    z[0] = hipComplexFloatToDouble(c[0]);
    h[0] = __float2half(c[0].x);
    h2[0] = __hadd2(h2[1], h2[2]);
    b[0] = hip_bfloat16(v[0].x);
})";
    RTC_CHECK(hiprtcCreateProgram(&program, builtin, "builtin.cu", 0, nullptr, nullptr));
    compiled = hiprtcCompileProgram(program, 0, nullptr);
    if (compiled != HIPRTC_SUCCESS) std::printf("%s\n", log_of(program).c_str());
    RTC_CHECK(compiled);
    RTC_CHECK(hiprtcDestroyProgram(&program));

    // An error of the source is in the log, with its line.
    RTC_CHECK(hiprtcCreateProgram(&program, "\n__global__ void k() { undeclared(); }\n", "wrong.cu", 0, nullptr, nullptr));
    REQUIRE(hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_ERROR_COMPILATION);
    std::string log = log_of(program);
    REQUIRE(log.find("wrong.cu") != std::string::npos && log.find(":2:") != std::string::npos && log.find("undeclared") != std::string::npos);
    RTC_CHECK(hiprtcDestroyProgram(&program));
    REQUIRE(hiprtcCreateProgram(nullptr, "", "x", 0, nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    hiprtcProgram none = nullptr;
    REQUIRE(hiprtcCompileProgram(none, 0, nullptr) == HIPRTC_ERROR_INVALID_PROGRAM);
    // An output that is missing is told first.
    REQUIRE(hiprtcGetCodeSize(none, nullptr) == HIPRTC_ERROR_INVALID_INPUT && hiprtcGetCode(none, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetProgramLogSize(none, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetProgramLog(none, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetLoweredName(none, "x", nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetCodeSize(none, &bytes) == HIPRTC_ERROR_INVALID_PROGRAM);
    REQUIRE(hiprtcGetLoweredName(none, "x", &lowered) == HIPRTC_ERROR_INVALID_PROGRAM);
    std::printf("rtc: ok\n");
}
