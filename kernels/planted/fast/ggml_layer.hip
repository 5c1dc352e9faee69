// Wrong variants of the layer in one launch.
#include "../../fast/ggml_layer.hip"

// states grow
struct GgmlLayerGateSign : GgmlLayerRule {
    static __device__ float decay(float a, float alpha, float dt) { return lanes_exp(-a * softplus(alpha + dt)); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_gate_sign, GgmlLayerGateSign)

// a taken for A_log
struct GgmlLayerExponentiated : GgmlLayerRule {
    static __device__ float decay(float a, float alpha, float dt) { return lanes_exp(-lanes_exp(a) * softplus(alpha + dt)); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_exponentiated, GgmlLayerExponentiated)

// dt forgotten
struct GgmlLayerNoBias : GgmlLayerRule {
    static __device__ float decay(float a, float alpha, float dt) { return lanes_exp(a * softplus(alpha)); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_no_bias, GgmlLayerNoBias)

// beta for its sigmoid
struct GgmlLayerStrength : GgmlLayerRule {
    static __device__ float strength(float beta) { return beta; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_strength, GgmlLayerStrength)

// the epsilon under the root
struct GgmlLayerNormOfSum : GgmlLayerRule {
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal_root(squares + eps); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_norm_of_sum, GgmlLayerNormOfSum)

// the other head map
struct GgmlLayerOtherHeads : GgmlLayerRule {
    static __device__ int head(int hv, int Hk, int H, int head_map) { return gdn_head(hv, Hk, H, !head_map); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_other_heads, GgmlLayerOtherHeads)

// the state read in the other layout
struct GgmlLayerInitialTransposed : GgmlLayerRule {
    static __device__ int initial_layout() { return STATE_KEY_MAJOR; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_initial_transposed, GgmlLayerInitialTransposed)

// the state written in the other layout
struct GgmlLayerFinalTransposed : GgmlLayerRule {
    static __device__ int final_layout() { return STATE_KEY_MAJOR; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_final_transposed, GgmlLayerFinalTransposed)

// no activation after the convolution
struct GgmlLayerNoSilu : GgmlLayerRule {
    static __device__ float mixed(float x) { return x; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_no_silu, GgmlLayerNoSilu)

// weights from the newest token to the oldest
struct GgmlLayerReversed : GgmlLayerRule {
    static __device__ int weight(int j) { return GGML_LAYER_WIDTH - 1 - j; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_reversed, GgmlLayerReversed)

// the history stays
struct GgmlLayerNotShifted : GgmlLayerRule {
    static __device__ int kept(int p) { return p; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_not_shifted, GgmlLayerNotShifted)

// the history of a key head's channels not written
struct GgmlLayerKeysUnwritten : GgmlLayerRule {
    static __device__ bool writes_keys(int hv, int Hk, int H, int head_map) { return false; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_keys_unwritten, GgmlLayerKeysUnwritten)

// the sum of squares for their mean
struct GgmlLayerNormOfAll : GgmlLayerRule {
    static __device__ float output_norm(float squares, float eps) { return lanes_reciprocal_root(squares + eps); }
};
GGML_LAYER_KERNEL(planted_ggml_layer_norm_of_all, GgmlLayerNormOfAll)

// z without its activation
struct GgmlLayerGateLinear : GgmlLayerRule {
    static __device__ float gate(float z) { return z; }
};
GGML_LAYER_KERNEL(planted_ggml_layer_gate_linear, GgmlLayerGateLinear)

// read before it is there
struct GgmlLayerNoBarrier : GgmlLayerRule {
    static __device__ void meet() {}
};
GGML_LAYER_KERNEL(planted_ggml_layer_no_barrier, GgmlLayerNoBarrier)
