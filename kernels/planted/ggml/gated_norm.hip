// Wrong variants of the layer's gated norm.
#pragma once
#include "../../ggml/gated_norm.hip"

// the norm over all heads of a token
struct GgmlNormOverHeads : GgmlGatedNormRule {
    static __device__ int rows(int H) { return H; }
};
GGML_GATED_NORM_KERNEL(planted_ggml_norm_over_heads, GgmlNormOverHeads)

// the gate before the norm
struct GgmlGateFirst : GgmlGatedNormRule {
    static __device__ float before(float x, float z) { return x * ggml_silu(z); }
    static __device__ float gate(float z) { return 1.0f; }
};
GGML_GATED_NORM_KERNEL(planted_ggml_gate_first, GgmlGateFirst)

// the gate without its activation
struct GgmlGateLinear : GgmlGatedNormRule {
    static __device__ float gate(float z) { return z; }
};
GGML_GATED_NORM_KERNEL(planted_ggml_gate_no_silu, GgmlGateLinear)

// a sigmoid for SiLU
struct GgmlGateSigmoid : GgmlGatedNormRule {
    static __device__ float gate(float z) { return 1.0f / (1.0f + expf(-z)); }
};
GGML_GATED_NORM_KERNEL(planted_ggml_gate_sigmoid, GgmlGateSigmoid)

// the root of the sum of squares for the root of their mean
struct GgmlNormOfSum : GgmlGatedNormRule {
    static __device__ float norm(float sum, int count, float eps) { return sqrtf(sum + eps); }
};
GGML_GATED_NORM_KERNEL(planted_ggml_norm_of_sum, GgmlNormOfSum)

// the epsilon of the other form
struct GgmlNormOfMax : GgmlGatedNormRule {
    static __device__ float norm(float sum, int count, float eps) { return fmaxf(sqrtf(sum / count), eps); }
};
GGML_GATED_NORM_KERNEL(planted_ggml_norm_of_max, GgmlNormOfMax)
