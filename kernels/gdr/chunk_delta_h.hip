// The state from chunk to chunk: one work-group a head and sequence, one work-item a value column, its state in registers. Rows of w and of
// k pass through LDS eight tokens at a time.
#pragma once
#include "kkt.hip"
#include "state.hip"

#define GDR_TILE 8

struct GdrChunkStates {
    const float *k, *w, *u, *G, *h0;  // G and h0 may be null: no gates, zeros
    float *h, *v_new, *ht;            // ht may be null: not wanted
    int B, T, Hg, H, K, V, BT;
};

// Rows first .. first + count of a matrix whose rows are `pitch` apart into LDS, with zeros up to `bound`.
static __device__ __forceinline__ void gdr_stage_rows(float (*lds)[GDN_MAX_K], const float* rows, long pitch, int count, int K, int bound) {
    __syncthreads();  // the last rows are done with
    for (int e = threadIdx.x; e < count * bound; e += blockDim.x) {
        const int row = e / bound, j = e % bound;
        lds[row][j] = j < K ? rows[row * pitch + j] : 0.0f;
    }
    __syncthreads();
}

template <class Rule, int BOUND>
static __device__ __forceinline__ void gdr_chunk_states(const GdrChunkStates& x, float (*lds)[GDN_MAX_K]) {
    const int hv = blockIdx.x, b = blockIdx.y, col = threadIdx.x;
    const int head = Rule::head(hv, x.Hg, x.H);
    const bool mine = col < x.V;
    const int chunks = (x.T + x.BT - 1) / x.BT;
    const long size = (long)x.K * x.V, of_sequence = ((long)b * x.H + hv) * size;

    StateColumn<BOUND> state;
    state.zero();
    if (x.h0 && mine && Rule::takes_initial()) {
        state.load(x.h0 + of_sequence, gdn_column(col, x.K, x.V, Rule::initial_layout()), x.K);
    }
    for (int c = 0; c < chunks; c++) {
        const Chunk chunk = gdn_chunk(c, b, x.T, x.BT);
        float* h = x.h + (((long)b * chunks + c) * x.H + hv) * size;
        if (Rule::forgets_before(c)) state.zero();
        if (mine && !Rule::state_at_end) state.store(h, gdn_column(col, x.K, x.V, STATE_KEY_MAJOR), x.K);
        for (int from = 0; from < chunk.tokens; from += GDR_TILE) {
            const int count = chunk.tokens - from < GDR_TILE ? chunk.tokens - from : GDR_TILE;
            gdr_stage_rows(lds, x.w + (chunk.at(from) * x.H + hv) * x.K, (long)x.H * x.K, count, x.K, BOUND);
            for (int i = 0; i < count; i++) {
                const float read = state.read(lds[i]);
                const long value = (chunk.at(from + i) * x.H + hv) * x.V + col;
                if (mine) x.v_new[value] = Rule::corrected(x.u[value], read);
            }
        }
        const long last = chunk.at(chunk.tokens - 1) * x.H + hv;
        const float G_last = x.G ? Rule::last_gate(x.G[last], chunk.tokens, x.BT) : 0.0f;
        if (x.G) state.decay(Rule::forgotten(G_last));
        for (int from = 0; from < chunk.tokens; from += GDR_TILE) {
            const int count = chunk.tokens - from < GDR_TILE ? chunk.tokens - from : GDR_TILE;
            gdr_stage_rows(lds, x.k + (chunk.at(from) * x.Hg + head) * x.K, (long)x.Hg * x.K, count, x.K, BOUND);
            for (int i = 0; i < count; i++) {
                const long scalar = chunk.at(from + i) * x.H + hv;
                const float v_new = mine ? x.v_new[scalar * x.V + col] : 0.0f;
                state.write(lds[i], x.G ? Rule::to_end(G_last, x.G[scalar]) * v_new : v_new);
            }
        }
        if (mine && Rule::state_at_end) state.store(h, gdn_column(col, x.K, x.V, STATE_KEY_MAJOR), x.K);
    }
    if (x.ht && mine && Rule::writes_final) state.store(x.ht + of_sequence, gdn_column(col, x.K, x.V, Rule::final_layout()), x.K);
}

template <class Rule>
static __device__ __forceinline__ void gdr_chunk_delta_h_body(const GdrChunkStates& x) {
    __shared__ __align__(16) float lds[GDR_TILE][GDN_MAX_K];
    if (blockIdx.x >= x.H || blockIdx.y >= x.B) return;
#define BODY(BOUND) gdr_chunk_states<Rule, BOUND>(x, lds)
    GDN_WITH_BOUND(x.K, BODY);
#undef BODY
}
#define GDR_CHUNK_DELTA_H_KERNEL(NAME, RULE)                                                                                \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const float* k, const float* w, const float* u, const float* g_cumsum, const float* h0, float* h, float* v_new,     \
        float* ht, int B, int T, int Hg, int H, int K, int V, int BT) {                                                     \
        gdr_chunk_delta_h_body<RULE>({k, w, u, g_cumsum, h0, h, v_new, ht, B, T, Hg, H, K, V, BT});                         \
    }
