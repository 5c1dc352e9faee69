// A program that is linked with libraries of which there are only stand-ins: collectives of one rank work, and so do handles and markers that
// programs make when they start. All else is refused.
#include <cstring>

#include "check.h"

struct id {
    char bytes[128];
};
extern "C" {
int ncclGetUniqueId(id*);
int ncclCommInitRank(void**, int, id, int);
int ncclCommInitAll(void**, int, const int*);
int ncclCommCount(void*, int*);
int ncclCommDestroy(void*);
int ncclAllReduce(const void*, void*, size_t, int, int, void*, hipStream_t);
int ncclAllGather(const void*, void*, size_t, int, void*, hipStream_t);
int ncclReduce(const void*, void*, size_t, int, int, int, void*, hipStream_t);
int ncclSend(const void*, size_t, int, int, void*, hipStream_t);
const char* ncclGetErrorString(int);
int miopenCreateWithStream(void**, hipStream_t);
int miopenGetStream(void*, hipStream_t*);
int miopenConvolutionForward(void*);
const char* miopenGetErrorString(int);
int miopenDestroy(void*);
int hipblasLtCreate(void**);
int hipblasLtMatmul(void*);
int hipblasLtDestroy(void*);
int roctxRangePushA(const char*);
int roctxRangePop();
int hipfftPlan1d(void**, int, int, int);
int rsmi_init(unsigned long);
int hiprandCreateGenerator(void**, int);
}

constexpr int INT64 = 4, BF16 = 9, SUM = 0, N = 1000;

int main() {
    hipStream_t stream, found;
    HIP_CHECK(hipStreamCreate(&stream));
    id unique;
    void *one, *two;
    int ranks = 0;
    REQUIRE(ncclGetUniqueId(&unique) == 0);
    REQUIRE(ncclCommInitRank(&one, 1, unique, 0) == 0);
    REQUIRE(ncclCommCount(one, &ranks) == 0 && ranks == 1);
    REQUIRE(ncclCommInitRank(&two, 2, unique, 1) == 5);
    REQUIRE(ncclCommInitRank(&two, 1, unique, 1) == 4);
    REQUIRE(ncclCommInitAll(&two, 2, nullptr) == 5);

    std::vector<long> values(N), copies(N);
    for (int i = 0; i < N; ++i) values[i] = 3l * i - 7;
    long *from = device_alloc<long>(N), *to = device_alloc<long>(N);
    to_device(from, values.data(), N);
    REQUIRE(ncclAllReduce(from, to, N, INT64, SUM, one, stream) == 0);
    HIP_CHECK(hipStreamSynchronize(stream));
    to_host(copies.data(), to, N);
    REQUIRE(copies == values);
    // The first quarter of the bytes, as twice as many elements of a quarter of the size.
    HIP_CHECK(hipMemset(to, 0, N * sizeof(long)));
    REQUIRE(ncclAllGather(from, to, N, BF16, one, stream) == 0);
    HIP_CHECK(hipStreamSynchronize(stream));
    to_host(copies.data(), to, N);
    for (int i = 0; i < N; ++i) REQUIRE(copies[i] == (i < N / 4 ? values[i] : 0));
    REQUIRE(ncclReduce(from, to, N, INT64, 7, 0, one, stream) == 5);
    REQUIRE(ncclReduce(from, to, N, INT64, SUM, 1, one, stream) == 4);
    REQUIRE(ncclSend(from, N, INT64, 0, one, stream) == 5);
    REQUIRE(std::strcmp(ncclGetErrorString(5), "invalid usage") == 0);
    REQUIRE(ncclCommDestroy(one) == 0);

    void* handle;
    REQUIRE(miopenCreateWithStream(&handle, stream) == 0);
    REQUIRE(miopenGetStream(handle, &found) == 0 && found == stream);
    for (int again = 0; again < 2; ++again) REQUIRE(miopenConvolutionForward(handle) == 6);
    REQUIRE(std::strcmp(miopenGetErrorString(6), "miopenStatusNotImplemented") == 0);
    REQUIRE(miopenDestroy(handle) == 0);
    REQUIRE(hipblasLtCreate(&handle) == 0 && hipblasLtMatmul(handle) == 7 && hipblasLtDestroy(handle) == 0);
    REQUIRE(roctxRangePushA("a") == 0 && roctxRangePushA("b") == 1 && roctxRangePop() == 1 && roctxRangePop() == 0);
    REQUIRE(hipfftPlan1d(&handle, 16, 0x29, 1) == 16);
    REQUIRE(rsmi_init(0) == 2);
    REQUIRE(hiprandCreateGenerator(&handle, 100) == 1000);
    std::printf("stand_ins: ok\n");
}
