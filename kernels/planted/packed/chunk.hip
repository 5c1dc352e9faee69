// Wrong steps of the chunk pipeline over packed sequences.
#pragma once
#include "../../packed/chunk.hip"

// chunks are counted from the first token of all sequences
struct ChunkFromZero : PackedChunkRule {
    static __device__ int first(const int* cu_seqlens, int n, int place, int C) { return place * C; }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_from_zero, ChunkFromZero)
PACKED_L_KERNEL(planted_packed_l_from_zero, ChunkFromZero)
PACKED_UW_KERNEL(planted_packed_uw_from_zero, ChunkFromZero)
PACKED_ATTENTION_KERNEL(planted_packed_attention_from_zero, ChunkFromZero)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_from_zero, ChunkFromZero)
PACKED_SOLVE_KERNEL(planted_packed_solve_from_zero, ChunkFromZero)

// the sum not carried on
struct ChunkNotSummed : PackedChunkRule {
    static __device__ double before(double sum, double g) { return g; }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_not_summed, ChunkNotSummed)
// the sum in f32
struct ChunkSumF32 : PackedChunkRule {
    static __device__ double before(double sum, double g) { return (double)((float)sum + (float)g); }
};
PACKED_CUMSUM_KERNEL(planted_packed_cumsum_in_f32, ChunkSumF32)

// beta of the other token
struct ChunkBetaOfColumn : PackedChunkRule {
    static __device__ float beta(const float* beta, long row, long column) { return beta[column]; }
};
PACKED_L_KERNEL(planted_packed_l_beta_of_column, ChunkBetaOfColumn)
PACKED_UW_KERNEL(planted_packed_uw_beta_of_row, ChunkBetaOfColumn)

// the gate of the first key channel for all
struct ChunkFirstGate : PackedChunkRule {
    static __device__ int channel(int j) { return 0; }
};
PACKED_L_KERNEL(planted_packed_l_first_gate, ChunkFirstGate)
PACKED_UW_KERNEL(planted_packed_uw_first_gate, ChunkFirstGate)
PACKED_STATES_KERNEL(planted_packed_states_first_gate, ChunkFirstGate)
PACKED_ATTENTION_KERNEL(planted_packed_attention_first_gate, ChunkFirstGate)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_first_gate, ChunkFirstGate)

// exponents of the wrong sign
struct ChunkGateSign : PackedChunkRule {
    static __device__ float decay(double difference) { return expf(-(float)difference); }
};
PACKED_L_KERNEL(planted_packed_l_gate_sign, ChunkGateSign)
PACKED_ATTENTION_KERNEL(planted_packed_attention_gate_sign, ChunkGateSign)

// keys decayed from the chunk's first token on, not to its last
struct ChunkDecayedFromFirst : PackedChunkRule {
    static __device__ double of_last(double last, double own) { return own; }
};
PACKED_STATES_KERNEL(planted_packed_states_decayed_from_first, ChunkDecayedFromFirst)

struct ChunkFlagsIgnored : PackedChunkRule {
    static __device__ bool begins(int flag) { return true; }
};
PACKED_STATES_KERNEL(planted_packed_states_flags_ignored, ChunkFlagsIgnored)
struct ChunkFinalTransposed : PackedChunkRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
PACKED_STATES_KERNEL(planted_packed_states_final_transposed, ChunkFinalTransposed)

// the identity missing, and (I - L)^-1
struct ChunkNoIdentity : PackedChunkRule {
    static __device__ float one() { return 0.0f; }
};
PACKED_SOLVE_KERNEL(planted_packed_solve_no_identity, ChunkNoIdentity)
struct ChunkOtherSign : PackedChunkRule {
    static __device__ float sign(float x) { return -x; }
};
PACKED_SOLVE_KERNEL(planted_packed_solve_sign, ChunkOtherSign)

// a token does not see itself
struct ChunkStrictly : PackedChunkRule {
    static __device__ bool upto(int i, int j) { return j < i; }
};
PACKED_ATTENTION_KERNEL(planted_packed_attention_strict, ChunkStrictly)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_strict, ChunkStrictly)

// no scale
struct ChunkNoScale : PackedChunkRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
PACKED_ATTENTION_KERNEL(planted_packed_attention_no_scale, ChunkNoScale)
PACKED_OUTPUTS_KERNEL(planted_packed_outputs_no_scale, ChunkNoScale)
