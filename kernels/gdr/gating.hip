// fused_gdn_gating: gates and write strengths of a prefill, both from one launch.
#pragma once
#include "../gdn/producers.hip"
#include "common.hip"

struct GatingRule {
    static __device__ float rate(float A_log) { return expf(A_log); }
    static __device__ float step(float a, float bias) { return softplus(a + bias); }
    static __device__ float gate(float rate, float step) { return -rate * step; }
    static __device__ float beta(float b) { return 1.0f / (1.0f + expf(-b)); }
    // the head whose parameters an element takes
    static __device__ int head(int i, int HV) { return i % HV; }
};

// g = -e^A_log softplus(a + dt_bias), beta = 1 / (1 + e^-b); a, b, g, beta [tokens,HV]
template <class Rule>
static __device__ __forceinline__ void gdn_gating_body(const float* A_log, const float* dt_bias, const float* a, const float* b,
                                                       float* g, float* beta, int tokens, int HV) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * HV) return;
    const int hv = Rule::head(i, HV);
    g[i] = Rule::gate(Rule::rate(A_log[hv]), Rule::step(a[i], dt_bias[hv]));
    beta[i] = Rule::beta(b[i]);
}
#define GDN_GATING_KERNEL(NAME, RULE)                                                                                  \
    extern "C" __global__ void NAME(const float* A_log, const float* dt_bias, const float* a, const float* b, float* g, \
                                    float* beta, int tokens, int HV) {                                                 \
        gdn_gating_body<RULE>(A_log, dt_bias, a, b, g, beta, tokens, HV);                                              \
    }
