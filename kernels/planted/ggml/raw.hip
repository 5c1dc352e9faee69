// Wrong variants of ggml's GATED_DELTA_NET with raw gates.
#pragma once
#include "../gdn/bounds.hip"
#include "../../ggml/raw.hip"

// the sign of the gate flipped: the state grows
struct GgmlRawGateSign : GgmlRawRule {
    static __device__ float log_gate(float a, float alpha, float dt) { return -a * softplus(alpha + dt); }
};
GGML_RAW_KERNEL(planted_ggml_raw_gate_sign, GgmlRawGateSign)

// the factor of the gate taken for its logarithm, and exponentiated a second time
struct GgmlRawExponentiated : GgmlRawRule {
    static __device__ float log_gate(float a, float alpha, float dt) { return -expf(a) * softplus(alpha + dt); }
};
GGML_RAW_KERNEL(planted_ggml_raw_exponentiated, GgmlRawExponentiated)

// the bias of the gate forgotten
struct GgmlRawWithoutBias : GgmlRawRule {
    static __device__ float log_gate(float a, float alpha, float dt) { return a * softplus(alpha); }
};
GGML_RAW_KERNEL(planted_ggml_raw_no_bias, GgmlRawWithoutBias)

// no threshold of the softplus: e^x overflows
struct GgmlRawOverflows : GgmlRawRule {
    static __device__ float log_gate(float a, float alpha, float dt) { return a * log1pf(expf(alpha + dt)); }
};
GGML_RAW_KERNEL(planted_ggml_raw_overflows, GgmlRawOverflows)

// the write strength not through the sigmoid
struct GgmlRawStrength : GgmlRawRule {
    static __device__ float strength(float beta) { return beta; }
};
GGML_RAW_KERNEL(planted_ggml_raw_strength, GgmlRawStrength)

// the epsilon of the other form of the norm
struct GgmlRawNormOfSum : GgmlRawRule {
    static __device__ float norm(float sum, float eps) { return sqrtf(sum + eps); }
};
GGML_RAW_KERNEL(planted_ggml_raw_norm_of_sum, GgmlRawNormOfSum)

// no epsilon: a row of zeros is 0 / 0
struct GgmlRawNoEpsilon : GgmlRawRule {
    static __device__ float norm(float sum, float eps) { return sqrtf(sum); }
};
GGML_RAW_KERNEL(planted_ggml_raw_no_eps, GgmlRawNoEpsilon)

// the head map of everyone else, or ggml's where the other is asked for
struct GgmlRawOtherHeads : GgmlRawRule {
    static __device__ int head(int hv, int Hk, int H, int head_map) { return gdn_head(hv, Hk, H, 1 - head_map); }
};
GGML_RAW_KERNEL(planted_ggml_raw_other_heads, GgmlRawOtherHeads)

// the state with values innermost
struct GgmlRawTransposed : GgmlRawRule {
    static __device__ int layout() { return STATE_KEY_MAJOR; }
};
GGML_RAW_KERNEL(planted_ggml_raw_transposed, GgmlRawTransposed)

// the output not scaled
struct GgmlRawNoScale : GgmlRawRule {
    static __device__ float scale(int S) { return 1.0f; }
};
GGML_RAW_KERNEL(planted_ggml_raw_no_scale, GgmlRawNoScale)
