// cumsum: sums within chunks of BT tokens, forwards or backwards, times a factor. A chunk knows nothing of the next one.
#pragma once
#include "common.hip"

struct CumsumRule {
    static constexpr int scan_end = GDR_WAVE;  // the scan's distances stay below this
    static constexpr int pass = GDR_WAVE;      // tokens that are summed at a time
    // the sum of all passes up to one, from the sum of those before it and its own
    static __device__ float carried(float before, float sum) { return before + sum; }
    static __device__ bool writes(int T) { return true; }
    // the token that comes at position `at` of the sum, in a chunk of so many
    static __device__ int token(int at, int tokens, int reverse) { return reverse ? tokens - 1 - at : at; }
    static __device__ int first(int chunk, int BT) { return chunk * BT; }
    static __device__ float scaled(float sum, float scale) { return sum * scale; }
    // the sum that goes to a token whose own element is x
    static __device__ float result(float sum, float x) { return sum; }
};

static __device__ inline int chunk_tokens(int first, int T, int BT) { return T - first < BT ? T - first : BT; }

// s, o [B,T,H]: one wave a chunk, head and sequence, a scan by doubling distance for each 64 tokens of it
template <class Rule>
static __device__ __forceinline__ void cumsum_scalar_body(const float* s, float* o, int B, int T, int H, int BT, int reverse,
                                                          float scale) {
    const int h = blockIdx.y, b = blockIdx.z, lane = threadIdx.x, first = Rule::first(blockIdx.x, BT);
    if (h >= H || b >= B || first >= T || !Rule::writes(T)) return;
    const int tokens = chunk_tokens(first, T, BT);
    float carry = 0.0f;
    for (int begin = 0; begin < tokens; begin += Rule::pass) {
        const int at = begin + lane;
        const bool mine = lane < Rule::pass && at < tokens;
        const long place = ((long)b * T + first + Rule::token(at, tokens, reverse)) * H + h;
        const float x = mine ? s[place] : 0.0f;
        float sum = x;
#pragma unroll
        for (int distance = 1; distance < Rule::scan_end; distance *= 2) {
            const float before = __shfl_up(sum, distance);
            if (lane >= distance) sum += before;
        }
        if (mine) o[place] = Rule::scaled(Rule::result(carry + sum, x), scale);
        carry = Rule::carried(carry, __shfl(sum, GDR_WAVE - 1));
    }
}
#define CUMSUM_SCALAR_KERNEL(NAME, RULE)                                                                            \
    extern "C" __global__ __launch_bounds__(GDR_WAVE) void NAME(const float* s, float* o, int B, int T, int H, int BT, \
                                                                int reverse, float scale) {                         \
        cumsum_scalar_body<RULE>(s, o, B, T, H, BT, reverse, scale);                                                \
    }

// s, o [B,T,H,S]: a work-item a channel, the head's channels side by side; rows of S are read and written whole
template <class Rule>
static __device__ __forceinline__ void cumsum_vector_body(const float* s, float* o, int B, int T, int H, int S, int BT,
                                                          int reverse, float scale) {
    const int b = blockIdx.z, first = Rule::first(blockIdx.y, BT);
    const int column = blockIdx.x * blockDim.x + threadIdx.x, width = H * S;
    if (b >= B || first >= T || column >= width || !Rule::writes(T)) return;
    const int tokens = chunk_tokens(first, T, BT);
    float sum = 0.0f;
#pragma unroll 4
    for (int at = 0; at < tokens; at++) {
        const long place = ((long)b * T + first + Rule::token(at, tokens, reverse)) * width + column;
        const float x = s[place];
        sum += x;
        o[place] = Rule::scaled(Rule::result(sum, x), scale);
    }
}
#define CUMSUM_VECTOR_KERNEL(NAME, RULE)                                                                              \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const float* s, float* o, int B, int T, int H, int S, \
                                                                 int BT, int reverse, float scale) {                  \
        cumsum_vector_body<RULE>(s, o, B, T, H, S, BT, reverse, scale);                                               \
    }
