// Wrong kernels of gdr_utils.
#pragma once
#include "../../gdr/utils.hip"

// the sign kept
struct DifferenceSigned : UtilsRule {
    static __device__ float absolute(float difference) { return difference; }
};
ABS_DIFF_KERNEL(planted_gdr_abs_diff_signed, DifferenceSigned)

// n rounded down to whole waves
struct WholeWaves : UtilsRule {
    static __device__ int end(int n) { return n / GDR_WAVE * GDR_WAVE; }
};
ABS_DIFF_KERNEL(planted_gdr_abs_diff_whole_waves, WholeWaves)
SUM_REDUCE_KERNEL(planted_gdr_sum_reduce_whole_waves, WholeWaves)

// |x - y| for its square
struct DifferenceNotSquared : UtilsRule {
    static __device__ float squared(float difference) { return fabsf(difference); }
};
SQUARED_DIFF_KERNEL(planted_gdr_squared_diff_absolute, DifferenceNotSquared)

// 0 for -FLT_MAX: a block of negative numbers has maximum 0
struct MaximumFromZero : UtilsRule {
    static constexpr float least = 0.0f;
};
MAX_REDUCE_KERNEL(planted_gdr_max_reduce_from_zero, MaximumFromZero)

// only the first wave of the work-group counts
struct FirstWave : UtilsRule {
    static __device__ float sum(float x, WavePlaces& places) {
        return gdr_group_sum(threadIdx.x < GDR_WAVE ? x : 0.0f, places);
    }
    static __device__ float largest(float x, WavePlaces& places) {
        return gdr_group_max(threadIdx.x < GDR_WAVE ? x : least, places);
    }
};
MAX_REDUCE_KERNEL(planted_gdr_max_reduce_first_wave, FirstWave)
SUM_REDUCE_KERNEL(planted_gdr_sum_reduce_first_wave, FirstWave)

// every lane's own value twice, as an exchange by 64 in a wave of 64 gives it
struct SumDoubled : UtilsRule {
    static __device__ float sum(float x, WavePlaces& places) {
        const float sum = gdr_group_sum(x, places);
        return sum + __shfl_xor(sum, GDR_WAVE);
    }
};
SUM_REDUCE_KERNEL(planted_gdr_sum_reduce_doubled, SumDoubled)
L2_NORMALIZE_KERNEL(planted_gdr_l2_normalize_doubled, SumDoubled, float)

// the lower half of the word
struct LowerHalf : UtilsRule {
    static __device__ unsigned place(unsigned bits) { return bits; }
};
BF16_TO_FLOAT_KERNEL(planted_gdr_bf16_to_float_lower_half, LowerHalf)

// the bits below cut off
struct Truncated : UtilsRule {
    static __device__ unsigned carry(unsigned bits) { return 0; }
    static __device__ Bf16 bf16(float x) { return gdr_round<Truncated>(x); }
    static __device__ void store(Bf16* to, float x) { *to = bf16(x); }
};
FLOAT_TO_BF16_KERNEL(planted_gdr_float_to_bf16_truncates, Truncated)
L2_NORMALIZE_KERNEL(planted_gdr_l2_normalize_bf16_truncates, Truncated, Bf16)

// ties away from zero
struct TiesAway : UtilsRule {
    static __device__ unsigned carry(unsigned bits) { return 0x8000u; }
    static __device__ Bf16 bf16(float x) { return gdr_round<TiesAway>(x); }
};
FLOAT_TO_BF16_KERNEL(planted_gdr_float_to_bf16_ties_away, TiesAway)

// a NaN is rounded like a number: to inf, or around to 0
struct NanRounded : UtilsRule {
    static constexpr bool keeps_nan = false;
    static __device__ Bf16 bf16(float x) { return gdr_round<NanRounded>(x); }
};
FLOAT_TO_BF16_KERNEL(planted_gdr_float_to_bf16_nan_to_inf, NanRounded)

// a halving tree over a number of elements that is no power of two: the odd one out of each step is dropped
#define HALVING_MAX 1024
template <class Element>
static __device__ __forceinline__ void halving_body(const Element* x, Element* y, int rows, int D, float eps) {
    __shared__ float squares[HALVING_MAX];
    const Element* from = x + (long)blockIdx.x * D;
    for (int d = threadIdx.x; d < D; d += blockDim.x) {
        const float value = gdr_float(from[d]);
        squares[d] = value * value;
    }
    for (int half = D / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int d = threadIdx.x; d < half; d += blockDim.x) squares[d] += squares[d + half];
    }
    __syncthreads();
    const float norm = sqrtf(squares[0] + eps);
    for (int d = threadIdx.x; d < D; d += blockDim.x) gdr_store(y + (long)blockIdx.x * D + d, gdr_float(from[d]) / norm);
}
extern "C" __global__ __launch_bounds__(GDR_BLOCK) void planted_gdr_l2_normalize_halving(const float* x, float* y, int rows, int D,
                                                                                    float eps) {
    if (blockIdx.x < rows && D <= HALVING_MAX) halving_body(x, y, rows, D, eps);
}
extern "C" __global__ __launch_bounds__(GDR_BLOCK) void planted_gdr_l2_normalize_bf16_halving(const Bf16* x, Bf16* y, int rows,
                                                                                         int D, float eps) {
    if (blockIdx.x < rows && D <= HALVING_MAX) halving_body(x, y, rows, D, eps);
}

// no epsilon: a row of zeros is 0 / 0
struct NoEpsilon : UtilsRule {
    static __device__ float norm(float squares, float eps) { return sqrtf(squares); }
};
L2_NORMALIZE_KERNEL(planted_gdr_l2_normalize_no_eps, NoEpsilon, float)

// the epsilon on the mean of 64 squares, not on their sum
struct MeanEpsilon : UtilsRule {
    static __device__ float norm(float squares, float eps) { return sqrtf(squares + 64.0f * eps); }
};
L2_NORMALIZE_KERNEL(planted_gdr_l2_normalize_eps_of_mean, MeanEpsilon, float)
L2_NORMALIZE_KERNEL(planted_gdr_l2_normalize_bf16_eps_of_mean, MeanEpsilon, Bf16)
