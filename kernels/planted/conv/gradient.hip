// Wrong gradients of the convolution over packed sequences.
#pragma once
#include "../../conv/gradient.hip"

// the gradient by the elements takes the weights from the last to the first
struct ConvGradientReversed : ConvGradientRule {
    static constexpr bool reversed = true;
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_weights_reversed, ConvGradientReversed)

// the bias left out of the sum whose activation is derived
struct ConvGradientNoBias : ConvGradientRule {
    static __device__ float bias(float bias) { return 0.0f; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_no_bias, ConvGradientNoBias)

// no derivative of the activation
struct ConvGradientNoSlope : ConvGradientRule {
    static __device__ float slope(float s, float x) { return 1.0f; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_no_slope, ConvGradientNoSlope)

// the derivative of the sigmoid
struct ConvGradientSigmoidSlope : ConvGradientRule {
    static __device__ float slope(float s, float x) { return s * (1.0f - s); }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_sigmoid_slope, ConvGradientSigmoidSlope)

// dbias of dy itself
struct ConvGradientBiasOfDy : ConvGradientRule {
    static __device__ float by_bias(float by_sum, float dy) { return dy; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_bias_of_dy, ConvGradientBiasOfDy)

// zeros for the initial history
struct ConvGradientInitialIgnored : ConvGradientRule {
    static __device__ float initial(float element) { return 0.0f; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_initial_ignored, ConvGradientInitialIgnored)

// the gradient by the final history left out
struct ConvGradientLastIgnored : ConvGradientRule {
    static __device__ float last(float dfinal) { return 0.0f; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_last_ignored, ConvGradientLastIgnored)

// nothing passed on from the final history to the initial one where the sequence is shorter than they are
struct ConvGradientNotPassedOn : ConvGradientRule {
    static __device__ float passed_on(float dfinal) { return 0.0f; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_short_not_passed_on, ConvGradientNotPassedOn)

// only channel 0 of dx written
struct ConvGradientFirstChannel : ConvGradientRule {
    static __device__ bool writes(int channel) { return channel == 0; }
};
CONV_GRADIENT_KERNEL(planted_gdn_conv_backward_first_channel, ConvGradientFirstChannel)

// dw and dbias of the last sequence alone
struct ConvSumOfLast : ConvSumRule {
    static __device__ int first(int N) { return N - 1; }
};
CONV_SUM_KERNEL(planted_gdn_conv_backward_last_sequence, ConvSumOfLast)
