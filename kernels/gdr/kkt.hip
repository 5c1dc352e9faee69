// The chunk operators up to L: chunk-local sums of gates, beta_i <k_i, k_j> safe_exp(G_i - G_j), and both in one launch.
#pragma once
#include "../gdn/chunk.hip"
#include "common.hip"

// Points where the wrong variants in planted/ differ.
struct GdrChunkRule {
    static __device__ int head(int hv, int H, int HV) { return hv / (HV / H); }
    // sums of gates
    static __device__ double log_gate(float g) { return g; }
    static constexpr int scan_end = GDN_MAX_CHUNK;  // the scan's distances stay below this
    static __device__ int gate_token(int i, int tokens) { return i; }
    // the sum of all passes up to one, from the sum of those before it and its own
    static __device__ double carried(double before, double sum) { return before + sum; }
    // L
    static __device__ float row_beta(const float* beta, int i, int j) { return beta[i]; }
    static __device__ float safe_exp(float x) { return x <= 0.0f ? expf(x) : 0.0f; }
    static __device__ float between(float between) { return between; }  // the log of what decays from token j to the later i
    static __device__ bool below(int i, int j) { return j < i; }
    static __device__ bool writes_l(int i, int j) { return true; }
    // where there is no j < i, L is 0: the exponential of a positive difference may be inf and is never taken
    template <class Rule>
    static __device__ float l(float product, const float* beta, double G_i, double G_j, int i, int j) {
        if (!Rule::below(i, j)) return 0.0f;
        return Rule::row_beta(beta, i, j) * product * Rule::safe_exp(Rule::between((float)(G_i - G_j)));
    }
    // u and w
    static __device__ float value_factor(float beta) { return beta; }
    static __device__ float key_factor(float beta, float G) { return beta * expf(G); }
    // the state from chunk to chunk
    static __device__ float corrected(float u, float wh) { return u - wh; }
    static __device__ float last_gate(float G_last, int tokens, int C) { return G_last; }
    static __device__ float to_end(float G_last, float G) { return expf(G_last - G); }
    static __device__ float forgotten(float G_last) { return expf(G_last); }
    static __device__ bool forgets_before(int chunk) { return false; }
    static __device__ bool takes_initial() { return true; }
    static __device__ int initial_layout() { return STATE_KEY_MAJOR; }
    static __device__ int final_layout() { return STATE_KEY_MAJOR; }
    static constexpr bool state_at_end = false;  // h holds the state at the chunk's start
    static constexpr bool writes_final = true;
    // outputs
    static __device__ float scale(float scale) { return scale; }
    static __device__ bool seen(int i, int j) { return j <= i; }
    static __device__ float from_start(float G) { return expf(G); }
    static __device__ int chunk_of_h(int chunk) { return chunk; }
    static __device__ bool writes(int col) { return true; }
};

// Inclusive sum over the lanes of a wave, in f64: a sum rounded to f32 is then never above the one before it, however small the gates
// are, and safe_exp does not take a rounding error for a reason to forget everything.
template <class Rule>
static __device__ __forceinline__ double gdr_scan(double sum, int lane) {
#pragma unroll
    for (int distance = 1; distance < Rule::scan_end; distance *= 2) {
        double before = __shfl_up(sum, distance);
        if (lane >= distance) sum += before;
    }
    return sum;
}

// G: the gates of the chunk's tokens up to each, one wave a chunk and head, 64 tokens at a time.
template <class Rule>
static __device__ __forceinline__ void gdr_cumsum_body(const float* g, float* G, int B, int T, int H, int BT) {
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x;
    if (hv >= H || b >= B || blockIdx.x * BT >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, BT);
    double carry = 0.0;
    for (int begin = 0; begin < chunk.tokens; begin += GDR_WAVE) {
        const int i = begin + lane;
        const bool mine = i < chunk.tokens;
        const double gate = mine ? Rule::log_gate(g[chunk.at(Rule::gate_token(i, chunk.tokens)) * H + hv]) : 0.0;
        const double sum = gdr_scan<Rule>(gate, lane);
        if (mine) G[chunk.at(i) * H + hv] = (float)(carry + sum);
        carry = Rule::carried(carry, __shfl(sum, GDR_WAVE - 1));
    }
}
#define GDR_CUMSUM_KERNEL(NAME, RULE)                                                                                  \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* g, float* G, int B, int T, int H, int BT) {     \
        gdr_cumsum_body<RULE>(g, G, B, T, H, BT);                                                                      \
    }

// L of a chunk and head. With `g` the sums are had here and written to G; without it they are read from G, and where that is null there
// is no exponential.
template <class Rule>
static __device__ __forceinline__ void gdr_kkt_body(const float* g, const float* k, const float* beta, const float* G, float* sums,
                                                    float* A, int B, int T, int Hg, int H, int K, int BT) {
    __shared__ Strips lds;
    __shared__ double sh_G[GDN_MAX_CHUNK];
    __shared__ float sh_beta[GDN_MAX_CHUNK];
    const int hv = blockIdx.y, b = blockIdx.z;
    if (hv >= H || b >= B || blockIdx.x * BT >= T) return;
    const Chunk chunk = gdn_chunk(blockIdx.x, b, T, BT);
    const int h = Rule::head(hv, Hg, H);
    if (threadIdx.x < GDR_WAVE) {
        const int i = threadIdx.x;
        const bool mine = i < chunk.tokens;
        const long place = chunk.at(i) * H + hv;
        double sum = 0.0;
        if (g) {
            const double gate = mine ? Rule::log_gate(g[chunk.at(Rule::gate_token(i, chunk.tokens)) * H + hv]) : 0.0;
            sum = gdr_scan<Rule>(gate, i);
            if (mine) sums[place] = (float)sum;
        } else if (G && mine) {
            sum = G[place];
        }
        sh_G[i] = sum;
        sh_beta[i] = mine ? beta[place] : 0.0f;
    }
    const float* rows = k + (chunk.at(0) * Hg + h) * K;
    float product[4][4];
    pair_products(product, rows, rows, (long)Hg * K, chunk.tokens, K, lds);
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const int i = share_row(r), j = share_col(c);
            if (i >= chunk.tokens || j >= BT || !Rule::writes_l(i, j)) continue;
            A[(chunk.at(i) * H + hv) * BT + j] = Rule::template l<Rule>(product[r][c], sh_beta, sh_G[i], sh_G[j], i, j);
        }
    }
}
#define GDR_CUMSUM_KKT_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* g, const float* k, const float* beta,              \
                                                           float* g_cumsum, float* A, int B, int T, int Hg, int H, int K,  \
                                                           int BT) {                                                       \
        gdr_kkt_body<RULE>(g, k, beta, nullptr, g_cumsum, A, B, T, Hg, H, K, BT);                                          \
    }
#define GDR_KKT_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* k, const float* beta, const float* g_cumsum,       \
                                                           float* A, int B, int T, int Hg, int H, int K, int BT) {         \
        gdr_kkt_body<RULE>(nullptr, k, beta, g_cumsum, nullptr, A, B, T, Hg, H, K, BT);                                    \
    }
