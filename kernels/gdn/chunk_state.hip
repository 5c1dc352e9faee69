// The chunk pipeline after (I + L)^-1: u and w, the states at the chunks' starts, the outputs.
#pragma once
#include "chunk.hip"

// The rows of Ai of a chunk into LDS, with zeros past its end.
static __device__ inline void stage_inverse(Matrix& lds, const float* Ai, const Chunk& chunk, int HV, int hv, int C) {
    for (int e = threadIdx.x; e < GDN_MAX_CHUNK * GDN_MAX_CHUNK; e += blockDim.x) {
        int i = e / GDN_MAX_CHUNK, j = e % GDN_MAX_CHUNK;
        bool there = i < chunk.tokens && j < C;
        lds.m[i][j] = there ? Ai[(chunk.at(i) * HV + hv) * C + j] : 0.0f;
    }
}

// u_i = sum_j Ai_ij beta_j v_j and w_i = sum_j Ai_ij beta_j e^G_j k_j, 64 columns at a time
template <class Rule>
static __device__ __forceinline__ void uw_body(const float* k, const float* v, const float* beta, const double* G,
                                               const float* Ai, float* u, float* w, int B, int T, int H, int HV, int K, int V,
                                               int C, int head_map) {
    __shared__ Matrix lds;
    __shared__ float of_value[GDN_MAX_CHUNK], of_key[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x % 64;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    const int h = Rule::head(hv, H, HV, head_map);
    stage_inverse(lds, Ai, chunk, HV, hv, C);
    for (int i = threadIdx.x; i < chunk.tokens; i += blockDim.x) {
        const long place = chunk.at(i) * HV + hv;
        of_value[i] = Rule::value_factor(beta[place]);
        of_key[i] = Rule::key_factor(beta[place], G[place]);
    }
    __syncthreads();
    ColumnShare share;
    for (int col = lane; col < V; col += 64) {
        share.zero();
        share.add(lds, v + (chunk.at(0) * HV + hv) * V + col, (long)HV * V, of_value, chunk.tokens);
#pragma unroll
        for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) {
            const int i = ColumnShare::row(r);
            if (i < chunk.tokens) u[(chunk.at(i) * HV + hv) * V + col] = share.sum[r];
        }
    }
    for (int col = lane; col < K; col += 64) {
        share.zero();
        share.add(lds, k + (chunk.at(0) * H + h) * K + col, (long)H * K, of_key, chunk.tokens);
#pragma unroll
        for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) {
            const int i = ColumnShare::row(r);
            if (i < chunk.tokens) w[(chunk.at(i) * HV + hv) * K + col] = share.sum[r];
        }
    }
}
#define UW_KERNEL(NAME, RULE)                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                \
        const float* k, const float* v, const float* beta, const double* G, const float* Ai, float* u, float* w, int B, int T, \
        int H, int HV, int K, int V, int C, int head_map) {                                                                \
        uw_body<RULE>(k, v, beta, G, Ai, u, w, B, T, H, HV, K, V, C, head_map);                                            \
    }

// A launch of the states: one work-group a value head and sequence, one work-item a value column, chunk after chunk.
struct States {
    const float *k, *u, *w;
    const double* G;
    const float* initial;
    float *h, *vn, *final;
    int B, T, H, HV, K, V, C, head_map, state_layout;
};

// vn_i = u_i - w_i h; then h <- e^G_last h + sum_i e^(G_last - G_i) k_i vn_i
template <class Rule, int BOUND>
static __device__ __forceinline__ void states_sequence(const States& x, float* vector) {
    const int hv = blockIdx.x, last = blockIdx.y, col = threadIdx.x;
    const int head = Rule::head(hv, x.H, x.HV, x.head_map);
    const int first = Rule::first_sequence(last);
    const bool mine = col < x.V;
    const int chunks = (x.T + x.C - 1) / x.C;
    const long size = (long)x.K * x.V;

    StateColumn<BOUND> state;
    state.zero();
    if (x.initial && mine) {
        state.load(x.initial + ((long)first * x.HV + hv) * size, gdn_column(col, x.K, x.V, Rule::initial_layout(x.state_layout)), x.K);
    }
    for (int at = first * chunks; at < (last + 1) * chunks; at++) {
        const int b = at / chunks, c = at % chunks;
        const Chunk chunk = gdn_chunk(c, b, x.T, x.C);
        if (Rule::forgets_before(c)) state.zero();
        if (mine) {
            state.store(x.h + ((long)at * x.HV + hv) * size, gdn_column(col, x.K, x.V, STATE_KEY_MAJOR), x.K);
        }
        for (int i = 0; i < chunk.tokens; i++) {
            const long value = chunk.at(i) * x.HV + hv;
            __syncthreads();
            gdn_stage(vector, x.w + value * x.K, x.K, BOUND);
            __syncthreads();
            const float wh = state.read(vector);
            if (mine) x.vn[value * x.V + col] = Rule::corrected(x.u[value * x.V + col], wh);
        }
        const double G_last = Rule::last_gate(x.G[chunk.at(chunk.tokens - 1) * x.HV + hv], chunk.tokens, x.C);
        state.decay(expf((float)G_last));
        for (int i = 0; i < chunk.tokens; i++) {
            const long value = chunk.at(i) * x.HV + hv;
            __syncthreads();
            if (Rule::writes_with_w) gdn_stage(vector, x.w + value * x.K, x.K, BOUND);
            else gdn_stage(vector, x.k + (chunk.at(i) * x.H + head) * x.K, x.K, BOUND);
            __syncthreads();
            const float vn = mine ? x.vn[value * x.V + col] : 0.0f;
            state.write(vector, Rule::between(G_last, x.G[value]) * vn);
        }
    }
    if (x.final && mine) {
        state.store(x.final + ((long)last * x.HV + hv) * size, gdn_column(col, x.K, x.V, Rule::final_layout(x.state_layout)), x.K);
    }
}

template <class Rule>
static __device__ __forceinline__ void states_body(const States& x) {
    __shared__ __align__(16) float vector[GDN_MAX_K];
    if (blockIdx.x >= x.HV || blockIdx.y >= x.B) return;
#define BODY(BOUND) states_sequence<Rule, BOUND>(x, vector)
    GDN_WITH_BOUND(x.K, BODY);
#undef BODY
}
#define STATES_KERNEL(NAME, RULE)                                                                                       \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                             \
        const float* k, const float* u, const float* w, const double* G, const float* initial, float* h, float* vn,      \
        float* final, int B, int T, int H, int HV, int K, int V, int C, int head_map, int state_layout) {               \
        states_body<RULE>({k, u, w, G, initial, h, vn, final, B, T, H, HV, K, V, C, head_map, state_layout});           \
    }

// o_i = scale (e^G_i q_i h + sum_{j <= i} <q_i, k_j> e^(G_i - G_j) vn_j), 64 columns at a time
template <class Rule>
static __device__ __forceinline__ void outputs_body(const float* q, const float* k, const float* vn, const double* G,
                                                    const float* h, float* o, int B, int T, int H, int HV, int K, int V, int C,
                                                    float scale, int head_map) {
    __shared__ Strips strips;
    __shared__ Matrix lds;
    __shared__ double sh_G[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x % 64;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    const int head = Rule::head(hv, H, HV, head_map), chunks = (T + C - 1) / C;
    const float* q_rows = q + (chunk.at(0) * H + head) * K;
    const float* k_rows = k + (chunk.at(0) * H + head) * K;
    for (int i = threadIdx.x; i < chunk.tokens; i += blockDim.x) sh_G[i] = G[chunk.at(i) * HV + hv];
    float product[4][4];
    pair_products(product, q_rows, k_rows, (long)H * K, chunk.tokens, K, strips);

    for (int tile = 0; tile < V; tile += 64) {
        const int col = tile + lane;
        const int safe = col < V ? col : V - 1;  // the whole wave works on, so that barriers are met by all
        ColumnShare share;
        share.zero();
        // e^G_i q_i h, 64 key channels at a time
        for (int from = 0; from < K; from += GDN_MAX_CHUNK) {
            const int channels = K - from < GDN_MAX_CHUNK ? K - from : GDN_MAX_CHUNK;
            __syncthreads();
            for (int e = threadIdx.x; e < GDN_MAX_CHUNK * GDN_MAX_CHUNK; e += blockDim.x) {
                int i = e / GDN_MAX_CHUNK, j = e % GDN_MAX_CHUNK;
                bool there = i < chunk.tokens && j < channels;
                lds.m[i][j] = there ? expf((float)sh_G[i]) * q_rows[(long)i * H * K + from + j] : 0.0f;
            }
            __syncthreads();
            const float* state = h + (((long)b * chunks + blockIdx.x) * HV + hv) * K * V;
            share.add(lds, state + (long)from * V + safe, V, nullptr, channels);
        }
        // the chunk's own tokens
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int i = share_row(r), j = share_col(c);
                const bool seen = i < chunk.tokens && j < chunk.tokens && Rule::seen(i, j);
                lds.m[i][j] = seen ? product[r][c] * Rule::between(sh_G[i], sh_G[j]) : 0.0f;
            }
        }
        __syncthreads();
        share.add(lds, vn + (chunk.at(0) * HV + hv) * V + safe, (long)HV * V, nullptr, chunk.tokens);
#pragma unroll
        for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) {
            const int i = ColumnShare::row(r);
            if (i < chunk.tokens && col < V && Rule::writes(col)) {
                o[(chunk.at(i) * HV + hv) * V + col] = Rule::scale(scale) * share.sum[r];
            }
        }
    }
}
#define OUTPUTS_KERNEL(NAME, RULE)                                                                                       \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                              \
        const float* q, const float* k, const float* vn, const double* G, const float* h, float* o, int B, int T, int H,  \
        int HV, int K, int V, int C, float scale, int head_map) {                                                        \
        outputs_body<RULE>(q, k, vn, G, h, o, B, T, H, HV, K, V, C, scale, head_map);                                    \
    }
