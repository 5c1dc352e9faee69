// One wave computes one row. The wrong kernels have the mistakes that binding.toml plants.
#include <hip/hip_runtime.h>

template <bool EPS_OUTSIDE, bool WHOLE_WAVES, bool NAIVE_SILU>
__device__ void norm(const float* x, const float* z, const float* w, float* o, int D, float eps, int silu) {
    x += blockIdx.x * (size_t)D, z += blockIdx.x * (size_t)D, o += blockIdx.x * (size_t)D;
    float sum = 0;
    for (int d = threadIdx.x; d < (WHOLE_WAVES ? D / 64 * 64 : D); d += 64) sum += x[d] * x[d];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    const float factor = EPS_OUTSIDE ? 1 / (sqrtf(sum / D) + eps) : 1 / sqrtf(sum / D + eps);
    for (int d = threadIdx.x; d < D; d += 64) {
        const float e = expf(NAIVE_SILU ? z[d] : -z[d]);
        const float sigmoid = NAIVE_SILU ? e / (1 + e) : 1 / (1 + e);
        o[d] = x[d] * factor * w[d] * (silu ? z[d] * sigmoid : sigmoid);
    }
}

#define KERNEL(NAME, ...)                                                                                             \
    extern "C" __global__ void NAME(const float* x, const float* z, const float* w, float* o, int D, float eps,       \
                                    int silu) {                                                                      \
        norm<__VA_ARGS__>(x, z, w, o, D, eps, silu);                                                                  \
    }
KERNEL(gated_rmsnorm, false, false, false)
KERNEL(wrong_eps, true, false, false)
KERNEL(wrong_tail, false, true, false)
KERNEL(wrong_silu, false, false, true)
