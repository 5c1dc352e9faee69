// o_i = scale (e^G_i q_i h + sum_{j <= i} <q_i, k_j> safe_exp(G_i - G_j) v_new_j): a work-group a chunk and head, 64 columns at a time.
#pragma once
#include "kkt.hip"

struct GdrChunkOutputs {
    const float *q, *k, *v_new, *h, *G;  // G may be null: no gates
    float* o;
    int B, T, Hg, H, K, V, BT;
    float scale;
};

template <class Rule>
static __device__ __forceinline__ void gdr_chunk_o_body(const GdrChunkOutputs& x) {
    __shared__ Strips strips;
    __shared__ Matrix lds;
    __shared__ float sh_G[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x % GDR_WAVE;
    if (hv >= x.H || b >= x.B || blockIdx.x * x.BT >= x.T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, x.T, x.BT);
    const int head = Rule::head(hv, x.Hg, x.H), chunks = (x.T + x.BT - 1) / x.BT;
    const long key = (chunk.at(0) * x.Hg + head) * x.K, key_pitch = (long)x.Hg * x.K;
    const long at = ((long)b * chunks + Rule::chunk_of_h(blockIdx.x)) * x.H + hv;
    const float* state = x.h + at * x.K * x.V;
    for (int i = threadIdx.x; i < chunk.tokens; i += blockDim.x) sh_G[i] = x.G ? x.G[chunk.at(i) * x.H + hv] : 0.0f;
    float product[4][4];
    pair_products(product, x.q + key, x.k + key, key_pitch, chunk.tokens, x.K, strips);

    for (int tile = 0; tile < x.V; tile += GDR_WAVE) {
        const int col = tile + lane;
        const int safe = col < x.V ? col : x.V - 1;  // the whole wave works on, so that all meet at the barriers
        ColumnShare share;
        share.zero();
        for (int from = 0; from < x.K; from += GDN_MAX_CHUNK) {
            const int channels = x.K - from < GDN_MAX_CHUNK ? x.K - from : GDN_MAX_CHUNK;
            __syncthreads();
            for (int e = threadIdx.x; e < GDN_MAX_CHUNK * GDN_MAX_CHUNK; e += blockDim.x) {
                const int i = e / GDN_MAX_CHUNK, j = e % GDN_MAX_CHUNK;
                const bool there = i < chunk.tokens && j < channels;
                lds.m[i][j] = there ? Rule::from_start(sh_G[i]) * x.q[key + i * key_pitch + from + j] : 0.0f;
            }
            __syncthreads();
            share.add(lds, state + (long)from * x.V + safe, x.V, nullptr, channels);
        }
        // the chunk's own tokens
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int i = share_row(r), j = share_col(c);
                const bool seen = i < chunk.tokens && j < chunk.tokens && Rule::seen(i, j);
                lds.m[i][j] = seen ? product[r][c] * Rule::safe_exp(Rule::between(sh_G[i] - sh_G[j])) : 0.0f;
            }
        }
        __syncthreads();
        share.add(lds, x.v_new + (chunk.at(0) * x.H + hv) * x.V + safe, (long)x.H * x.V, nullptr, chunk.tokens);
#pragma unroll
        for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) {
            const int i = ColumnShare::row(r);
            if (i < chunk.tokens && col < x.V && Rule::writes(col)) {
                x.o[(chunk.at(i) * x.H + hv) * x.V + col] = Rule::scale(x.scale) * share.sum[r];
            }
        }
    }
}
#define GDR_CHUNK_O_KERNEL(NAME, RULE)                                                                                      \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* q, const float* k, const float* v_new, const float* h, \
                                                           const float* g_cumsum, float* o, int B, int T, int Hg, int H,   \
                                                           int K, int V, int BT, float scale) {                            \
        gdr_chunk_o_body<RULE>({q, k, v_new, h, g_cumsum, o, B, T, Hg, H, K, V, BT, scale});                               \
    }
