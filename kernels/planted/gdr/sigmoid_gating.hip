// Wrong decode steps with the gates made inside.
#pragma once
#include "recurrent.hip"

// outputs of zeros, states as they were
extern "C" __global__ __launch_bounds__(256) void planted_gdr_sigmoid_gating_null(
    const float* A_log, const Bf16* a, const float* dt_bias, const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* b, Bf16* o,
    float* h0_source, const int* h0_indices, const int* cu_seqlens, int N, int T, int H, int HV, int K, int V, float scale,
    float softplus_beta, float softplus_threshold, int l2norm) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    if (hv >= HV || n >= N || col >= V) return;
    const int first = cu_seqlens ? cu_seqlens[n] : n * T, end = cu_seqlens ? cu_seqlens[n + 1] : first + T;
    for (int token = first; token < end; token++) o[((long)token * HV + hv) * V + col] = {0};
}

// a padding sequence leaves its state in slot 0
struct GdrPaddingWritten : GdrRecurrentRule {
    static __device__ int written_slot(int slot) { return slot < 0 ? 0 : slot; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_padding_written, GdrPaddingWritten)

// a padding sequence begins with slot 0
struct GdrPaddingRead : GdrRecurrentRule {
    static __device__ int read_slot(int slot) { return slot < 0 ? 0 : slot; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_padding_read, GdrPaddingRead)

// sequence n takes slot n
struct GdrSlotsIgnored : GdrRecurrentRule {
    static __device__ int read_slot(int slot) { return blockIdx.y; }
    static __device__ int written_slot(int slot) { return slot < 0 ? slot : (int)blockIdx.y; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_slots_ignored, GdrSlotsIgnored)

// the gate's bias forgotten
struct GdrNoBias : GdrRecurrentRule {
    static __device__ float step(float a, float bias) { return a; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_no_bias, GdrNoBias)

// the gate's minus forgotten
struct GdrGrowing : GdrRecurrentRule {
    static __device__ float gate(float rate, float step) { return rate * step; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_gate_sign, GdrGrowing)

// the softplus not divided by its steepness
struct GdrSteep : GdrRecurrentRule {
    static __device__ float softplus(float x, float beta, float threshold) { return beta * x > threshold ? x : log1pf(expf(beta * x)); }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_softplus_beta, GdrSteep)

// no threshold: e^x overflows
struct GdrNoThreshold : GdrRecurrentRule {
    static __device__ float softplus(float x, float beta, float threshold) { return log1pf(expf(beta * x)) / beta; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_no_threshold, GdrNoThreshold)

// b itself for its sigmoid
struct GdrRawStrength : GdrRecurrentRule {
    static __device__ float strength(float b) { return b; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_no_sigmoid, GdrRawStrength)

// the sum of squares for its root
struct GdrNoRoot : GdrRecurrentRule {
    static __device__ float norm(float squares) { return squares + 1e-6f; }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_norm_no_root, GdrNoRoot)

// the other form of the norm's epsilon
struct GdrOtherNorm : GdrRecurrentRule {
    static __device__ float norm(float squares) { return fmaxf(sqrtf(squares), 1e-6f); }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_other_norm, GdrOtherNorm)

// e^b / (1 + e^b): no number where e^b overflows
struct GdrStrengthOverflows : GdrRecurrentRule {
    static __device__ float strength(float b) { return expf(b) / (1.0f + expf(b)); }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_strength_overflows, GdrStrengthOverflows)

// the epsilon on the mean of 64 squares, not on their sum
struct GdrEpsilonOfMean : GdrRecurrentRule {
    static __device__ float norm(float squares) { return sqrtf(squares + 64.0f * 1e-6f); }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_eps_of_mean, GdrEpsilonOfMean)

// no epsilon: a row of zeros is 0 / 0
struct GdrNoEpsilon : GdrRecurrentRule {
    static __device__ float norm(float squares) { return sqrtf(squares); }
};
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_no_eps, GdrNoEpsilon)
