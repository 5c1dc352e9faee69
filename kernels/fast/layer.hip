// A layer in one launch (phase 8): all chunks in order, all heads and sequences by the grid, the state in registers. Nothing but inputs
// and states is in memory. The documented pipeline takes 21 launches a chunk and head; this is one a layer, 36 for a model of 36 layers.
#pragma once
#include "document_chunk.hip"

#define LAYER_ITEMS 256
#define LAYER_KEYS 128  // rows of the state that a work-group has

// A work-group's part of the state: LAYER_KEYS key channels by VALUES value channels, a work-item 4 x 4 blocks of it.
template <int VALUES>
struct LayerShare {
    static constexpr int ACROSS = VALUES / 4 < 16 ? VALUES / 4 : 16, DOWN = LAYER_ITEMS / ACROSS;  // work-items
    static constexpr int RIGHT = VALUES / (4 * ACROSS), BELOW = LAYER_KEYS / (4 * DOWN);           // blocks of each
    static __device__ __forceinline__ int row(unsigned item) { return 4 * (item / ACROSS); }
    static __device__ __forceinline__ int col(unsigned item) { return 4 * (item % ACROSS); }

    float state[BELOW][RIGHT][4][4];

    // BODY(four numbers, place of the first, how many) of each row of a block
    template <class Rule, class Body>
    __device__ __forceinline__ void each(int row0, int col0, int S, Body body) {
        const unsigned item = own_item();
        const int i0 = row0 + row(item), j0 = col0 + col(item);
#pragma unroll
        for (int p = 0; p < BELOW; p++) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int i = i0 + 4 * DOWN * p + r;
                if (i >= S) continue;
#pragma unroll
                for (int q = 0; q < RIGHT; q++) {
                    const int j = j0 + 4 * ACROSS * q;
                    body(state[p][q][r], 4u * (i * S + j), Rule::width(S) - j);
                }
            }
        }
    }
    // += K_cumdecay V_new^T, sixteen tokens at a time: the column x of each work-item, of which `left` tokens count, goes through LDS
    template <class Rule, class Solved>
    __device__ __forceinline__ void add(Known<CHUNK_MAX>, const float*, bool, int, int, Solved&) {}
    template <class Rule, int FROM, class Solved>
    __device__ inline void add(Known<FROM>, const float* x, bool puts, int left, int C, Solved& solved) {
        if (FROM >= Rule::turns_end(C)) return;
        const unsigned item = own_item();
        const int i = row(item), j = LAYER_KEYS + col(item);
        Rule::wait();
        if (puts) {
#pragma unroll
            for (int t = 0; t < TURN; t++) solved[t][item] = t < left ? x[FROM + t] : 0.0f;
        }
        Rule::wait();
#pragma unroll 4
        for (int t = 0; t < TURN; t++) {
            float key[BELOW][4], value[RIGHT][4];
#pragma unroll
            for (int p = 0; p < BELOW; p++) four(key[p], &solved[t][i + 4 * DOWN * p]);
#pragma unroll
            for (int q = 0; q < RIGHT; q++) four(value[q], &solved[t][j + 4 * ACROSS * q]);
#pragma unroll
            for (int p = 0; p < BELOW; p++) {
#pragma unroll
                for (int q = 0; q < RIGHT; q++) {
#pragma unroll
                    for (int r = 0; r < 4; r++) {
#pragma unroll
                        for (int c = 0; c < 4; c++) state[p][q][r][c] += key[p][r] * value[q][c];
                    }
                }
            }
        }
        add<Rule>(Known<FROM + TURN>(), x, puts, held(left - TURN), held(C), solved);
    }

    template <class Rule>
    __device__ __forceinline__ void load(const float* from, int row0, int col0, int S) {
        each<Rule>(row0, col0, S, [&](float (&x)[4], unsigned place, int there) {
#pragma unroll
            for (int c = 0; c < 4; c++, place += 4) {
                if (c < there) x[c] = lane_load((SharedRow)from, place);
            }
        });
    }
    template <class Rule>
    __device__ __forceinline__ void store(float* to, int row0, int col0, int S) {
        if (S % 4 == 0) {
            each<Rule>(row0, col0, S, [&](float (&x)[4], unsigned place, int there) {
                if (there > 0) lane_store4((SharedOutRow)to, place, make_float4(x[0], x[1], x[2], x[3]));
            });
        } else {
            each<Rule>(row0, col0, S, [&](float (&x)[4], unsigned place, int there) {
#pragma unroll
                for (int c = 0; c < 4; c++, place += 4) {
                    if (c < there) lane_store((SharedOutRow)to, place, x[c]);
                }
            });
        }
    }
};

// Tensors are one behind the other: K [B, H, chunks, S, C]; V [B, HV, chunks, S, C]; G, Beta [B, HV, chunks, C]; state [B, HV, S, S], or
// null for zeros; states [B, HV, chunks, S, S], after each chunk. A work-group has a part of one head's state: parts of VALUES value
// channels share nothing but the keys' work, so that a narrower one is for when heads and sequences do not fill the card.
template <class Rule, int VALUES>
static __device__ __forceinline__ void layer_body(const float* K, const float* V, const float* G, const float* Beta,
                                                  const float* state, float* states, int B, int H, int HV, int chunks, int S, int C) {
    constexpr int KEY_GROUPS = LAYER_KEYS / GROUP, GROUPS = KEY_GROUPS + (VALUES + GROUP - 1) / GROUP;
    typedef LayerShare<VALUES> Share;
    __shared__ ChunkLds<GROUPS> lds;
    const int across = (S + VALUES - 1) / VALUES, part = blockIdx.x, hv = blockIdx.y, b = blockIdx.z;
    const int row0 = part / across * LAYER_KEYS, col0 = part % across * VALUES;
    if (row0 >= S || hv >= HV || b >= B) return;
    const long head = (long)Rule::sequence(b) * HV + hv, key_head = (long)Rule::sequence(b) * H + Rule::key_head(hv, H, HV);
    const long tokens = (long)S * C, square = (long)S * S;
    K += key_head * chunks * tokens, V += head * chunks * tokens;
    G += head * chunks * C, Beta += head * chunks * C;
    states += head * chunks * square;

    Share share;
#pragma unroll
    for (int e = 0; e < Share::BELOW * Share::RIGHT * 16; e++) (&share.state[0][0][0][0])[e] = 0.0f;
    if (state) share.template load<Rule>(state + head * square, row0, col0, S);

    const int wave = lanes_group();
    const bool keys = wave < KEY_GROUPS;
    const int first = keys ? row0 + GROUP * wave : col0 + GROUP * (wave - KEY_GROUPS);
    const bool active = wave < GROUPS && first < S;
    for (int chunk = 0; chunk < chunks; chunk++) {
        chunk_gates<Rule>(G, Beta, C, lds);
        chunk_matrix<Rule>(K, S, C, lds);
        ChunkColumns<Rule> columns;
        columns.load(Known<0>(), keys ? K : V, first, S, C, lds.factor[held(wave / KEY_GROUPS)], lds.turn[active ? wave : 0], active, TurnPlace());
        if (active) columns.solve(lds.A, held(C));

        const float factor = expf((float)lds.g[Rule::last(C)]);
#pragma unroll
        for (int e = 0; e < Share::BELOW * Share::RIGHT * 16; e++) {
            float& x = (&share.state[0][0][0][0])[e];
            x = Rule::forgets_before(chunk) ? 0.0f : Rule::decayed(x, factor);
        }
        share.template add<Rule>(Known<0>(), columns.block.x, wave < GROUPS, lanes_uniform(active ? C : 0), held(C), lds.solved);
        Rule::wait();
        share.template store<Rule>(states, held(row0), held(col0), held(S));
        K += tokens, V += tokens, G += C, Beta += C, states += square;
    }
}
// Two work-groups a compute unit have 128 registers a lane and 32 KiB each, which is enough for the part with few values.
#define LAYER_KERNEL(NAME, RULE, VALUES)                                                                                          \
    extern "C" __global__ __launch_bounds__(LAYER_ITEMS, VALUES < 64 ? 2 : 1) void NAME(                                          \
        const float* K, const float* V, const float* G, const float* Beta, const float* state, float* states, int B, int H,       \
        int HV, int chunks, int S, int C) {                                                                                       \
        layer_body<RULE, VALUES>(K, V, G, Beta, state, states, B, H, HV, chunks, S, C);                                           \
    }

// What a chunk adds to the state does not depend on the state. So where one sequence does not fill the card, the kernel above takes
// each chunk for a head of its own, that begins with zeros and has one chunk; this one then hands the states on:
// states[chunk] += states[chunk - 1] e^(the chunk's gates). A work-item an element.
template <class Rule>
static __device__ __forceinline__ void states_scan_body(const float* G, const float* state, float* states, int heads, int chunks,
                                                        int S, int C) {
    const long square = (long)S * S, element = (long)blockIdx.x * blockDim.x + threadIdx.x;
    const long head = blockIdx.y;
    if (element >= square || head >= heads) return;
    G += head * chunks * C, states += head * chunks * square;
    float before = state ? state[head * square + element] : 0.0f;
    for (int chunk = 0; chunk < chunks; chunk++) {
        double sum = 0.0;
        for (int t = 0; t <= Rule::last(C); t++) sum += G[chunk * C + t];
        float& after = states[chunk * square + element];
        if (Rule::forgets_before(chunk)) before = 0.0f;
        before = Rule::decayed(before, expf((float)sum)) + after;
        after = before;
    }
}
#define STATES_SCAN_KERNEL(NAME, RULE)                                                                                      \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* G, const float* state, float* states, int heads,    \
                                                           int chunks, int S, int C) {                                      \
        states_scan_body<RULE>(G, state, states, heads, chunks, S, C);                                                      \
    }
