// Packed sequences: the tokens of all sequences follow one another, and cu_seqlens has their bounds.
#pragma once
#include "../gdn/common.hip"

// One column of a state, in private memory: plain, for any number of key channels.
struct PlainColumn {
    float s[GDN_MAX_K];
    int K;

    __device__ void zero() {
#pragma nounroll
        for (int j = 0; j < K; j++) s[j] = 0.0f;
    }
    __device__ void decay(const float* alpha) {
#pragma nounroll
        for (int j = 0; j < K; j++) s[j] *= alpha[j];
    }
    // sum_j s[j] k[j]
    __device__ float read(const float* k) const {
        float sum = 0.0f;
#pragma nounroll
        for (int j = 0; j < K; j++) sum += s[j] * k[j];
        return sum;
    }
    // s[j] += k[j] d
    __device__ void write(const float* k, float d) {
#pragma nounroll
        for (int j = 0; j < K; j++) s[j] += k[j] * d;
    }
};

// The place of element (i, j) in a head's state [K, V], or [V, K].
static __device__ inline long packed_place(int i, int j, int K, int V, int layout) {
    return layout == STATE_KEY_MAJOR ? (long)i * V + j : (long)j * K + i;
}

// Elements of states: f32, or half of it.
struct Bf16State {
    unsigned short bits;
};
static __device__ inline float packed_float(float x) { return x; }
static __device__ inline float packed_float(_Float16 x) { return (float)x; }
static __device__ inline float packed_float(Bf16State x) { return __uint_as_float((unsigned)x.bits << 16); }
static __device__ inline void packed_round(float& to, float x) { to = x; }
static __device__ inline void packed_round(_Float16& to, float x) { to = (_Float16)x; }
// to nearest, ties to even
static __device__ inline void packed_round(Bf16State& to, float x) {
    const unsigned bits = __float_as_uint(x);
    to.bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
