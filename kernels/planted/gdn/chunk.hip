// Wrong kernels of the chunk pipeline.
#pragma once
#include "bounds.hip"
#include "../../gdn/chunk_inverse.hip"
#include "../../gdn/chunk_state.hip"

// the scan's last step left out: sums within each half of the wave
struct HalfScan : ChunkRule {
    static constexpr int scan_end = 32;
};
CUMSUM_KERNEL(planted_gdn_chunk_cumsum_half_wave, HalfScan)

// of the passes before, only the last one is carried on
struct CumsumCarryLost : ChunkRule {
    static __device__ double carried(double before, double sum) { return sum; }
};
CUMSUM_KERNEL(planted_gdn_chunk_cumsum_carry_lost, CumsumCarryLost)

// the sign of the gate flipped
struct CumsumSign : ChunkRule {
    static __device__ double log_gate(float g, int kind) { return -ChunkRule::log_gate(g, kind); }
};
CUMSUM_KERNEL(planted_gdn_chunk_cumsum_sign, CumsumSign)

// G rounded to float
struct FloatSums : ChunkRule {
    static __device__ double sum(double G) { return (float)G; }
};
CUMSUM_KERNEL(planted_gdn_chunk_cumsum_in_f32, FloatSums)

// the last token of a sequence unwritten
struct LastUnwritten : ChunkRule {
    static __device__ bool writes_gate(int token, int T) { return token < T - 1; }
};
CUMSUM_KERNEL(planted_gdn_chunk_cumsum_last_unwritten, LastUnwritten)

// beta of the column
struct ColumnBeta : ChunkRule {
    static __device__ float row_beta(const float* beta, int i, int j) { return beta[j]; }
};
L_KERNEL(planted_gdn_chunk_l_beta_of_column, ColumnBeta)

// no beta: it stands on v only
struct NoBeta : ChunkRule {
    static __device__ float row_beta(const float* beta, int i, int j) { return 1.0f; }
};
L_KERNEL(planted_gdn_chunk_l_no_beta, NoBeta)

// the sign of the gate flipped (in L and in the outputs)
struct BetweenSign : ChunkRule {
    static __device__ float between(double G_i, double G_j) { return expf((float)(G_j - G_i)); }
};
L_KERNEL(planted_gdn_chunk_l_gate_sign, BetweenSign)
OUTPUTS_KERNEL(planted_gdn_chunk_outputs_gate_sign, BetweenSign)

// the other head map
struct ChunkOtherHeads : ChunkRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, 1 - head_map); }
};
L_KERNEL(planted_gdn_chunk_l_other_heads, ChunkOtherHeads)
UW_KERNEL(planted_gdn_chunk_uw_other_heads, ChunkOtherHeads)
STATES_KERNEL(planted_gdn_chunk_states_other_heads, ChunkOtherHeads)
OUTPUTS_KERNEL(planted_gdn_chunk_outputs_other_heads, ChunkOtherHeads)

// zeros unwritten
struct NoZeros : ChunkRule {
    static __device__ bool writes_l(int i, int j) { return j < i; }
};
L_KERNEL(planted_gdn_chunk_l_no_zeros, NoZeros)

// the identity missing
struct NoIdentity : ChunkRule {
    static __device__ float diagonal() { return 0.0f; }
};
SOLVE_KERNEL(planted_gdn_chunk_solve_no_identity, NoIdentity)

// the identity added to a diagonal that holds it already
struct IdentityTwice : ChunkRule {
    static __device__ float diagonal() { return 1.0f + 1.0f; }
};
SOLVE_KERNEL(planted_gdn_chunk_solve_identity_twice, IdentityTwice)

// (I - L)^-1
struct SolveSign : ChunkRule {
    static __device__ float lower(float l) { return -l; }
};
SOLVE_KERNEL(planted_gdn_chunk_solve_sign, SolveSign)

// u without beta
struct ValueWithoutBeta : ChunkRule {
    static __device__ float value_factor(float beta) { return 1.0f; }
};
UW_KERNEL(planted_gdn_chunk_uw_u_no_beta, ValueWithoutBeta)

// w without its decay
struct KeyWithoutDecay : ChunkRule {
    static __device__ float key_factor(float beta, double G) { return beta; }
};
UW_KERNEL(planted_gdn_chunk_uw_w_no_decay, KeyWithoutDecay)

// the state dropped at chunk boundaries
struct ChunkStateDropped : ChunkRule {
    static __device__ bool forgets_before(int chunk) { return chunk > 0; }
};
STATES_KERNEL(planted_gdn_chunk_states_dropped, ChunkStateDropped)

// no - w h
struct NotCorrected : ChunkRule {
    static __device__ float corrected(float u, float wh) { return u; }
};
STATES_KERNEL(planted_gdn_chunk_states_no_wh, NotCorrected)

// a ragged chunk takes G_last from the padding, which is 0
struct PaddedLast : ChunkRule {
    static __device__ double last_gate(double G_last, int tokens, int C) { return tokens == C ? G_last : 0.0; }
};
STATES_KERNEL(planted_gdn_chunk_states_padded_last, PaddedLast)

// the initial state read in the other layout
struct ChunkInitialTransposed : ChunkRule {
    static __device__ int initial_layout(int layout) { return 1 - layout; }
};
STATES_KERNEL(planted_gdn_chunk_states_initial_transposed, ChunkInitialTransposed)

// the final state written in the other layout
struct ChunkFinalTransposed : ChunkRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
STATES_KERNEL(planted_gdn_chunk_states_final_transposed, ChunkFinalTransposed)

// the state carried over from the sequence before: its last chunk's state for the initial one
struct ChunkCarriedOver : ChunkRule {
    static __device__ int first_sequence(int b) { return 0; }
};
STATES_KERNEL(planted_gdn_chunk_states_carried_over, ChunkCarriedOver)

// w in place of k in the state's update
struct WritesWithW : ChunkRule {
    static constexpr bool writes_with_w = true;
};
STATES_KERNEL(planted_gdn_chunk_states_w_for_k, WritesWithW)

// the output not scaled
struct ChunkNoScale : ChunkRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
OUTPUTS_KERNEL(planted_gdn_chunk_outputs_no_scale, ChunkNoScale)

// a token does not see itself
struct BlindToItself : ChunkRule {
    static __device__ bool seen(int i, int j) { return j < i; }
};
OUTPUTS_KERNEL(planted_gdn_chunk_outputs_no_diagonal, BlindToItself)

// only column 0 of the output written
struct ChunkFirstColumn : ChunkRule {
    static __device__ bool writes(int col) { return col == 0; }
};
OUTPUTS_KERNEL(planted_gdn_chunk_outputs_first_column, ChunkFirstColumn)
