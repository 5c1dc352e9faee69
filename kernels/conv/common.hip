// What the convolution over packed sequences and its gradients share.
#pragma once
#include <hip/hip_runtime.h>

#define PACKED_CONV_MAX 8  // weights of a channel

// The tokens of a sequence: those from `first` on. cu [N+1] is where each begins, or null: N sequences of T tokens.
struct PackedTokens {
    int first, count;
};
static __device__ inline PackedTokens packed_tokens(const int* cu, int n, int T) {
    if (!cu) return {n * T, T};
    return {cu[n], cu[n + 1] - cu[n]};
}

// A channel's weights behind zeros, so that the window has one size, which the compiler knows. The last is that of the newest element.
struct ConvWeights {
    float w[PACKED_CONV_MAX];

    __device__ __forceinline__ void load(const float* from, int W, bool reversed) {
#pragma unroll
        for (int j = 0; j < PACKED_CONV_MAX; j++) {
            const int own = j - (PACKED_CONV_MAX - W);
            w[j] = own < 0 ? 0.0f : from[reversed ? W - 1 - own : own];
        }
    }
};

// The last elements of a channel, the newest last.
struct ConvWindow {
    float s[PACKED_CONV_MAX];

    __device__ __forceinline__ void zero() {
#pragma unroll
        for (int j = 0; j < PACKED_CONV_MAX; j++) s[j] = 0.0f;
    }

    __device__ __forceinline__ void push(float x) {
#pragma unroll
        for (int j = 1; j < PACKED_CONV_MAX; j++) s[j - 1] = s[j];
        s[PACKED_CONV_MAX - 1] = x;
    }

    __device__ __forceinline__ float sum(const ConvWeights& weights, float bias) const {
        float sum = bias;
#pragma unroll
        for (int j = 0; j < PACKED_CONV_MAX; j++) sum += weights.w[j] * s[j];
        return sum;
    }
};
