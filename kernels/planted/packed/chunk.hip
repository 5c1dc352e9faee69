// Wrong steps of the chunk pipeline over packed sequences.
#pragma once
#include "../../packed/chunk.hip"

// chunks are counted from the first token of all sequences
struct PackedChunkFromZero : PackedChunkRule {
    static __device__ int first(const int* cu_seqlens, int n, int place, int C) { return place * C; }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_from_zero, PackedChunkFromZero)
PACKED_L_KERNEL(planted_packed_l_from_zero, PackedChunkFromZero)
PACKED_UW_KERNEL(planted_packed_uw_from_zero, PackedChunkFromZero)
PACKED_ATTENTION_KERNEL(planted_packed_attention_from_zero, PackedChunkFromZero)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_from_zero, PackedChunkFromZero)
PACKED_SOLVE_KERNEL(planted_packed_solve_from_zero, PackedChunkFromZero)

// the sum not carried on
struct PackedChunkNotSummed : PackedChunkRule {
    static __device__ double before(double sum, double g) { return g; }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_not_summed, PackedChunkNotSummed)
// the sum in f32
struct PackedChunkSumF32 : PackedChunkRule {
    static __device__ double before(double sum, double g) { return (double)((float)sum + (float)g); }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_in_f32, PackedChunkSumF32)

// beta of the other token
struct PackedChunkBetaOfColumn : PackedChunkRule {
    static __device__ float beta(const float* beta, long row, long column) { return beta[column]; }
};
PACKED_L_KERNEL(planted_packed_l_beta_of_column, PackedChunkBetaOfColumn)
PACKED_UW_KERNEL(planted_packed_uw_beta_of_row, PackedChunkBetaOfColumn)

// the gate of the first key channel for all
struct PackedChunkFirstGate : PackedChunkRule {
    static __device__ int channel(int j) { return 0; }
};
PACKED_L_KERNEL(planted_packed_l_first_gate, PackedChunkFirstGate)
PACKED_UW_KERNEL(planted_packed_uw_first_gate, PackedChunkFirstGate)
PACKED_STATES_KERNEL(planted_packed_states_first_gate, PackedChunkFirstGate)
PACKED_ATTENTION_KERNEL(planted_packed_attention_first_gate, PackedChunkFirstGate)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_first_gate, PackedChunkFirstGate)

// exponents of the wrong sign
struct PackedChunkGateSign : PackedChunkRule {
    static __device__ float decay(double difference) { return expf(-(float)difference); }
};
PACKED_L_KERNEL(planted_packed_l_gate_sign, PackedChunkGateSign)
PACKED_ATTENTION_KERNEL(planted_packed_attention_gate_sign, PackedChunkGateSign)

// keys decayed from the chunk's first token on, not to its last
struct PackedChunkDecayedFromFirst : PackedChunkRule {
    static __device__ double of_last(double last, double own) { return own; }
};
PACKED_STATES_KERNEL(planted_packed_states_decayed_from_first, PackedChunkDecayedFromFirst)

struct PackedChunkFlagsIgnored : PackedChunkRule {
    static __device__ bool begins(int flag) { return true; }
};
PACKED_STATES_KERNEL(planted_packed_states_flags_ignored, PackedChunkFlagsIgnored)
struct PackedChunkFinalTransposed : PackedChunkRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
PACKED_STATES_KERNEL(planted_packed_states_final_transposed, PackedChunkFinalTransposed)

// the identity missing, and (I - L)^-1
struct PackedChunkNoIdentity : PackedChunkRule {
    static __device__ float one() { return 0.0f; }
};
PACKED_SOLVE_KERNEL(planted_packed_solve_no_identity, PackedChunkNoIdentity)
struct PackedChunkOtherSign : PackedChunkRule {
    static __device__ float sign(float x) { return -x; }
};
PACKED_SOLVE_KERNEL(planted_packed_solve_sign, PackedChunkOtherSign)

// a token does not see itself
struct PackedChunkStrictly : PackedChunkRule {
    static __device__ bool upto(int i, int j) { return j < i; }
};
PACKED_ATTENTION_KERNEL(planted_packed_attention_strict, PackedChunkStrictly)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_strict, PackedChunkStrictly)

// no scale
struct PackedChunkNoScale : PackedChunkRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
PACKED_ATTENTION_KERNEL(planted_packed_attention_no_scale, PackedChunkNoScale)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_no_scale, PackedChunkNoScale)
