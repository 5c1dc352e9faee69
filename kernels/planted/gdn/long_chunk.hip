// Wrong kernels of long chunks.
#pragma once
#include "chunk.hip"
#include "../../gdn/long_chunk.hip"

LONG_L_KERNEL(planted_gdn_long_l_beta_of_column, ColumnBeta)
LONG_L_KERNEL(planted_gdn_long_l_gate_sign, BetweenSign)

// L taken with the other sign
struct LongSolveSign : ChunkRule {
    static __device__ float lower(float l) { return -l; }
};
LONG_SOLVE_KERNEL(planted_gdn_long_solve_sign, LongSolveSign)

// the identity missing
struct LongSolveNoIdentity : ChunkRule {
    static __device__ float diagonal() { return 0.0f; }
};
LONG_SOLVE_KERNEL(planted_gdn_long_solve_no_identity, LongSolveNoIdentity)

// w without e^G
struct LongNoDecay : ChunkRule {
    static __device__ float key_factor(float beta, double G) { return beta; }
};
LONG_UW_KERNEL(planted_gdn_long_uw_w_no_decay, LongNoDecay)

// a token sees those of its own 64 alone, as in chunks of 64
struct LongSeenInTile : ChunkRule {
    static __device__ bool seen(int i, int j) { return j <= i && j / 64 == i / 64; }
};
LONG_OUTPUTS_KERNEL(planted_gdn_long_outputs_tile_only, LongSeenInTile)
