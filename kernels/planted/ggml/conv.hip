// Wrong variants of ggml's convolution.
#pragma once
#include "../../ggml/conv.hip"

// the activation forgotten
struct GgmlNoActivation : GgmlConvRule {
    static __device__ float activation(float sum) { return sum; }
};
GGML_CONV_KERNEL(planted_ggml_conv_no_silu, GgmlNoActivation)

// e^x / (1 + e^x) for 1 / (1 + e^-x): no number where e^x overflows
struct GgmlActivationOverflows : GgmlConvRule {
    static __device__ float activation(float sum) { return sum * (expf(sum) / (1.0f + expf(sum))); }
};
GGML_CONV_KERNEL(planted_ggml_conv_silu_overflows, GgmlActivationOverflows)

// the weights from the newest element to the oldest
struct GgmlWeightsReversed : GgmlConvRule {
    static __device__ int weight(int j, int W) { return W - 1 - j; }
};
GGML_CONV_KERNEL(planted_ggml_conv_reversed, GgmlWeightsReversed)

// the state left as it was
struct GgmlStateNotShifted : GgmlConvRule {
    static __device__ int kept(int p, int T, int W) { return p; }
};
GGML_CONV_KERNEL(planted_ggml_conv_state_not_shifted, GgmlStateNotShifted)

// the new state from the tokens alone: with fewer tokens than places, the oldest places are 0
struct GgmlStateOfTokens : GgmlConvRule {
    static __device__ bool there(int element, int W) { return element >= W - 1; }
};
GGML_CONV_KERNEL(planted_ggml_conv_state_of_tokens, GgmlStateOfTokens)

// the state shifted by one element, however many tokens there are
struct GgmlShiftedByOne : GgmlConvRule {
    static __device__ int kept(int p, int T, int W) { return 1 + p; }
};
GGML_CONV_KERNEL(planted_ggml_conv_shifted_by_one, GgmlShiftedByOne)
