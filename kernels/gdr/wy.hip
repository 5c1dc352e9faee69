// w_i = sum_j Ai_ij beta_j e^G_j k_j and u_i = sum_j Ai_ij beta_j v_j: a work-group a chunk and head, 64 columns at a time.
#pragma once
#include "../gdn/chunk_state.hip"
#include "kkt.hip"

// A wave's rows of (matrix in LDS) x (rows in memory), one column.
static __device__ __forceinline__ void gdr_store_share(const ColumnShare& share, float* column, long pitch, int tokens) {
#pragma unroll
    for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) {
        const int i = ColumnShare::row(r);
        if (i < tokens) column[i * pitch] = share.sum[r];
    }
}

template <class Rule>
static __device__ __forceinline__ void gdr_recompute_w_u_body(const float* k, const float* v, const float* beta, const float* G,
                                                              const float* Ai, float* w, float* u, int B, int T, int Hg, int H,
                                                              int K, int V, int BT) {
    __shared__ Matrix lds;
    __shared__ float of_value[GDN_MAX_CHUNK], of_key[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x % GDR_WAVE;
    if (hv >= H || b >= B || blockIdx.x * BT >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, BT);
    const int h = Rule::head(hv, Hg, H);
    stage_inverse(lds, Ai, chunk, H, hv, BT);
    for (int i = threadIdx.x; i < chunk.tokens; i += blockDim.x) {
        const long place = chunk.at(i) * H + hv;
        of_value[i] = Rule::value_factor(beta[place]);
        of_key[i] = Rule::key_factor(beta[place], G ? G[place] : 0.0f);
    }
    __syncthreads();
    ColumnShare share;
    for (int col = lane; col < V; col += GDR_WAVE) {
        const long at = (chunk.at(0) * H + hv) * V + col;
        share.zero();
        share.add(lds, v + at, (long)H * V, of_value, chunk.tokens);
        gdr_store_share(share, u + at, (long)H * V, chunk.tokens);
    }
    for (int col = lane; col < K; col += GDR_WAVE) {
        share.zero();
        share.add(lds, k + (chunk.at(0) * Hg + h) * K + col, (long)Hg * K, of_key, chunk.tokens);
        gdr_store_share(share, w + (chunk.at(0) * H + hv) * K + col, (long)H * K, chunk.tokens);
    }
}
#define GDR_RECOMPUTE_W_U_KERNEL(NAME, RULE)                                                                                 \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* k, const float* v, const float* beta,                \
                                                           const float* g_cumsum, const float* Ai, float* w, float* u, int B, \
                                                           int T, int Hg, int H, int K, int V, int BT) {                     \
        gdr_recompute_w_u_body<RULE>(k, v, beta, g_cumsum, Ai, w, u, B, T, Hg, H, K, V, BT);                                 \
    }
