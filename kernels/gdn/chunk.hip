// What the kernels of the chunk pipeline share: where a chunk lies, products of its rows, a matrix in LDS times rows
// from memory. Work-groups of 256 work-items, but for the scan, the solve and the states.
#pragma once
#include "common.hip"

// G, the cumulated log gate, is double: it may reach -1280 in a chunk, and what counts are differences of it, of which a
// float would leave five digits. Everything else is float, the exponentials of differences too.

// Points where the wrong variants in planted/ differ.
struct ChunkRule {
    // gates: what a token adds to the cumulated log gate; what decays from token j to the later token i
    static __device__ double log_gate(float g, int kind) {
        return kind == GATE_FACTOR ? log((double)g) : (kind == GATE_LOG ? g : -g);
    }
    static __device__ double sum(double G) { return G; }
    static __device__ float between(double G_i, double G_j) { return expf((float)(G_i - G_j)); }
    static constexpr int scan_end = GDN_MAX_CHUNK;  // the scan's distances stay below this
    // the sum of all passes up to one, from the sum of those before it and its own
    static __device__ double carried(double before, double sum) { return before + sum; }
    static __device__ bool writes_gate(int token, int T) { return true; }
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    // L and its inverse
    static __device__ float row_beta(const float* beta, int i, int j) { return beta[i]; }
    static __device__ bool writes_l(int i, int j) { return true; }
    static __device__ float lower(float l) { return l; }
    static __device__ float diagonal() { return 1.0f; }
    // u and w
    static __device__ float value_factor(float beta) { return beta; }
    static __device__ float key_factor(float beta, double G) { return beta * expf((float)G); }
    // states
    static __device__ int first_sequence(int b) { return b; }  // where the work-group of sequence b begins
    static __device__ bool forgets_before(int chunk) { return false; }
    static __device__ float corrected(float u, float wh) { return u - wh; }
    static __device__ double last_gate(double G_last, int tokens, int C) { return G_last; }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static constexpr bool writes_with_w = false;
    // outputs
    static __device__ float scale(float scale) { return scale; }
    static __device__ bool seen(int i, int j) { return j <= i; }
    static __device__ bool writes(int col) { return true; }
};

// One chunk of one value head of one sequence. Tokens are counted over all sequences; `at(i)` is the chunk's token i.
struct Chunk {
    long first;
    int tokens;  // C, or what is left of the sequence
    __device__ long at(int i) const { return first + i; }
};

static __device__ inline Chunk gdn_chunk(int chunk, int b, int T, int C) {
    int begin = chunk * C;
    int left = T - begin;
    return {(long)b * T + begin, left < C ? left : C};
}

#define STRIP 32

// LDS for two strips of rows; the odd pitch spreads a column over the banks.
struct Strips {
    float a[GDN_MAX_CHUNK][STRIP + 1];
    float b[GDN_MAX_CHUNK][STRIP + 1];
};

// Rows and columns of the work-item's share of a 64 x 64 matrix: 4 x 4 elements, 16 apart.
static __device__ inline int share_row(int r) { return threadIdx.x / 16 + 16 * r; }
static __device__ inline int share_col(int c) { return threadIdx.x % 16 + 16 * c; }

// product[r][c] = <a_i, b_j> for the work-item's share; row i of a chunk begins at rows + i * pitch and has K channels.
// All rows of a chunk that ends early count as zeros past its end.
static __device__ inline void pair_products(float product[4][4], const float* a_rows, const float* b_rows, long pitch,
                                            int tokens, int K, Strips& lds) {
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) product[r][c] = 0.0f;
    }
    for (int from = 0; from < K; from += STRIP) {
        __syncthreads();
        for (int e = threadIdx.x; e < GDN_MAX_CHUNK * STRIP; e += blockDim.x) {
            int row = e / STRIP, channel = e % STRIP;
            bool there = row < tokens && from + channel < K;
            long place = row * pitch + from + channel;
            lds.a[row][channel] = there ? a_rows[place] : 0.0f;
            lds.b[row][channel] = there ? b_rows[place] : 0.0f;
        }
        __syncthreads();
#pragma unroll 4
        for (int s = 0; s < STRIP; s++) {
            float a[4], b[4];
#pragma unroll
            for (int r = 0; r < 4; r++) a[r] = lds.a[share_row(r)][s];
#pragma unroll
            for (int c = 0; c < 4; c++) b[c] = lds.b[share_col(c)][s];
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int c = 0; c < 4; c++) product[r][c] += a[r] * b[c];
            }
        }
    }
}

// A matrix of a chunk in LDS, read a row at a time by whole waves.
struct __align__(16) Matrix {
    float m[GDN_MAX_CHUNK][GDN_MAX_CHUNK];
};

// A work-item's share of (matrix in LDS) x (rows in memory): its column, and every fourth row from its wave's number on.
struct ColumnShare {
    float sum[GDN_MAX_CHUNK / 4];

    static __device__ int row(int r) { return threadIdx.x / 64 + 4 * r; }

    __device__ __forceinline__ void zero() {
#pragma unroll
        for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) sum[r] = 0.0f;
    }

    // sum[row] += sum_{j < count} m[row][j] * factor[j] x_j, where x_j is at column + j * pitch
    __device__ __forceinline__ void add(const Matrix& lds, const float* column, long pitch, const float* factor, int count) {
#pragma unroll 4
        for (int j = 0; j < count; j++) {
            float x = column[j * pitch];
            if (factor) x *= factor[j];
#pragma unroll
            for (int r = 0; r < GDN_MAX_CHUNK / 4; r++) sum[r] += lds.m[row(r)][j] * x;
        }
    }
};
