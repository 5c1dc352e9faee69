// The steps of the chunk pipeline over packed sequences, plain: one work-group a chunk and value head. chunk_indices [chunks, 2] has the sequence of each
// chunk and its place in it. A Rule names the points where the wrong variants in planted/ differ.
#pragma once
#include "common.hip"

struct PackedChunkRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ float decay(double difference) { return expf((float)difference); }
    static __device__ int channel(int j) { return j; }
    static __device__ int first(const int* cu_seqlens, int n, int place, int C) { return cu_seqlens[n] + place * C; }
    // a chunk ends with its sequence
    static __device__ int end(const int* cu_seqlens, int n) { return cu_seqlens[n + 1]; }
    static __device__ double before(double sum, double g) { return sum + g; }
    static __device__ float beta(const float* beta, long row, long column) { return beta[row]; }
    static __device__ bool below(int i, int j) { return j < i; }
    static __device__ bool upto(int i, int j) { return j <= i; }
    static __device__ float sign(float x) { return x; }
    static __device__ float one() { return 1.0f; }
    static __device__ double of_last(double last, double own) { return last - own; }
    static __device__ bool begins(int flag) { return flag != 0; }
    static __device__ float scale(float scale) { return scale; }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
};

// The tokens of a work-group's chunk.
struct PackedChunk {
    int first, count;
};
template <class Rule>
static __device__ inline PackedChunk packed_chunk(const int* indices, const int* cu_seqlens, int chunk, int C) {
    const int n = indices[2 * chunk], first = Rule::first(cu_seqlens, n, indices[2 * chunk + 1], C);
    return {first, max(0, min(C, Rule::end(cu_seqlens, n) - first))};
}

// sum_c a[c] b[c] e^(to[c] - from[c])
template <class Rule>
static __device__ inline float packed_dot(const float* a, const float* b, const double* to, const double* from, int K, int by_key) {
    float sum = 0.0f;
    if (by_key) {
        for (int c = 0; c < K; c++) {
            const int g = Rule::channel(c);
            sum += a[c] * Rule::decay(to[g] - from[g]) * b[c];
        }
        return sum;
    }
    for (int c = 0; c < K; c++) sum += a[c] * b[c];
    return sum * Rule::decay(to[0] - from[0]);
}

#define PACKED_CHUNK_KERNEL(NAME, ...)                                                       \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                  \
        __VA_ARGS__, const int* cu_seqlens, const int* chunk_indices, int chunks, int H, int HV, int K, int V, int C, float scale, int head_map, int by_key)
#define PACKED_CHUNK(RULE)                                                                   \
    if (blockIdx.x >= chunks || blockIdx.y >= HV) return;                                    \
    const int hv = blockIdx.y, h = RULE::head(hv, H, HV, head_map), gates = by_key ? K : 1;  \
    const PackedChunk at = packed_chunk<RULE>(chunk_indices, cu_seqlens, blockIdx.x, C);

#define PACKED_CUMSUM_KERNEL(NAME, RULE)                                                     \
    PACKED_CHUNK_KERNEL(NAME, const float* g, double* G) {                                   \
        PACKED_CHUNK(RULE)                                                                   \
        for (int c = threadIdx.x; c < gates; c += blockDim.x) {                              \
            double sum = 0.0;                                                                \
            for (int i = 0; i < at.count; i++) {                                             \
                const long place = ((long)(at.first + i) * HV + hv) * gates + c;             \
                sum = RULE::before(sum, g[place]);                                           \
                G[place] = sum;                                                              \
            }                                                                                \
        }                                                                                    \
    }

#define PACKED_L_KERNEL(NAME, RULE)                                                                               \
    PACKED_CHUNK_KERNEL(NAME, const float* k, const float* beta, const double* G, float* L) {                     \
        PACKED_CHUNK(RULE)                                                                                        \
        for (int e = threadIdx.x; e < at.count * C; e += blockDim.x) {                                            \
            const int i = e / C, j = e % C;                                                                       \
            const long row = (long)(at.first + i) * HV + hv, column = (long)(at.first + j) * HV + hv;             \
            float x = 0.0f;                                                                                       \
            if (RULE::below(i, j) && j < at.count) {                                                              \
                const float *ki = k + ((long)(at.first + i) * H + h) * K, *kj = k + ((long)(at.first + j) * H + h) * K; \
                x = RULE::beta(beta, row, column) * packed_dot<RULE>(ki, kj, G + row * gates, G + column * gates, K, by_key); \
            }                                                                                                     \
            L[row * C + j] = x;                                                                                   \
        }                                                                                                         \
    }

#define PACKED_ATTENTION_KERNEL(NAME, RULE)                                                                       \
    PACKED_CHUNK_KERNEL(NAME, const float* q, const float* k, const double* G, float* A) {                        \
        PACKED_CHUNK(RULE)                                                                                        \
        for (int e = threadIdx.x; e < at.count * C; e += blockDim.x) {                                            \
            const int i = e / C, j = e % C;                                                                       \
            const long row = (long)(at.first + i) * HV + hv, column = (long)(at.first + j) * HV + hv;             \
            float x = 0.0f;                                                                                       \
            if (RULE::upto(i, j) && j < at.count) {                                                               \
                const float *qi = q + ((long)(at.first + i) * H + h) * K, *kj = k + ((long)(at.first + j) * H + h) * K; \
                x = RULE::scale(scale) * packed_dot<RULE>(qi, kj, G + row * gates, G + column * gates, K, by_key); \
            }                                                                                                     \
            A[row * C + j] = x;                                                                                   \
        }                                                                                                         \
    }

// Forward substitution, a work-item a column.
#define PACKED_SOLVE_KERNEL(NAME, RULE)                                                                           \
    PACKED_CHUNK_KERNEL(NAME, const float* L, float* Ai) {                                                        \
        PACKED_CHUNK(RULE)                                                                                        \
        for (int j = threadIdx.x; j < C; j += blockDim.x) {                                                       \
            for (int i = 0; i < at.count; i++) {                                                                  \
                const long row = ((long)(at.first + i) * HV + hv) * C;                                            \
                float x = i == j ? RULE::one() : 0.0f;                                                            \
                for (int t = j; t < i; t++) x -= RULE::sign(L[row + t]) * Ai[((long)(at.first + t) * HV + hv) * C + j]; \
                Ai[row + j] = x;                                                                                  \
            }                                                                                                     \
        }                                                                                                         \
    }

#define PACKED_UW_KERNEL(NAME, RULE)                                                                              \
    PACKED_CHUNK_KERNEL(NAME, const float* k, const float* v, const float* beta, const double* G, const float* Ai, float* u, float* w) { \
        PACKED_CHUNK(RULE)                                                                                        \
        for (int c = threadIdx.x; c < V + K; c += blockDim.x) {                                                   \
            for (int i = 0; i < at.count; i++) {                                                                  \
                const long row = (long)(at.first + i) * HV + hv;                                                  \
                float sum = 0.0f;                                                                                 \
                for (int j = 0; j <= i; j++) {                                                                    \
                    const long column = (long)(at.first + j) * HV + hv;                                           \
                    const float a = Ai[row * C + j] * RULE::beta(beta, column, row);                              \
                    if (c < V) sum += a * v[column * V + c];                                                      \
                    else {                                                                                        \
                        const int d = c - V;                                                                      \
                        const float decay = RULE::decay(G[column * gates + (by_key ? RULE::channel(d) : 0)]);     \
                        sum += a * decay * k[((long)(at.first + j) * H + h) * K + d];                             \
                    }                                                                                             \
                }                                                                                                 \
                if (c < V) u[row * V + c] = sum;                                                                  \
                else w[row * K + c - V] = sum;                                                                    \
            }                                                                                                     \
        }                                                                                                         \
    }

#define PACKED_OUTPUTS_KERNEL(NAME, RULE)                                                                         \
    PACKED_CHUNK_KERNEL(NAME, const float* q, const float* A, const float* vn, const double* G, const float* state, float* o) { \
        PACKED_CHUNK(RULE)                                                                                        \
        __shared__ float decayed[GDN_MAX_K];                                                                      \
        for (int i = 0; i < at.count; i++) {                                                                      \
            const long row = (long)(at.first + i) * HV + hv;                                                      \
            __syncthreads();                                                                                      \
            for (int c = threadIdx.x; c < K; c += blockDim.x) {                                                   \
                const float decay = RULE::decay(G[row * gates + (by_key ? RULE::channel(c) : 0)]);                \
                decayed[c] = decay * q[((long)(at.first + i) * H + h) * K + c];                                   \
            }                                                                                                     \
            __syncthreads();                                                                                      \
            for (int c = threadIdx.x; c < V; c += blockDim.x) {                                                   \
                float sum = 0.0f;                                                                                 \
                for (int a = 0; a < K; a++) sum += decayed[a] * state[(((long)blockIdx.x * HV + hv) * K + a) * V + c]; \
                sum *= RULE::scale(scale);                                                                        \
                for (int j = 0; j < C; j++) {                                                                     \
                    if (RULE::upto(i, j) && j < at.count) sum += A[row * C + j] * vn[((long)(at.first + j) * HV + hv) * V + c]; \
                }                                                                                                 \
                o[row * V + c] = sum;                                                                             \
            }                                                                                                     \
        }                                                                                                         \
    }

// One work-group a value head and sequence, one work-item a value column: the chunks of the sequence in order.
struct PackedStates {
    const float *k, *u, *w, *initial;
    const double* G;
    float *states, *vn, *final;
    const int *cu_seqlens, *chunk_offsets, *has_initial;
    int N, H, HV, K, V, C, head_map, layout, by_key;
};

template <class Rule>
static __device__ __forceinline__ void packed_states(const PackedStates& x, float* lds, float* decays) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map), gates = x.by_key ? x.K : 1;
    const long size = (long)x.K * x.V, own = ((long)n * x.HV + hv) * size;
    PlainColumn state;
    state.K = x.K;
    state.zero();
    if (x.initial && (!x.has_initial || Rule::begins(x.has_initial[n]))) {
#pragma nounroll
        for (int j = 0; j < x.K; j++) {
            state.s[j] = x.initial[own + packed_place(j, col, x.K, x.V, Rule::initial_layout(x.layout))];
        }
    }
    int chunk = x.chunk_offsets[n];
    for (int first = x.cu_seqlens[n]; first < Rule::end(x.cu_seqlens, n); first += x.C, chunk++) {
        const int count = min(x.C, Rule::end(x.cu_seqlens, n) - first);
#pragma nounroll
        for (int j = 0; j < x.K; j++) {
            x.states[(((long)chunk * x.HV + hv) * x.K + j) * x.V + col] = state.s[j];
        }
        for (int i = 0; i < count; i++) {
            const long row = (long)(first + i) * x.HV + hv;
            __syncthreads();
            gdn_stage(lds, x.w + row * x.K, x.K, x.K);
            __syncthreads();
            x.vn[row * x.V + col] = x.u[row * x.V + col] - state.read(lds);
        }
        const double* last = x.G + ((long)(first + count - 1) * x.HV + hv) * gates;
        __syncthreads();
        for (int j = threadIdx.x; j < x.K; j += blockDim.x) {
            decays[j] = Rule::decay(last[x.by_key ? Rule::channel(j) : 0]);
        }
        __syncthreads();
        state.decay(decays);
        for (int i = 0; i < count; i++) {
            const long row = (long)(first + i) * x.HV + hv;
            __syncthreads();
            for (int j = threadIdx.x; j < x.K; j += blockDim.x) {
                const int c = x.by_key ? Rule::channel(j) : 0;
                const float k = x.k[((long)(first + i) * x.H + h) * x.K + j];
                lds[j] = Rule::decay(Rule::of_last(last[c], x.G[row * gates + c])) * k;
            }
            __syncthreads();
            state.write(lds, x.vn[row * x.V + col]);
        }
    }
#pragma nounroll
    for (int j = 0; j < x.K; j++) {
        x.final[own + packed_place(j, col, x.K, x.V, Rule::final_layout(x.layout))] = state.s[j];
    }
}

#define PACKED_STATES_KERNEL(NAME, RULE)                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                       \
        const float* k, const float* u, const float* w, const double* G, const float* initial, float* states, float* vn, float* final, \
        const int* cu_seqlens, const int* chunk_offsets, const int* has_initial, int N, int H, int HV, int K, int V, int C, \
        int head_map, int layout, int by_key) {                                                                   \
        __shared__ __align__(16) float lds[GDN_MAX_K], decays[GDN_MAX_K];                                         \
        if (blockIdx.x >= HV || blockIdx.y >= N) return;                                                          \
        const PackedStates x = {k, u, w, initial, G, states, vn, final, cu_seqlens, chunk_offsets, has_initial, N, H, HV, K, V, C, \
                                head_map, layout, by_key};                                                        \
        packed_states<RULE>(x, lds, decays);                                                                      \
    }
