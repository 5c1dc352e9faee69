// The gated norm of the layer's output, one wave a head and token. A Rule names the points where the wrong variants in planted/ differ.
#pragma once
#include "conv.hip"

struct GgmlGatedNormRule {
    // rows that share a mean
    static __device__ int rows(int H) { return 1; }
    // an element of the rows that are normalised
    static __device__ float before(float x, float z) { return x; }
    static __device__ float gate(float z) { return ggml_silu(z); }
    static __device__ float norm(float sum, int count, float eps) { return sqrtf(sum / count + eps); }
};

// y = x / sqrt(mean x^2 + eps) weight silu(z); x, z and y are [S,H,rows / H], innermost axis first, weight is [S]
template <class Rule>
static __device__ __forceinline__ void ggml_gated_norm_body(const float* x, const float* weight, const float* z, float* y, int rows,
                                                            int H, int S, float eps) {
    const int row = blockIdx.x, lane = threadIdx.x;
    if (row >= rows) return;
    const int shared = Rule::rows(H), count = shared * S;
    const long group = (long)(row / shared) * count, own = (long)row * S;
    float sum = 0.0f;
    for (int d = lane; d < count; d += 64) {
        const float value = Rule::before(x[group + d], z[group + d]);
        sum += value * value;
    }
#pragma unroll
    for (int distance = 32; distance > 0; distance /= 2) sum += __shfl_xor(sum, distance);
    const float norm = Rule::norm(sum, count, eps);
    for (int d = lane; d < S; d += 64) {
        y[own + d] = Rule::before(x[own + d], z[own + d]) / norm * weight[d] * Rule::gate(z[own + d]);
    }
}

#define GGML_GATED_NORM_KERNEL(NAME, RULE)                                                                              \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* x, const float* weight, const float* z, float* y, \
                                                          int rows, int H, int S, float eps) {                          \
        ggml_gated_norm_body<RULE>(x, weight, z, y, rows, H, S, eps);                                                   \
    }
