// A program that is linked with hipBLAS, whose declarations it brings itself: a product of its own kernel's matrix, in f32 and, by the numbers of
// both generations, in f16; batches by pointers on the device, as llama.cpp's backend makes them.
#include <hip/hip_fp16.h>

#include "check.h"

using hipblasHandle_t = void*;
extern "C" {
int hipblasCreate(hipblasHandle_t*);
int hipblasDestroy(hipblasHandle_t);
int hipblasSetStream(hipblasHandle_t, hipStream_t);
int hipblasGetStream(hipblasHandle_t, hipStream_t*);
int hipblasSetMathMode(hipblasHandle_t, int);
int hipblasSgemm(hipblasHandle_t, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);
int hipblasGemmEx(hipblasHandle_t, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*, void*, int,
                  int, int, int);
int hipblasGemmBatchedEx(hipblasHandle_t, int, int, int, int, int, const void*, const void**, int, int, const void**, int, int, const void*,
                         void**, int, int, int, int, int);
int hipblasCherk(hipblasHandle_t, int, int, int, int, const float*, const void*, int, const float*, void*, int);
const char* hipblasStatusToString(int);
}

constexpr int OP_N = 111, OP_T = 112, M = 70, N = 33, K = 50;

template <class T>
__global__ void fill(T* x, int n, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = T(float(i % 7) * step - 1.0f);
}

#define BLAS(call)                                                                                           \
    do {                                                                                                     \
        int status_ = (call);                                                                                \
        if (status_) {                                                                                       \
            std::printf("%s: %s\n", #call, hipblasStatusToString(status_));                                  \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

// op(a) is the transpose of the stored matrix.
template <class T>
bool right(const T* device, float alpha, float tolerance) {
    std::vector<T> c(M * N);
    to_host(c.data(), device, M * N);
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < M; ++i) {
            float sum = 0;
            for (int k = 0; k < K; ++k) sum += (float((k + i * K) % 7) * 0.5f - 1.0f) * (float((k + j * K) % 7) * 0.25f - 1.0f);
            if (!(std::fabs(float(c[i + j * M]) - alpha * sum) <= tolerance)) return false;
        }
    return true;
}

int main() {
    hipblasHandle_t blas;
    hipStream_t stream, found;
    HIP_CHECK(hipStreamCreate(&stream));
    BLAS(hipblasCreate(&blas));
    BLAS(hipblasSetStream(blas, stream));
    BLAS(hipblasGetStream(blas, &found));
    BLAS(hipblasSetMathMode(blas, 3));
    REQUIRE(found == stream);

    float *a = device_alloc<float>(M * K), *b = device_alloc<float>(K * N), *c = device_alloc<float>(M * N);
    fill<<<(M * K + 255) / 256, 256, 0, stream>>>(a, M * K, 0.5f);
    fill<<<(K * N + 255) / 256, 256, 0, stream>>>(b, K * N, 0.25f);
    float alpha = 2, beta = 0;
    BLAS(hipblasSgemm(blas, OP_T, OP_N, M, N, K, &alpha, a, K, b, K, &beta, c, M));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(right(c, alpha, 1e-3f));

    __half *ha = device_alloc<__half>(M * K), *hb = device_alloc<__half>(K * N), *hc = device_alloc<__half>(M * N);
    fill<<<(M * K + 255) / 256, 256, 0, stream>>>(ha, M * K, 0.5f);
    fill<<<(K * N + 255) / 256, 256, 0, stream>>>(hb, K * N, 0.25f);
    // hipblasDatatype_t: f16 is 150, f32 151. hipDataType: 2 and 0; f32 as hipblasComputeType_t is 2.
    BLAS(hipblasGemmEx(blas, OP_T, OP_N, M, N, K, &alpha, ha, 150, K, hb, 150, K, &beta, c, 151, M, 151, 160));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(right(c, alpha, 1e-3f));
    BLAS(hipblasGemmEx(blas, OP_T, OP_N, M, N, K, &alpha, ha, 2, K, hb, 2, K, &beta, hc, 2, M, 2, 160));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(right(hc, alpha, 0.02f));

    HIP_CHECK(hipMemsetAsync(c, 0xff, M * N * sizeof(float), stream));
    const void* lists[3] = {ha, hb, c};
    const void** on_device = device_alloc<const void*>(3);
    to_device(on_device, lists, 3);
    BLAS(hipblasGemmBatchedEx(blas, OP_T, OP_N, M, N, K, &alpha, on_device, 2, K, on_device + 1, 2, K, &beta,
                              const_cast<void**>(on_device + 2), 0, M, 1, 2, 160));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(right(c, alpha, 1e-3f));

    REQUIRE(hipblasCherk(blas, 121, OP_N, 1, 1, &alpha, a, 1, &beta, c, 1) == 7);
    REQUIRE(hipblasCherk(blas, 121, OP_N, 1, 1, &alpha, a, 1, &beta, c, 1) == 7);
    BLAS(hipblasDestroy(blas));
    REQUIRE(hipblasDestroy(blas) == 1);
    std::printf("blas: ok\n");
}
