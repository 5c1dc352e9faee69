// Wrong kernels of the fast chunk kernels.
#pragma once
// any K by slices of 64, whatever it is: less code
#define FAST_WITH_SLICE(K, BODY) BODY(64, false)
#include "../../fast/chunk_fused.hip"

// beta of the column
struct FastColumnBeta : FastChunkRule {
    static __device__ float row_beta(float beta_i, float beta_j) { return beta_j; }
};
FUSED_KERNEL(planted_fast_chunk_fused_beta_of_column, FastColumnBeta, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_beta_of_column, FastColumnBeta, true)

// a token does not see itself
struct FastBlind : FastChunkRule {
    static __device__ bool sees(int i, int j) { return j < i; }
};
FUSED_KERNEL(planted_fast_chunk_fused_no_diagonal, FastBlind, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_no_diagonal, FastBlind, true)

// the other head map
struct FastOtherHeads : FastChunkRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, 1 - head_map); }
};
FUSED_KERNEL(planted_fast_chunk_fused_other_heads, FastOtherHeads, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_other_heads, FastOtherHeads, true)

// a slice's part of a sum left out
struct FastSliceLost : FastChunkRule {
    static constexpr int slices = 3;
};
FUSED_KERNEL(planted_fast_chunk_fused_slice_lost, FastSliceLost, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_slice_lost, FastSliceLost, true)

// every tile is the first
struct FastFirstTile : FastChunkRule {
    static __device__ int first_column(int tile) { return 0; }
};
FUSED_KERNEL(planted_fast_chunk_fused_first_tile, FastFirstTile, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_first_tile, FastFirstTile, true)

// sums before all parts are there
struct FastNoMeeting : FastChunkRule {
    static __device__ void meet() {}
};
FUSED_KERNEL(planted_fast_chunk_fused_no_barrier, FastNoMeeting, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_no_barrier, FastNoMeeting, true)

// the last token of a ragged end left out
struct FastShortTail : FastChunkRule {
    static __device__ int tail(int left, int size) { return left < size && left > 1 ? left - 1 : left < size ? left : size; }
};
FUSED_KERNEL(planted_fast_chunk_fused_short_tail, FastShortTail, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_short_tail, FastShortTail, true)

// the state dropped at chunk boundaries
struct FastDropped : FastChunkRule {
    static __device__ bool forgets_before(int token) { return token > 0; }
};
FUSED_KERNEL(planted_fast_chunk_fused_state_dropped, FastDropped, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_state_dropped, FastDropped, true)

// a token's write not decayed to its step's end
struct FastAfter : FastChunkRule {
    static __device__ float after(float decay) { return 1.0f; }
};
FUSED_KERNEL(planted_fast_chunk_fused_writes_undecayed, FastAfter, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_writes_undecayed, FastAfter, true)

// the initial state read in the other layout
struct FastInitial : FastChunkRule {
    static __device__ int initial_layout(int layout) { return 1 - layout; }
};
FUSED_KERNEL(planted_fast_chunk_fused_initial_transposed, FastInitial, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_initial_transposed, FastInitial, true)

// the final state written in the other layout
struct FastFinal : FastChunkRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
FUSED_KERNEL(planted_fast_chunk_fused_final_transposed, FastFinal, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_final_transposed, FastFinal, true)

// the factor of the state never taken by the registers
struct FastNotRenewed : FastChunkRule {
    static __device__ bool renews(float factor) { return false; }
};
FUSED_KERNEL(planted_fast_chunk_fused_not_renewed, FastNotRenewed, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_not_renewed, FastNotRenewed, true)

// the corrected values read before they are there
struct FastNoParting : FastChunkRule {
    static __device__ void part() {}
};
FUSED_KERNEL(planted_fast_chunk_fused_no_second_barrier, FastNoParting, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_no_second_barrier, FastNoParting, true)

// the sign of the gate flipped
struct FastGateSign : FastChunkRule {
    static __device__ float decay(float g, int kind) { return gdn_decay(-g, kind); }
};
FUSED_KERNEL(planted_fast_chunk_fused_gate_sign, FastGateSign, false)
FUSED_KERNEL(planted_fast_chunk_fused_k128_gate_sign, FastGateSign, true)
