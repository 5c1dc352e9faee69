// The steps of the chunk pipeline for chunks of any length: plain kernels for chunks that the 64 x 64 matrices of chunk.hip do not hold.
// A work-group has the row of one token.
#pragma once
#include "chunk.hip"

// The token of a work-group's row: its chunk, and its place in it.
struct LongRow {
    Chunk chunk;
    int chunk_index, i;
};
static __device__ inline LongRow gdn_long_row(int token, int b, int T, int C) {
    const int chunk = token / C;
    return {gdn_chunk(chunk, b, T, C), chunk, token % C};
}

// L_ij = beta_i <k_i, k_j> e^(G_i - G_j) for j < i, else 0
template <class Rule>
static __device__ __forceinline__ void long_l_body(const float* k, const float* beta, const double* G, float* L, int B, int T, int H,
                                                   int HV, int K, int C, int head_map) {
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= HV || b >= B || blockIdx.x >= T) return;
    const LongRow row = gdn_long_row(blockIdx.x, b, T, C);
    const int h = Rule::head(hv, H, HV, head_map);
    const long own = row.chunk.at(row.i);
    for (int j = threadIdx.x; j < C; j += blockDim.x) {
        if (!Rule::writes_l(row.i, j)) continue;
        float l = 0.0f;
        if (j < row.i) {
            const long other = row.chunk.at(j);
            float product = 0.0f;
            for (int c = 0; c < K; c++) product += k[(own * H + h) * K + c] * k[(other * H + h) * K + c];
            const float pair[2] = {beta[other * HV + hv], beta[own * HV + hv]};
            l = Rule::row_beta(pair, 1, 0) * product * Rule::between(G[own * HV + hv], G[other * HV + hv]);
        }
        L[(own * HV + hv) * C + j] = l;
    }
}
#define LONG_L_KERNEL(NAME, RULE)                                                                                      \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* k, const float* beta, const double* G, float* L, \
                                                           int B, int T, int H, int HV, int K, int C, int head_map) {  \
        long_l_body<RULE>(k, beta, G, L, B, T, H, HV, K, C, head_map);                                                 \
    }

// Ai = (I + L)^-1 by forward substitution: a work-group has a chunk and head, a work-item columns of the inverse, of which it reads back
// what it has written.
template <class Rule>
static __device__ __forceinline__ void long_solve_body(const float* L, float* Ai, int B, int T, int HV, int C) {
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    for (int col = threadIdx.x; col < C; col += blockDim.x) {
        for (int i = 0; i < chunk.tokens; i++) {
            const float* row = L + (chunk.at(i) * HV + hv) * C;
            // N[i][col] = -(L[i][col] + sum_{col < j < i} L[i][j] N[j][col])
            float sum = col < i ? Rule::lower(row[col]) : 0.0f;
            for (int j = col + 1; j < i; j++) sum += Rule::lower(row[j]) * Ai[(chunk.at(j) * HV + hv) * C + col];
            Ai[(chunk.at(i) * HV + hv) * C + col] = -sum;
        }
        if (col < chunk.tokens) Ai[(chunk.at(col) * HV + hv) * C + col] += Rule::diagonal();
    }
}
#define LONG_SOLVE_KERNEL(NAME, RULE)                                                                               \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* L, float* Ai, int B, int T, int HV, int C) { \
        long_solve_body<RULE>(L, Ai, B, T, HV, C);                                                                  \
    }

// u_i = sum_j Ai_ij beta_j v_j and w_i = sum_j Ai_ij beta_j e^G_j k_j
template <class Rule>
static __device__ __forceinline__ void long_uw_body(const float* k, const float* v, const float* beta, const double* G, const float* Ai,
                                                    float* u, float* w, int B, int T, int H, int HV, int K, int V, int C, int head_map) {
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= HV || b >= B || blockIdx.x >= T) return;
    const LongRow row = gdn_long_row(blockIdx.x, b, T, C);
    const int h = Rule::head(hv, H, HV, head_map);
    const long own = row.chunk.at(row.i) * HV + hv;
    for (int col = threadIdx.x; col < V; col += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j <= row.i; j++) {
            const long other = row.chunk.at(j) * HV + hv;
            sum += Ai[own * C + j] * (Rule::value_factor(beta[other]) * v[other * V + col]);
        }
        u[own * V + col] = sum;
    }
    for (int col = threadIdx.x; col < K; col += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j <= row.i; j++) {
            const long other = row.chunk.at(j);
            sum += Ai[own * C + j] * (Rule::key_factor(beta[other * HV + hv], G[other * HV + hv]) * k[(other * H + h) * K + col]);
        }
        w[own * K + col] = sum;
    }
}
#define LONG_UW_KERNEL(NAME, RULE)                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                     \
        const float* k, const float* v, const float* beta, const double* G, const float* Ai, float* u, float* w, int B, int T,  \
        int H, int HV, int K, int V, int C, int head_map) {                                                                     \
        long_uw_body<RULE>(k, v, beta, G, Ai, u, w, B, T, H, HV, K, V, C, head_map);                                            \
    }

#define LONG_SCORES 256  // tokens whose products with q are in LDS at a time

// o_i = scale (e^G_i q_i h + sum_{j <= i} <q_i, k_j> e^(G_i - G_j) vn_j), 256 columns at a time
template <class Rule>
static __device__ __forceinline__ void long_outputs_body(const float* q, const float* k, const float* vn, const double* G, const float* h,
                                                         float* o, int B, int T, int H, int HV, int K, int V, int C, float scale,
                                                         int head_map) {
    __shared__ float scores[LONG_SCORES];
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= HV || b >= B || blockIdx.x >= T) return;
    const LongRow row = gdn_long_row(blockIdx.x, b, T, C);
    const int head = Rule::head(hv, H, HV, head_map), chunks = (T + C - 1) / C;
    const long own = row.chunk.at(row.i);
    const float* query = q + (own * H + head) * K;
    const double G_i = G[own * HV + hv];
    const float* state = h + (((long)b * chunks + row.chunk_index) * HV + hv) * K * V;
    for (int first = 0; first < V; first += blockDim.x) {
        const int col = first + threadIdx.x;
        const bool mine = col < V;
        float sum = 0.0f;
        for (int c = 0; mine && c < K; c++) sum += expf((float)G_i) * query[c] * state[(long)c * V + col];
        for (int from = 0; from <= row.i; from += LONG_SCORES) {
            __syncthreads();  // the scores before are done with
            for (int j = from + threadIdx.x; j < from + LONG_SCORES && j <= row.i; j += blockDim.x) {
                float score = 0.0f;
                if (Rule::seen(row.i, j)) {
                    const long other = row.chunk.at(j);
                    for (int c = 0; c < K; c++) score += query[c] * k[(other * H + head) * K + c];
                    score *= Rule::between(G_i, G[other * HV + hv]);
                }
                scores[j - from] = score;
            }
            __syncthreads();
            const int left = row.i + 1 - from, count = left < LONG_SCORES ? left : LONG_SCORES;
            for (int j = 0; mine && j < count; j++) sum += scores[j] * vn[(row.chunk.at(from + j) * HV + hv) * V + col];
        }
        if (mine && Rule::writes(col)) o[(own * HV + hv) * V + col] = Rule::scale(scale) * sum;
    }
}
#define LONG_OUTPUTS_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                               \
        const float* q, const float* k, const float* vn, const double* G, const float* h, float* o, int B, int T, int H,   \
        int HV, int K, int V, int C, float scale, int head_map) {                                                         \
        long_outputs_body<RULE>(q, k, vn, G, h, o, B, T, H, HV, K, V, C, scale, head_map);                                \
    }
