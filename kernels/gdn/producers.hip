// What makes the inputs of the rule: the gate, beta, normalised queries and keys. A Rule names the points where the
// wrong variants in planted/ differ.
#pragma once
#include "common.hip"

struct ProducerRule {
    static __device__ float gate(float rate, float step) { return -rate * step; }
    static __device__ float step(float a, float bias) { return a + bias; }
    static __device__ float negated(float b) { return -b; }
    static constexpr int widest = 32;  // distance of the butterfly's first exchange: half a wave
    static __device__ int form(int form) { return form; }
    static __device__ float root(float sum) { return sqrtf(sum); }
};

// ln(1 + e^x); above 20 the 1 is lost in f32 anyway
static __device__ inline float softplus(float x) { return x > 20.0f ? x : log1pf(expf(x)); }

// g = -e^A_log softplus(a + dt_bias), a and g are [..., HV]
template <class Rule>
static __device__ __forceinline__ void gate_body(const float* a, const float* A_log, const float* dt_bias, float* g, int n,
                                                 int HV) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int hv = i % HV;
    g[i] = Rule::gate(expf(A_log[hv]), softplus(Rule::step(a[i], dt_bias[hv])));
}
#define GATE_KERNEL(NAME, RULE)                                                                                      \
    extern "C" __global__ void NAME(const float* a, const float* A_log, const float* dt_bias, float* g, int n, int HV) { \
        gate_body<RULE>(a, A_log, dt_bias, g, n, HV);                                                                \
    }

// beta = 1 / (1 + e^-b)
template <class Rule>
static __device__ __forceinline__ void beta_body(const float* b, float* beta, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) beta[i] = 1.0f / (1.0f + expf(Rule::negated(b[i])));
}
#define BETA_KERNEL(NAME, RULE) \
    extern "C" __global__ void NAME(const float* b, float* beta, int n) { beta_body<RULE>(b, beta, n); }

// y = x / sqrt(sum x^2 + eps) (form 0) or x / max(norm, eps) (form 1), one wave a row of D
template <class Rule>
static __device__ __forceinline__ void l2norm_body(const float* x, float* y, int rows, int D, float eps, int form) {
    int row = blockIdx.x, lane = threadIdx.x;
    if (row >= rows) return;
    const float* from = x + (long)row * D;
    float sum = 0.0f;
    for (int d = lane; d < D; d += 64) sum += from[d] * from[d];
#pragma unroll
    for (int distance = Rule::widest; distance > 0; distance /= 2) sum += __shfl_xor(sum, distance);
    float norm = Rule::form(form) == 0 ? Rule::root(sum + eps) : fmaxf(Rule::root(sum), eps);
    for (int d = lane; d < D; d += 64) y[(long)row * D + d] = from[d] / norm;
}
#define L2NORM_KERNEL(NAME, RULE)                                                                                     \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* x, float* y, int rows, int D, float eps, int form) { \
        l2norm_body<RULE>(x, y, rows, D, eps, form);                                                                  \
    }
