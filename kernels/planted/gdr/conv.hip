// Wrong causal convolutions.
#pragma once
#include "../../gdr/conv.hip"

// no bias
struct ConvWithoutBias : ConvRule {
    static __device__ float bias(float bias) { return 0.0f; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_no_bias, ConvWithoutBias)
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_no_bias, ConvWithoutBias)

// no activation
struct ConvNotActivated : ConvRule {
    static __device__ float activated(float y, int silu) { return y; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_no_silu, ConvNotActivated)
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_no_silu, ConvNotActivated)

// SiLU whatever was asked for
struct ConvAlwaysActivated : ConvRule {
    static __device__ float activated(float y, int silu) { return ConvRule::activated(y, 1); }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_always_silu, ConvAlwaysActivated)

// the weights from the last to the first
struct WeightsReversed : ConvRule {
    static __device__ int weight(int back, int W) { return back; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_weights_reversed, WeightsReversed)
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_weights_reversed, WeightsReversed)

// the state left as it was
struct StateNotKept : ConvRule {
    static __device__ bool keeps(int feature) { return false; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_state_stale, StateNotKept)

// the state not shifted: the newest element is not in it
struct StateNotShifted : ConvRule {
    static __device__ float kept(const float* window, int j) { return window[j]; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_state_not_shifted, StateNotShifted)

// padding taken for line 0
struct PaddingIsLineZero : ConvRule {
    static __device__ int line(const int* indices, int row) { return indices[row] < 0 ? 0 : indices[row]; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_padding_is_line_0, PaddingIsLineZero)

// padding not looked for: line -1 is written, before the first
struct PaddingNotSeen : ConvRule {
    static __device__ bool pads(int line) { return false; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_padding_written, PaddingNotSeen)

// the results cut to bf16, not rounded: at most one place off each, and too many of them
struct ConvTruncates : ConvRule {
    static __device__ Bf16 rounded(float y) { return {(unsigned short)(__float_as_uint(y) >> 16)}; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_truncates, ConvTruncates)

// the row of the batch for the line of the state
struct RowIsLine : ConvRule {
    static __device__ int line(const int* indices, int row) { return indices[row] < 0 ? -1 : row; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_indices_ignored, RowIsLine)

// the history reaches into the sequence before
struct HistoryAcross : ConvRule {
    static __device__ int begin(const int* starts, int sequence) { return 0; }
};
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_across_sequences, HistoryAcross)

// k where v begins
struct ValueBeginsEarly : ConvRule {
    static __device__ int value_begin(int kd) { return kd; }
};
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_split_shifted, ValueBeginsEarly)

// one token of history too few
struct HistoryShort : ConvRule {
    static __device__ int begin(const int* starts, int sequence) { return starts[sequence] + 1; }
};
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_first_token_lost, HistoryShort)

// SiLU as y e^y / (1 + e^y): no number where e^y overflows
struct ConvOverflows : ConvRule {
    static __device__ float activated(float y, int silu) { return silu ? y * expf(y) / (1.0f + expf(y)) : y; }
};
CONV_UPDATE_KERNEL(planted_gdr_conv_update_overflows, ConvOverflows)
CONV_PREFILL_KERNEL(planted_gdr_conv_fwd_overflows, ConvOverflows)
