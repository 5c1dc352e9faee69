// What the kernels of the gated delta rule share: the conventions that differ from one implementation to the next, and
// the state column that a work-item keeps in its registers.
#pragma once
#include <hip/hip_runtime.h>

#define GDN_MAX_K 256     // key channels
#define GDN_MAX_CHUNK 64  // tokens in a chunk

enum { HEAD_BLOCK = 0, HEAD_TILED = 1 };
enum { STATE_KEY_MAJOR = 0, STATE_VALUE_MAJOR = 1 };
enum { GATE_LOG = 0, GATE_NEGATED_LOG = 1, GATE_FACTOR = 2 };

// The query/key head that a value head reads.
static __device__ inline int gdn_head(int hv, int H, int HV, int head_map) {
    return head_map == HEAD_BLOCK ? hv / (HV / H) : hv % H;
}

// What the state is multiplied by, from the gate as it is stored.
static __device__ inline float gdn_decay(float g, int gate_kind) {
    return gate_kind == GATE_FACTOR ? g : expf(gate_kind == GATE_LOG ? g : -g);
}

// Where column `col` of a head's state begins, and how far apart its key channels are: bytes, so that an address is a
// base that all share and one register.
struct ColumnPlace {
    unsigned first, step;
};
static __device__ inline ColumnPlace gdn_column(int col, int K, int V, int state_layout) {
    if (state_layout == STATE_KEY_MAJOR) return {4u * col, 4u * V};
    return {4u * col * K, 4u};
}
static __device__ inline const float& gdn_at(const float* state, unsigned bytes) {
    return *(const float*)((const char*)state + bytes);
}
static __device__ inline float& gdn_at(float* state, unsigned bytes) { return *(float*)((char*)state + bytes); }

// One column of the state: a register a key channel, or private memory where there are more of them than registers.
// BOUND is known to the compiler, K is not: the channels past K are zero, and so are those of the vectors (gdn_stage),
// so that they change no sum.
template <int BOUND>
struct StateColumn {
    static constexpr int UNROLL = BOUND <= 128 ? BOUND : 16;
    float s[BOUND];

    __device__ __forceinline__ void zero() {
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) s[j] = 0.0f;
    }

    __device__ __forceinline__ void load(const float* state, ColumnPlace at, int K) {
        unsigned place = at.first;
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) {
            // past the end the last channel is read again and not used: a load without a branch
            float x = gdn_at(state, place);
            s[j] = j < K ? x : 0.0f;
            place += j + 1 < K ? at.step : 0u;
        }
    }

    __device__ __forceinline__ void store(float* state, ColumnPlace at, int K) const {
        unsigned place = at.first;
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) {
            if (j < K) gdn_at(state, place) = s[j];
            place += at.step;
        }
    }

    // sum_j s[j] k[j]
    __device__ __forceinline__ float read(const float* k) const {
        float sum = 0.0f;
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) sum += s[j] * k[j];
#ifdef __AMDGCN__
        asm volatile("" : "+v"(sum));  // here, not sunk to where the sum is used, away from its loads
#endif
        return sum;
    }

    __device__ __forceinline__ void decay(float alpha) {
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) s[j] *= alpha;
    }

    // a factor of its own for each key channel
    __device__ __forceinline__ void decay(const float* alpha) {
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) s[j] *= alpha[j];
    }

    // s[j] += k[j] d: the column's part of the rank-1 write
    __device__ __forceinline__ void write(const float* k, float d) {
#pragma unroll UNROLL
        for (int j = 0; j < BOUND; j++) s[j] += k[j] * d;
    }
};

// The work-group copies a vector of K channels into LDS, with zeros up to `bound`.
static __device__ inline void gdn_stage(float* lds, const float* vector, int K, int bound) {
    for (int j = threadIdx.x; j < bound; j += blockDim.x) lds[j] = j < K ? vector[j] : 0.0f;
}

// Calls BODY(bound) with the smallest bound that K fits in.
#ifndef GDN_WITH_BOUND
#define GDN_WITH_BOUND(K, BODY)        \
    do {                               \
        if ((K) <= 16) BODY(16);       \
        else if ((K) <= 32) BODY(32);  \
        else if ((K) <= 64) BODY(64);  \
        else if ((K) <= 128) BODY(128); \
        else if ((K) <= 256) BODY(256); \
    } while (0)
#endif
