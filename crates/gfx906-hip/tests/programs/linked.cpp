// Programs that are compiled separately and linked at run time: bitcode of hipRTC, its linker, the driver's linker, and libraries.
#include <hip/hiprtc.h>

#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "check.h"

#define RTC_CHECK(call) REQUIRE((call) == HIPRTC_SUCCESS)

typedef struct Link* Link_t;
typedef struct Library* Library_t;
enum { bitcode_input = 100, bundle_input = 101, archive_input = 102, level_option = 7, options_option = 10000, count_option = 10001 };
extern "C" {
hiprtcResult hiprtcGetBitcode(hiprtcProgram, char*);
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcLinkCreate(unsigned, int*, void**, Link_t*);
hiprtcResult hiprtcLinkAddData(Link_t, int, void*, size_t, const char*, unsigned, int*, void**);
hiprtcResult hiprtcLinkAddFile(Link_t, int, const char*, unsigned, int*, void**);
hiprtcResult hiprtcLinkComplete(Link_t, void**, size_t*);
hiprtcResult hiprtcLinkDestroy(Link_t);
hipError_t hipLinkCreate(unsigned, int*, void**, Link_t*);
hipError_t hipLinkAddData(Link_t, int, void*, size_t, const char*, unsigned, int*, void**);
hipError_t hipLinkAddFile(Link_t, int, const char*, unsigned, int*, void**);
hipError_t hipLinkComplete(Link_t, void**, size_t*);
hipError_t hipLinkDestroy(Link_t);
hipError_t hipLibraryLoadData(Library_t*, const void*, int*, void**, unsigned, int*, void**, unsigned);
hipError_t hipLibraryLoadFromFile(Library_t*, const char*, int*, void**, unsigned, int*, void**, unsigned);
hipError_t hipLibraryUnload(Library_t);
hipError_t hipLibraryGetKernel(void**, Library_t, const char*);
hipError_t hipLibraryGetKernelCount(unsigned*, Library_t);
}

static const char* calls = R"(
__device__ float twice(float x);
template <typename T> __global__ void apply(T* x) { x[threadIdx.x] = twice(x[threadIdx.x]) + 1; }
__device__ int counter;
)";
static const char* called = R"(
__device__ float twice(float x) { return 2 * x; }
extern "C" __global__ void other(int* x) { *x = 5; }
)";

static std::vector<char> bitcode(const char* source, const char* expression, std::string* lowered) {
    hiprtcProgram program;
    const char* options[] = {"-fgpu-rdc", "--offload-arch=gfx906"};
    RTC_CHECK(hiprtcCreateProgram(&program, source, "part.hip", 0, nullptr, nullptr));
    if (expression) RTC_CHECK(hiprtcAddNameExpression(program, expression));
    size_t bytes = 0;
    REQUIRE(hiprtcGetBitcodeSize(program, &bytes) == HIPRTC_ERROR_INVALID_PROGRAM);
    RTC_CHECK(hiprtcCompileProgram(program, 2, options));
    RTC_CHECK(hiprtcGetBitcodeSize(program, &bytes));
    std::vector<char> all(bytes);
    RTC_CHECK(hiprtcGetBitcode(program, all.data()));
    REQUIRE(bytes > 4 && !std::memcmp(all.data(), "BC\xc0\xde", 4));
    // Bitcode is no code object.
    REQUIRE(hiprtcGetCodeSize(program, &bytes) == HIPRTC_ERROR_INVALID_PROGRAM);
    if (expression) {
        const char* name;
        RTC_CHECK(hiprtcGetLoweredName(program, expression, &name));
        *lowered = name;
    }
    RTC_CHECK(hiprtcDestroyProgram(&program));
    return all;
}

static void check_kernel(hipFunction_t function) {
    float *x = device_alloc<float>(64), host[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    to_device(x, host, 64);
    void* arguments[] = {&x};
    HIP_CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    to_host(host, x, 64);
    for (int i = 0; i < 64; ++i) REQUIRE(host[i] == 2 * i + 1);
    HIP_CHECK(hipFree(x));
}

// An ar archive of a bundle and plain bitcode.
static void put(std::string& archive, const char* name, const std::string& data) {
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, data.size());
    archive += header + data;
    if (archive.size() % 2) archive += '\n';
}

static std::string bundle(const std::vector<char>& data) {
    std::string all = "__CLANG_OFFLOAD_BUNDLE__", name = "hip-amdgcn-amd-amdhsa--gfx906";
    size_t start = 24 + 8 + 24 + name.size();
    size_t words[] = {1, start, data.size(), name.size()};
    all.append(reinterpret_cast<char*>(words), sizeof words);
    return all + name + std::string(data.begin(), data.end());
}

int main() {
    std::string name, none;
    std::vector<char> a = bitcode(calls, "apply<float>", &name), b = bitcode(called, nullptr, &none);
    REQUIRE(name == "_Z5applyIfEvPT_");

    Link_t link;
    const char* more[] = {"-mllvm", "-inline-threshold=100"};
    int options[] = {level_option, options_option, count_option};
    void* values[] = {reinterpret_cast<void*>(2), more, reinterpret_cast<void*>(2)};
    void* code;
    size_t bytes = 0;
    RTC_CHECK(hiprtcLinkCreate(3, options, values, &link));
    RTC_CHECK(hiprtcLinkAddData(link, bitcode_input, a.data(), a.size(), "a", 0, nullptr, nullptr));
    // The first part alone lacks a function of the second.
    REQUIRE(int(hiprtcLinkComplete(link, &code, &bytes)) == 100);
    char room[] = "/tmp/linkedXXXXXX";
    REQUIRE(mkdtemp(room));
    std::string file = std::string(room) + "/part";
    std::ofstream(file, std::ios::binary).write(b.data(), b.size());
    RTC_CHECK(hiprtcLinkAddFile(link, bitcode_input, file.c_str(), 0, nullptr, nullptr));
    RTC_CHECK(hiprtcLinkComplete(link, &code, &bytes));
    hipModule_t module;
    hipFunction_t function;
    HIP_CHECK(hipModuleLoadData(&module, code));
    HIP_CHECK(hipModuleGetFunction(&function, module, name.c_str()));
    check_kernel(function);
    HIP_CHECK(hipModuleUnload(module));

    // The same code as a library, from memory and from a file: every launch function accepts its kernels.
    Library_t library;
    void *kernel, *again;
    unsigned count = 0;
    HIP_CHECK(hipLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
    HIP_CHECK(hipLibraryGetKernelCount(&count, library));
    REQUIRE(count == 2);
    HIP_CHECK(hipLibraryGetKernel(&kernel, library, name.c_str()));
    HIP_CHECK(hipLibraryGetKernel(&again, library, name.c_str()));
    REQUIRE(kernel == again);
    check_kernel(static_cast<hipFunction_t>(kernel));
    HIP_CHECK(hipLibraryGetKernel(&kernel, library, "other"));
    int* x = device_alloc<int>(1);
    void* arguments[] = {&x};
    HIP_CHECK(hipLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
    int got = 0;
    to_host(&got, x, 1);
    REQUIRE(got == 5);
    EXPECT(hipErrorNotFound, hipLibraryGetKernel(&again, library, "none"));
    EXPECT(hipErrorInvalidValue, hipLibraryGetKernel(nullptr, library, "other"));
    EXPECT(hipErrorInvalidValue, hipLibraryGetKernel(&again, nullptr, "other"));
    EXPECT(hipErrorInvalidValue, hipLibraryGetKernel(&again, library, nullptr));
    EXPECT(hipErrorInvalidValue, hipLibraryGetKernelCount(nullptr, library));
    EXPECT(hipErrorInvalidValue, hipLibraryGetKernelCount(&count, nullptr));
    HIP_CHECK(hipLibraryUnload(library));
    EXPECT(hipErrorInvalidHandle, hipLibraryUnload(library));
    EXPECT(hipErrorInvalidValue, hipLibraryUnload(nullptr));
    EXPECT(hipErrorInvalidDeviceFunction, hipLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
    std::ofstream(file, std::ios::binary).write(static_cast<char*>(code), bytes);
    HIP_CHECK(hipLibraryLoadFromFile(&library, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    HIP_CHECK(hipLibraryGetKernel(&kernel, library, name.c_str()));
    check_kernel(static_cast<hipFunction_t>(kernel));
    HIP_CHECK(hipLibraryUnload(library));
    EXPECT(hipErrorInvalidValue, hipLibraryLoadFromFile(nullptr, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipLibraryLoadFromFile(&library, "/no/such.co", nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipLibraryLoadData(nullptr, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipLibraryLoadData(&library, code, options, values, 1, nullptr, nullptr, 0));
    RTC_CHECK(hiprtcLinkDestroy(link));
    REQUIRE(hiprtcLinkDestroy(link) == HIPRTC_ERROR_INVALID_INPUT);

    // The driver's functions link a bundle and an archive.
    std::string bundled = bundle(a), archive = "!<arch>\n";
    put(archive, "/", "no symbols");
    put(archive, "b.bc/", bundle(b));
    HIP_CHECK(hipLinkCreate(0, nullptr, nullptr, &link));
    HIP_CHECK(hipLinkAddData(link, bundle_input, &bundled[0], bundled.size(), nullptr, 0, nullptr, nullptr));
    std::ofstream(file, std::ios::binary) << archive;
    HIP_CHECK(hipLinkAddFile(link, archive_input, file.c_str(), 0, nullptr, nullptr));
    HIP_CHECK(hipLinkComplete(link, &code, nullptr));
    HIP_CHECK(hipModuleLoadData(&module, code));
    HIP_CHECK(hipModuleGetFunction(&function, module, name.c_str()));
    check_kernel(function);
    HIP_CHECK(hipModuleUnload(module));

    EXPECT(hipErrorInvalidValue, hipLinkCreate(0, nullptr, nullptr, nullptr));
    EXPECT(hipErrorInvalidValue, hipLinkCreate(1, nullptr, values, &link));
    EXPECT(hipErrorInvalidImage, hipLinkAddData(link, bitcode_input, nullptr, 5, nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidImage, hipLinkAddData(link, bitcode_input, a.data(), 0, nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidValue, hipLinkAddData(link, 1, a.data(), a.size(), nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidConfiguration, hipLinkAddData(link, bundle_input, a.data(), a.size(), nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidConfiguration, hipLinkAddFile(link, bitcode_input, "/no/such.bc", 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidValue, hipLinkAddFile(link, bitcode_input, nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidHandle, hipLinkAddData(nullptr, bitcode_input, a.data(), a.size(), nullptr, 0, nullptr, nullptr));
    EXPECT(hipErrorInvalidValue, hipLinkComplete(link, nullptr, &bytes));
    HIP_CHECK(hipLinkDestroy(link));
    EXPECT(hipErrorInvalidHandle, hipLinkComplete(link, &code, &bytes));
    EXPECT(hipErrorInvalidHandle, hipLinkDestroy(link));
    REQUIRE(hiprtcLinkCreate(0, nullptr, nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    // A link that does not exist is told before an input that cannot be read, an output that is missing before a program that does not exist.
    for (Link_t gone : {link, static_cast<Link_t>(nullptr)}) {
        REQUIRE(hiprtcLinkAddFile(gone, bitcode_input, "/no/such.bc", 0, nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
        REQUIRE(hiprtcLinkAddData(gone, bitcode_input, a.data(), 1, nullptr, 0, nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    }
    REQUIRE(hiprtcGetBitcodeSize(nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetBitcode(nullptr, nullptr) == HIPRTC_ERROR_INVALID_INPUT);
    REQUIRE(hiprtcGetBitcodeSize(nullptr, &bytes) == HIPRTC_ERROR_INVALID_PROGRAM);
    unlink(file.c_str());
    rmdir(room);
    std::printf("linked: ok\n");
}
