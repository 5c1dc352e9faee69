// Wrong sums within chunks.
#pragma once
#include "../../gdr/cumsum.hip"

// each half of the wave sums for itself
struct ScanHalfWave : CumsumRule {
    static constexpr int scan_end = GDR_WAVE / 2;
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_half_wave, ScanHalfWave)

// of the passes before, only the last one is carried on
template <int PASS>
struct CarryLost : CumsumRule {
    static constexpr int pass = PASS;
    static __device__ float carried(float before, float sum) { return sum; }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_carry_lost, CarryLost<64>)
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_carry_lost_32, CarryLost<32>)

// nothing is written where there is one token
struct OneTokenLeft : CumsumRule {
    static __device__ bool writes(int T) { return T > 1; }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_one_token, OneTokenLeft)
CUMSUM_VECTOR_KERNEL(planted_gdr_cumsum_vector_one_token, OneTokenLeft)

// backwards not heard of
struct NeverReversed : CumsumRule {
    static __device__ int token(int at, int tokens, int reverse) { return at; }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_not_reversed, NeverReversed)
CUMSUM_VECTOR_KERNEL(planted_gdr_cumsum_vector_not_reversed, NeverReversed)

// backwards from the token before the last, around to the last
struct ReversedOffByOne : CumsumRule {
    static __device__ int token(int at, int tokens, int reverse) {
        return reverse ? (2 * tokens - 2 - at) % tokens : at;
    }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_reverse_off_by_one, ReversedOffByOne)
CUMSUM_VECTOR_KERNEL(planted_gdr_cumsum_vector_reverse_off_by_one, ReversedOffByOne)

// the sum before the element
struct Exclusive : CumsumRule {
    static __device__ float result(float sum, float x) { return sum - x; }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_exclusive, Exclusive)
CUMSUM_VECTOR_KERNEL(planted_gdr_cumsum_vector_exclusive, Exclusive)

// the factor ignored
struct NotScaled : CumsumRule {
    static __device__ float scaled(float sum, float scale) { return sum; }
};
CUMSUM_SCALAR_KERNEL(planted_gdr_cumsum_scalar_no_scale, NotScaled)
CUMSUM_VECTOR_KERNEL(planted_gdr_cumsum_vector_no_scale, NotScaled)

// the sum carried on over the ends of chunks: what is right for the whole sequence
static __device__ inline float before_chunk(const float* s, long sequence, int first, int H, int h) {
    float sum = 0.0f;
    for (int t = 0; t < first; t++) sum += s[(sequence + t) * H + h];
    return sum;
}
extern "C" __global__ __launch_bounds__(GDR_WAVE) void planted_gdr_cumsum_scalar_carries_on(
    const float* s, float* o, int B, int T, int H, int BT, int reverse, float scale) {
    const int h = blockIdx.y, b = blockIdx.z, first = blockIdx.x * BT, t = first + threadIdx.x;
    if (h >= H || b >= B || t >= T || threadIdx.x >= BT) return;
    const long sequence = (long)b * T;
    const float own = s[(sequence + t) * H + h];
    float sum = before_chunk(s, sequence, t + 1, H, h);
    if (reverse) sum = before_chunk(s, sequence, T, H, h) - sum + own;
    o[(sequence + t) * H + h] = sum * scale;
}

// the same, for every channel
extern "C" __global__ __launch_bounds__(GDR_BLOCK) void planted_gdr_cumsum_vector_carries_on(
    const float* s, float* o, int B, int T, int H, int S, int BT, int reverse, float scale) {
    const int b = blockIdx.z, first = blockIdx.y * BT, column = blockIdx.x * blockDim.x + threadIdx.x, width = H * S;
    if (b >= B || first >= T || column >= width) return;
    const int tokens = chunk_tokens(first, T, BT);
    const long sequence = (long)b * T;
    float sum = reverse ? before_chunk(s, sequence, T, width, column) - before_chunk(s, sequence, first + tokens, width, column)
                        : before_chunk(s, sequence, first, width, column);
    for (int at = 0; at < tokens; at++) {
        const long place = (sequence + first + CumsumRule::token(at, tokens, reverse)) * width + column;
        sum += s[place];
        o[place] = sum * scale;
    }
}
