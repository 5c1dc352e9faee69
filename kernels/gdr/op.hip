// op: eight element-wise functions of the same input.
#pragma once
#include "../gdn/producers.hip"
#include "common.hip"

struct OpRule {
    static __device__ float exp2(float x) { return exp2f(x); }
    static __device__ float log(float x) { return logf(x); }
    static __device__ float log2(float x) { return log2f(x); }
    static __device__ float safe_exp(float x) { return x <= 0.0f ? expf(x) : 0.0f; }
    static __device__ float softplus(float x) { return ::softplus(x); }
    static __device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
    static __device__ float silu(float x) { return x * sigmoid(x); }
};

struct OpOutputs {
    float *exp, *exp2, *log, *log2, *safe_exp, *softplus, *sigmoid, *silu;
};

// log and log2 are those of |x| + 0.001
template <class Rule>
static __device__ __forceinline__ void op_body(const float* x, const OpOutputs& out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = x[i], away = fabsf(value) + 0.001f;
    out.exp[i] = expf(value);
    out.exp2[i] = Rule::exp2(value);
    out.log[i] = Rule::log(away);
    out.log2[i] = Rule::log2(away);
    out.safe_exp[i] = Rule::safe_exp(value);
    out.softplus[i] = Rule::softplus(value);
    out.sigmoid[i] = Rule::sigmoid(value);
    out.silu[i] = Rule::silu(value);
}
#define OP_KERNEL(NAME, RULE)                                                                                       \
    extern "C" __global__ void NAME(const float* x, float* exp, float* exp2, float* log, float* log2, float* safe_exp, \
                                    float* softplus, float* sigmoid, float* silu, int n) {                          \
        op_body<RULE>(x, {exp, exp2, log, log2, safe_exp, softplus, sigmoid, silu}, n);                             \
    }
