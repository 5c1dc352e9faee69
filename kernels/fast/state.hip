// What the document does with a state (phase 7), a launch each: scale, product and sum of the update; exponential, both products and
// sum of the output. A work-group has 64 x 64 elements of the result.
#pragma once
#include "tile.hip"

// Points where the wrong variants in planted/ differ.
struct StateRule : TileRule {
    static __device__ float updated(float state, float factor, float sum) { return state * factor + sum; }
    static __device__ float decay(float g) { return expf(g); }
    static __device__ int attention_depth(int C) { return C; }
    static __device__ bool writes(int col, int width) { return col < width; }
};

// state_out = state * factor + K_cumdecay V_new^T
template <class Rule>
static __device__ __forceinline__ void state_update_body(const float* state, const float* K_cumdecay, const float* V_new,
                                                         float* state_out, int S, int C, float factor) {
    __shared__ TileLds<TILE_PITCH> lds;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    if (row0 >= S || col0 >= S) return;
    const unsigned item = threadIdx.x;
    float sum[4][4] = {};
    const Operand<true> keys = {K_cumdecay + (long)row0 * C, C, S - row0, C};
    const Operand<true> values = {V_new + (long)col0 * C, C, S - col0, C};
    tile_product<Rule>(sum, keys, values, lds);
    if (item >= TILE_ITEMS) return;
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const int row = row0 + 4 * tile_y(item) + r, col = col0 + 4 * tile_x(item) + c;
            if (row < S && Rule::writes(col, S)) {
                const long place = (long)row * S + col;
                state_out[place] = Rule::updated(state[place], factor, sum[r][c]);
            }
        }
    }
}
#define STATE_UPDATE_KERNEL(NAME, RULE)                                                                                     \
    extern "C" __global__ __launch_bounds__(512) void NAME(const float* state, const float* K_cumdecay, const float* V_new, \
                                                           float* state_out, int S, int C, float factor) {                  \
        state_update_body<RULE>(state, K_cumdecay, V_new, state_out, S, C, factor);                                         \
    }

// output = (Q e^g_cumsum) by the state, and V_new attn^T. e^g stands behind the sum over channels: one factor a token.
template <class Rule>
static __device__ __forceinline__ void output_body(const float* Q, const float* g_cumsum, const float* state, const float* attn,
                                                   const float* V_new, float* output, int S, int C) {
    __shared__ TileLds<TILE_PITCH> lds;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    if (row0 >= S || col0 >= C) return;
    const unsigned item = threadIdx.x;
    float sum[4][4] = {};
    const Operand<true> states = {state + (long)row0 * S, S, S - row0, S};
    const Operand<false> queries = {Q + col0, C, C - col0, S};
    tile_product<Rule>(sum, states, queries, lds);
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const int token = col0 + 4 * tile_x(item) + c;
        const float decay = token < C ? Rule::decay(g_cumsum[token]) : 0.0f;
#pragma unroll
        for (int r = 0; r < 4; r++) sum[r][c] *= decay;
    }
    const int depth = Rule::attention_depth(C);
    const Operand<true> values = {V_new + (long)row0 * C, C, S - row0, depth};
    const Operand<true> attention = {attn + (long)col0 * C, C, C - col0, depth};
    tile_product<Rule>(sum, values, attention, lds);
    if (item >= TILE_ITEMS) return;
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const int row = row0 + 4 * tile_y(item) + r, col = col0 + 4 * tile_x(item) + c;
            if (row < S && Rule::writes(col, C)) output[(long)row * C + col] = sum[r][c];
        }
    }
}
#define OUTPUT_KERNEL(NAME, RULE)                                                                                             \
    extern "C" __global__ __launch_bounds__(512) void NAME(const float* Q, const float* g_cumsum, const float* state,         \
                                                           const float* attn, const float* V_new, float* output, int S, int C) { \
        output_body<RULE>(Q, g_cumsum, state, attn, V_new, output, S, C);                                                     \
    }
