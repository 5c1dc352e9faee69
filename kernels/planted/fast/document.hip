// Wrong kernels of the document's solve, chunk and layer, optimised.
#pragma once
#include "../../fast/intra_chunk.hip"
#include "../../fast/layer.hip"
#include "../../fast/solve.hip"
#include "../../fast/state.hip"

// solves (I + A) X = B
struct FastSolveSign : SolveRule {
    static __device__ float coefficient(float a) { return -a; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_sign, FastSolveSign)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_sign, FastSolveSign)

// the last product of each row forgotten
struct FastSolveStopsEarly : SolveRule {
    static constexpr int products(int r) { return r - 1; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_stops_early, FastSolveStopsEarly)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_stops_early, FastSolveStopsEarly)

// solves (I - A^T) X = B
struct FastSolveTransposed : SolveRule {
    static __device__ int row_step(int n) { return 1; }
    static __device__ int column_step(int n) { return n; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_transposed, FastSolveTransposed)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_transposed, FastSolveTransposed)

// a block of rows without those of the blocks before
struct FastSolveOwnBlock : SolveRule {
    static __device__ int rows_above(int top) { return 0; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_own_block, FastSolveOwnBlock)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_own_block, FastSolveOwnBlock)

// the last row of a block unwritten
struct FastSolveLastRow : SolveRule {
    static __device__ int rows_written(int rows) { return rows - 1; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_last_row_unwritten, FastSolveLastRow)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_last_row_unwritten, FastSolveLastRow)

// the last column left out
struct FastSolveLastColumn : SolveRule {
    static __device__ bool there(int col, int k) { return col < k - 1; }
};
SOLVE_TRI_KERNEL(planted_fast_solve_last_column_unwritten, FastSolveLastColumn)
SOLVE_IDENTITY_KERNEL(planted_fast_solve_identity_last_column_unwritten, FastSolveLastColumn)

// no barrier between who puts a tile into LDS and who reads it
struct FastTileNoBarrier : StateRule {
    static __device__ void meet() {}
};
STATE_UPDATE_KERNEL(planted_fast_state_no_barrier, FastTileNoBarrier)
OUTPUT_KERNEL(planted_fast_output_no_barrier, FastTileNoBarrier)

// the products past the last full part of a tile forgotten
struct FastTileDepthTail : StateRule {
    static __device__ int depth(int depth) { return depth / TILE_DEPTH * TILE_DEPTH; }
};
STATE_UPDATE_KERNEL(planted_fast_state_depth_tail, FastTileDepthTail)
OUTPUT_KERNEL(planted_fast_output_depth_tail, FastTileDepthTail)

// a tile's last column unwritten
struct FastTileLastColumn : StateRule {
    static __device__ bool writes(int col, int width) { return col < width - 1; }
};
STATE_UPDATE_KERNEL(planted_fast_state_last_column_unwritten, FastTileLastColumn)
OUTPUT_KERNEL(planted_fast_output_last_column_unwritten, FastTileLastColumn)

// the last vector of an operand taken for zeros
struct FastTileWidth : StateRule {
    static __device__ int width(int width) { return width - 1; }
};
STATE_UPDATE_KERNEL(planted_fast_state_width, FastTileWidth)
OUTPUT_KERNEL(planted_fast_output_width, FastTileWidth)

// the state not scaled
struct FastStateNoDecay : StateRule {
    static __device__ float updated(float state, float factor, float sum) { return state + sum; }
};
STATE_UPDATE_KERNEL(planted_fast_state_no_decay, FastStateNoDecay)

// the state dropped
struct FastStateDropped : StateRule {
    static __device__ float updated(float state, float factor, float sum) { return sum; }
};
STATE_UPDATE_KERNEL(planted_fast_state_dropped, FastStateDropped)

// Q without e^g
struct FastOutputNoDecay : StateRule {
    static __device__ float decay(float g) { return 1.0f; }
};
OUTPUT_KERNEL(planted_fast_output_no_decay, FastOutputNoDecay)

// no attention within the chunk
struct FastOutputNoAttention : StateRule {
    static __device__ int attention_depth(int C) { return 0; }
};
OUTPUT_KERNEL(planted_fast_output_no_attention, FastOutputNoAttention)

// no barrier between who writes gates, A or columns and who reads them
struct FastChunkNoBarrier : DocumentRule {
    static __device__ void wait() {}
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_no_barrier, FastChunkNoBarrier)
LAYER_KERNEL(planted_fast_layer_no_barrier, FastChunkNoBarrier, 128)

// one buffer for both parts of a tile: the next part is put over one that others still read
struct FastChunkOneBuffer : DocumentRule {
    static __device__ int next_buffer(int buffer) { return buffer; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_one_buffer, FastChunkOneBuffer)

// channels past the last full part of a tile forgotten
struct FastChunkDepthTail : DocumentRule {
    static __device__ int depth(int depth) { return depth / TILE_DEPTH * TILE_DEPTH; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_channels_tail, FastChunkDepthTail)

// beta without its sigmoid
struct FastChunkNoSigmoid : DocumentRule {
    static __device__ float strength(float beta) { return beta; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_no_sigmoid, FastChunkNoSigmoid)

// gates summed up to the token before
struct FastChunkExclusive : DocumentRule {
    static __device__ bool counts(int j, int token) { return j < token; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_sums_exclusive, FastChunkExclusive)

// e^(g_i - g_j)
struct FastChunkDecaySign : DocumentRule {
    static __device__ float between(double g_i, double g_j) { return expf((float)(g_i - g_j)); }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_decay_sign, FastChunkDecaySign)

// beta of the row
struct FastChunkRowBeta : DocumentRule {
    static __device__ float row_strength(const float* beta, int i, int j) { return beta[i]; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_beta_of_row, FastChunkRowBeta)

// keys of K_cumdecay without e^g
struct FastChunkNoKeyDecay : DocumentRule {
    static __device__ float key_factor(float beta, double g) { return beta; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_no_key_decay, FastChunkNoKeyDecay)
LAYER_KERNEL(planted_fast_layer_no_key_decay, FastChunkNoKeyDecay, 128)

// (I + A)^-1
struct FastChunkSign : DocumentRule {
    static __device__ float coefficient(float a) { return -a; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_sign, FastChunkSign)

// no identity in attn_solved
struct FastChunkNoIdentity : DocumentRule {
    static __device__ float identity(int row, int col) { return 0.0f; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_no_identity, FastChunkNoIdentity)

// the last token unwritten
struct FastChunkLastToken : DocumentRule {
    static __device__ int tokens(int C) { return C - 1; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_last_token_unwritten, FastChunkLastToken)

// a chunk that is no multiple of sixteen tokens cut to one
struct FastChunkTail : DocumentRule {
    static __device__ int turns_end(int C) { return C / TURN * TURN; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_tail, FastChunkTail)
LAYER_KERNEL(planted_fast_layer_tail, FastChunkTail, 128)

// the last channel unwritten
struct FastChunkLastChannel : DocumentRule {
    static __device__ bool writes(int channel, int S) { return channel < S - 1; }
};
INTRA_CHUNK_KERNEL(planted_fast_chunk_last_channel_unwritten, FastChunkLastChannel)

// the state dropped at a chunk's beginning
struct FastLayerDropped : DocumentRule {
    static __device__ bool forgets_before(int chunk) { return chunk > 0; }
};
LAYER_KERNEL(planted_fast_layer_dropped, FastLayerDropped, 128)
STATES_SCAN_KERNEL(planted_fast_layer_scan_dropped, FastLayerDropped)

// no decay of the state
struct FastLayerNoDecay : DocumentRule {
    static __device__ float decayed(float state, float factor) { return state; }
};
LAYER_KERNEL(planted_fast_layer_no_decay, FastLayerNoDecay, 128)
STATES_SCAN_KERNEL(planted_fast_layer_scan_no_decay, FastLayerNoDecay)

// the chunk's first gate for the sum of all
struct FastLayerFirstGate : DocumentRule {
    static __device__ int last(int C) { return 0; }
};
LAYER_KERNEL(planted_fast_layer_first_gate, FastLayerFirstGate, 128)
STATES_SCAN_KERNEL(planted_fast_layer_scan_first_gate, FastLayerFirstGate)

// keys of head 0 for all
struct FastLayerFirstHead : DocumentRule {
    static __device__ int key_head(int hv, int H, int HV) { return 0; }
};
LAYER_KERNEL(planted_fast_layer_first_head, FastLayerFirstHead, 128)

// sequence 0 for all
struct FastLayerFirstSequence : DocumentRule {
    static __device__ int sequence(int b) { return 0; }
};
LAYER_KERNEL(planted_fast_layer_narrow_first_sequence, FastLayerFirstSequence, 32)
