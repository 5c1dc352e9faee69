// What the fast chunk kernels share: rows that a whole wave reads as scalars, and a slice of a state column in registers.
//
// A lane has one value column, a wave KEYS of its key channels; the waves of a group have one slice each. Rows of k, q and w
// are the same for all lanes of a wave: they come as scalar loads and are operands of the fused multiply-adds as they are,
// so that no lane needs another's value but for the sums over the slices.
#pragma once
#include "../gdn/common.hip"

#ifndef GDN_WAVE
#define GDN_WAVE 64
#endif

// Memory that no work-item writes while a kernel runs: a uniform address in it is read by a scalar load.
#ifndef GDN_CONSTANT
#define GDN_CONSTANT __attribute__((address_space(4)))
#endif
typedef const GDN_CONSTANT float* UniformFloats;

// x as a scalar, where all lanes of the wave have the same
#ifndef GDN_SAME_IN_WAVE
#define GDN_SAME_IN_WAVE(x) __builtin_amdgcn_readfirstlane(x)
#endif

static __device__ __forceinline__ int fast_wave() { return GDN_SAME_IN_WAVE(threadIdx.x / GDN_WAVE); }
static __device__ __forceinline__ int fast_lane() { return threadIdx.x % GDN_WAVE; }
static __device__ __forceinline__ int fast_min(int a, int b) { return a < b ? a : b; }
static __device__ __forceinline__ UniformFloats fast_uniform(const float* p) { return (UniformFloats)p; }

// Key channels first .. first + KEYS of rows of K. WHOLE: all of them are there. Else those past K read as zeros.
template <int KEYS, bool WHOLE>
struct Slice {
    int first, K;

    __device__ __forceinline__ void row(float to[KEYS], UniformFloats row) const {
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            if (WHOLE) to[j] = row[first + j];
            else to[j] = first + j < K ? row[fast_min(first + j, K - 1)] : 0.0f;
        }
    }

    __device__ __forceinline__ void load(float s[KEYS], const float* state, ColumnPlace at) const {
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            const bool there = WHOLE || first + j < K;
            s[j] = there ? gdn_at(state, at.first + at.step * (unsigned)(first + j)) : 0.0f;
        }
    }

    __device__ __forceinline__ void store(float* state, ColumnPlace at, const float s[KEYS]) const {
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            if (WHOLE || first + j < K) gdn_at(state, at.first + at.step * (unsigned)(first + j)) = s[j];
        }
    }
};

template <int KEYS>
static __device__ __forceinline__ float fast_dot(const float row[KEYS], const float s[KEYS]) {
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < KEYS; j++) sum = fmaf(row[j], s[j], sum);
    return sum;
}

template <int KEYS>
static __device__ __forceinline__ void fast_write(float s[KEYS], const float row[KEYS], float d) {
#pragma unroll
    for (int j = 0; j < KEYS; j++) s[j] = fmaf(row[j], d, s[j]);
}

// Calls BODY(keys of a slice, whether all are there) for four slices.
#ifndef FAST_WITH_SLICE
#define FAST_WITH_SLICE(K, BODY)          \
    do {                                  \
        if ((K) == 128) BODY(32, true);   \
        else if ((K) <= 64) BODY(16, false); \
        else if ((K) <= 128) BODY(32, false); \
        else BODY(64, false);             \
    } while (0)
#endif

// Points where the wrong variants in planted/fast/ differ.
struct FastChunkRule {
    // the log gate of a token; a factor of 0 and a log gate of -inf are as good as e^-100000
    static __device__ double log_gate(float g, int kind) {
        const double x = kind == GATE_FACTOR ? log((double)g) : (kind == GATE_LOG ? (double)g : -(double)g);
        return x < -1e5 ? -1e5 : x;
    }
    static __device__ float between(double G_i, double G_j) { return expf((float)(G_i - G_j)); }
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ int first_column(int tile) { return tile; }    // the column that a tile begins with
    static __device__ void meet() { __syncthreads(); }               // before sums over slices are read
    static constexpr int slices = 4;                                 // that are summed
    static __device__ bool sees(int i, int j) { return j <= i; }
    static __device__ int tail(int left, int size) { return left < size ? left : size; }  // tokens of a ragged end
    // prepare
    static __device__ double in_chunk(double before, int i, int distance, int C) { return i % C >= distance ? before : 0.0; }
    static constexpr bool merges_16 = true, merges_32 = true;
    static __device__ float row_beta(float beta_i, float beta_j) { return beta_i; }
    static __device__ float of_key(double G) { return expf((float)G); }
    // scan
    static __device__ bool forgets_before(int chunk) { return false; }
    static __device__ float in(float decay) { return decay; }
    static __device__ float after(float decay) { return decay; }
};
