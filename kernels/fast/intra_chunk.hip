// A chunk in one launch (phase 6): sigmoid, sums, decay, products, solve, identity and both products with attn_solved.
#pragma once
#include "document_chunk.hip"

#define INTRA_GROUPS 5  // waves that solve: of S = 128 the identity, two of V, two of K

// One chunk of one sequence and head a work-group: chunk blockIdx.x of `chunks`, all tensors one behind the other. S is any, C at most 64.
template <class Rule>
static __device__ __forceinline__ void intra_chunk_body(const float* K, const float* V, const float* G, const float* Beta,
                                                        float* attn_solved, float* V_new, float* K_cumdecay, int chunks, int S, int C) {
    __shared__ ChunkLds<INTRA_GROUPS> lds;
    const long chunk = blockIdx.x;
    if (chunk >= chunks) return;
    K += chunk * S * C, V += chunk * S * C, V_new += chunk * S * C, K_cumdecay += chunk * S * C;
    chunk_gates<Rule>(G + chunk * C, Beta + chunk * C, C, lds);
    chunk_matrix<Rule>(K, S, C, lds);

    // groups of columns: the identity's first, then those of V, then those of K
    const int lane = lanes_in_group(), wave = lanes_group(), of_each = (S + GROUP - 1) / GROUP;
    const int waves = blockDim.x / GROUP < INTRA_GROUPS ? blockDim.x / GROUP : INTRA_GROUPS;
    for (int base = 0; base < 1 + 2 * of_each; base += waves) {
        const int group = base + wave;
        const bool active = wave < waves && group < 1 + 2 * of_each, identity = group == 0, keys = group > of_each;
        const int first = GROUP * (keys ? group - 1 - of_each : group - 1);
        float (*turn)[TURN_PITCH] = lds.turn[active ? wave : 0];
        ChunkColumns<Rule> columns;
        columns.load(Known<0>(), keys ? K : V, first, S, C, lds.factor[keys ? OF_KEYS : OF_VALUES], turn, active && !identity, TurnPlace());
        if (identity) {
            int column = lane;
            settled(column);
            IdentityColumn<Rule> unit = {column};
            columns.block.load(Known<0>(), unit, 0, held(C));
        }
        if (active) columns.solve(lds.A, held(C));
        columns.store(Known<0>(), keys ? K_cumdecay : V_new, first, S, C, turn, active && !identity, TurnPlace());
        if (identity && lane < C) {
            unsigned bytes = 4u * lane;
            columns.block.store(Known<0>(), (SharedOutRow)(attn_solved + chunk * C * C), C, bytes, held(C));
        }
    }
}
#define INTRA_CHUNK_KERNEL(NAME, RULE)                                                                                           \
    extern "C" __global__ __launch_bounds__(64 * INTRA_GROUPS) void NAME(const float* K, const float* V, const float* G, const float* Beta,    \
                                                           float* attn_solved, float* V_new, float* K_cumdecay, int chunks, int S, \
                                                           int C) {                                                              \
        intra_chunk_body<RULE>(K, V, G, Beta, attn_solved, V_new, K_cumdecay, chunks, S, C);                                     \
    }
