// The chunk pipeline up to (I + L)^-1: cumulated gates, L, solve.
#pragma once
#include "chunk.hip"

// G[i] = log gates of the chunk's tokens up to i: one wave a chunk and head, a scan by doubling distance for each 64 tokens.
template <class Rule>
static __device__ __forceinline__ void cumsum_body(const float* g, double* G, int B, int T, int HV, int C, int gate_kind) {
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    double carry = 0.0;
    for (int begin = 0; begin < chunk.tokens; begin += 64) {
        const int i = begin + lane;
        const bool mine = i < chunk.tokens;
        const long place = chunk.at(i) * HV + hv;
        double sum = mine ? Rule::log_gate(g[place], gate_kind) : 0.0;
#pragma unroll
        for (int distance = 1; distance < Rule::scan_end; distance *= 2) {
            double before = __shfl_up(sum, distance);
            if (lane >= distance) sum += before;
        }
        if (mine && Rule::writes_gate(chunk.at(i) - (long)b * T, T)) G[place] = Rule::sum(carry + sum);
        carry = Rule::carried(carry, __shfl(sum, 63));
    }
}
#define CUMSUM_KERNEL(NAME, RULE)                                                                      \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* g, double* G, int B, int T, int HV, int C, \
                                                          int gate_kind) {                             \
        cumsum_body<RULE>(g, G, B, T, HV, C, gate_kind);                                               \
    }

// L_ij = beta_i <k_i, k_j> e^(G_i - G_j) for j < i, else 0. Above the diagonal the exponent is positive and its
// exponential may be inf, so it is never taken there.
template <class Rule>
static __device__ __forceinline__ void l_body(const float* k, const float* beta, const double* G, float* L, int B, int T, int H,
                                              int HV, int K, int C, int head_map) {
    __shared__ Strips lds;
    __shared__ double sh_G[GDN_MAX_CHUNK];
    __shared__ float sh_beta[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    const int h = Rule::head(hv, H, HV, head_map);
    for (int i = threadIdx.x; i < chunk.tokens; i += blockDim.x) {
        sh_G[i] = G[chunk.at(i) * HV + hv];
        sh_beta[i] = beta[chunk.at(i) * HV + hv];
    }
    const float* rows = k + (chunk.at(0) * H + h) * K;
    float product[4][4];
    pair_products(product, rows, rows, (long)H * K, chunk.tokens, K, lds);
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const int i = share_row(r), j = share_col(c);
            if (i >= chunk.tokens || j >= C || !Rule::writes_l(i, j)) continue;
            float l = 0.0f;
            if (j < i) l = Rule::row_beta(sh_beta, i, j) * product[r][c] * Rule::between(sh_G[i], sh_G[j]);
            L[(chunk.at(i) * HV + hv) * C + j] = l;
        }
    }
}
#define L_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* k, const float* beta, const double* G, float* L, \
                                                           int B, int T, int H, int HV, int K, int C, int head_map) { \
        l_body<RULE>(k, beta, G, L, B, T, H, HV, K, C, head_map);                                                     \
    }

// Ai = (I + L)^-1 by forward substitution: one wave a chunk and head, a column of the inverse each work-item. N = Ai - I is
// strictly lower; the identity is added once, at the end.
template <class Rule>
static __device__ __forceinline__ void solve_body(const float* L, float* Ai, int B, int T, int HV, int C) {
    __shared__ Matrix lower, inverse;
    const int hv = blockIdx.y, b = blockIdx.z, col = threadIdx.x;
    if (hv >= HV || b >= B || blockIdx.x * C >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, C);
    if (col < C) {
        for (int i = 0; i < chunk.tokens; i++) lower.m[i][col] = Rule::lower(L[(chunk.at(i) * HV + hv) * C + col]);
    }
    __syncthreads();
    if (col >= C) return;
    for (int i = 0; i < chunk.tokens; i++) {
        // N[i][col] = -(L[i][col] + sum_{j < i} L[i][j] N[j][col]), and N[j][col] is 0 for j <= col
        float sum = lower.m[i][col];
#pragma unroll 4
        for (int j = 0; j < i; j++) sum += lower.m[i][j] * inverse.m[j][col];
        inverse.m[i][col] = col < i ? -sum : 0.0f;
    }
    for (int i = 0; i < chunk.tokens; i++) {
        Ai[(chunk.at(i) * HV + hv) * C + col] = inverse.m[i][col] + (i == col ? Rule::diagonal() : 0.0f);
    }
}
#define SOLVE_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* L, float* Ai, int B, int T, int HV, int C) { \
        solve_body<RULE>(L, Ai, B, T, HV, C);                                                                      \
    }
