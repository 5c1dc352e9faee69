// A program that is linked with rocBLAS, whose declarations it brings itself: products of its own kernel's matrices, one with a place of its own
// for the result, and a function that is refused.
#include <cstring>

#include "check.h"

using rocblas_handle = void*;
extern "C" {
void rocblas_initialize();
int rocblas_create_handle(rocblas_handle*);
int rocblas_destroy_handle(rocblas_handle);
int rocblas_set_stream(rocblas_handle, hipStream_t);
int rocblas_get_version_string(char*, size_t);
int rocblas_sgemm(rocblas_handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);
int rocblas_gemm_ex(rocblas_handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                    const void*, int, int, void*, int, int, int, int, int, unsigned);
int rocblas_cherk(rocblas_handle, int, int, int, int, const float*, const void*, int, const float*, void*, int);
const char* rocblas_status_to_string(int);
}

constexpr int OP_N = 111, F32 = 151, SIDE = 40;

__global__ void fill(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = float(i % 7) - 3.0f;
}

#define BLAS(call)                                                                \
    do {                                                                          \
        int status_ = (call);                                                     \
        if (status_) {                                                            \
            std::printf("%s: %s\n", #call, rocblas_status_to_string(status_));    \
            return 1;                                                             \
        }                                                                         \
    } while (0)

int main() {
    rocblas_handle blas;
    hipStream_t stream;
    char version[32];
    rocblas_initialize();
    HIP_CHECK(hipStreamCreate(&stream));
    BLAS(rocblas_create_handle(&blas));
    BLAS(rocblas_set_stream(blas, stream));
    BLAS(rocblas_get_version_string(version, sizeof version));
    REQUIRE(std::strlen(version) > 4);

    constexpr int n = SIDE * SIDE;
    float *a = device_alloc<float>(n), *c = device_alloc<float>(n), *d = device_alloc<float>(n);
    fill<<<(n + 255) / 256, 256, 0, stream>>>(a, n);
    const float one = 1, zero = 0, two = 2;
    BLAS(rocblas_sgemm(blas, OP_N, OP_N, SIDE, SIDE, SIDE, &one, a, SIDE, a, SIDE, &zero, c, SIDE));
    BLAS(rocblas_gemm_ex(blas, OP_N, OP_N, SIDE, SIDE, SIDE, &one, a, F32, SIDE, a, F32, SIDE, &two, c, F32, SIDE, d, F32, SIDE, F32, 0, 0, 0));
    HIP_CHECK(hipStreamSynchronize(stream));
    std::vector<float> of_c(n), of_d(n);
    to_host(of_c.data(), c, n);
    to_host(of_d.data(), d, n);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            float sum = 0;
            for (int k = 0; k < SIDE; ++k) sum += (float((i + k * SIDE) % 7) - 3.0f) * (float((k + j * SIDE) % 7) - 3.0f);
            REQUIRE(of_c[i + j * SIDE] == sum && of_d[i + j * SIDE] == 3 * sum);
        }

    for (int again = 0; again < 2; ++again) REQUIRE(rocblas_cherk(blas, 121, OP_N, 1, 1, &one, a, 1, &zero, c, 1) == 2);
    BLAS(rocblas_destroy_handle(blas));
    REQUIRE(rocblas_destroy_handle(blas) == 1);
    std::printf("rocblas: ok\n");
}
