// gdr_utils: differences, partial reductions, conversions, rows by their norm. A Rule names the points where the wrong
// variants in planted/ differ.
#pragma once
#include "common.hip"

struct UtilsRule : RoundRule {
    static __device__ float absolute(float difference) { return fabsf(difference); }
    static __device__ float squared(float difference) { return difference * difference; }
    // what a block's maximum starts from: below every finite number
    static constexpr float least = -3.402823466e+38f;
    static __device__ float sum(float x, WavePlaces& places) { return gdr_group_sum(x, places); }
    static __device__ float largest(float x, WavePlaces& places) { return gdr_group_max(x, places); }
    static __device__ int end(int n) { return n; }
    static __device__ Bf16 bf16(float x) { return gdr_bf16(x); }
    static __device__ unsigned place(unsigned bits) { return bits << 16; }
    static __device__ float norm(float squares, float eps) { return sqrtf(squares + eps); }
    template <class Element>
    static __device__ void store(Element* to, float x) {
        gdr_store(to, x);
    }
};

static __device__ inline int gdr_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

// out[i] = |x[i] - y[i]|
template <class Rule>
static __device__ __forceinline__ void abs_diff_body(const float* x, const float* y, float* out, int n) {
    const int i = gdr_item();
    if (i < Rule::end(n)) out[i] = Rule::absolute(x[i] - y[i]);
}
#define ABS_DIFF_KERNEL(NAME, RULE)                                                           \
    extern "C" __global__ void NAME(const float* x, const float* y, float* out, int n) {      \
        abs_diff_body<RULE>(x, y, out, n);                                                    \
    }

// out[i] = (x[i] - y[i])^2
template <class Rule>
static __device__ __forceinline__ void squared_diff_body(const float* x, const float* y, float* out, int n) {
    const int i = gdr_item();
    if (i < Rule::end(n)) out[i] = Rule::squared(x[i] - y[i]);
}
#define SQUARED_DIFF_KERNEL(NAME, RULE)                                                       \
    extern "C" __global__ void NAME(const float* x, const float* y, float* out, int n) {      \
        squared_diff_body<RULE>(x, y, out, n);                                                \
    }

// partial[block] = the largest of the block's 256 elements, or of what is left of them
template <class Rule>
static __device__ __forceinline__ void max_reduce_body(const float* x, float* partial, int n) {
    __shared__ WavePlaces places;
    const int i = gdr_item();
    const float most = Rule::largest(i < Rule::end(n) ? x[i] : Rule::least, places);
    if (threadIdx.x == 0 && blockIdx.x * blockDim.x < n) partial[blockIdx.x] = most;
}
#define MAX_REDUCE_KERNEL(NAME, RULE)                                                                            \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const float* x, float* partial, int n) {        \
        max_reduce_body<RULE>(x, partial, n);                                                                    \
    }

// partial[block] = the sum of the block's 256 elements, or of what is left of them
template <class Rule>
static __device__ __forceinline__ void sum_reduce_body(const float* x, float* partial, int n) {
    __shared__ WavePlaces places;
    const int i = gdr_item();
    const float sum = Rule::sum(i < Rule::end(n) ? x[i] : 0.0f, places);
    if (threadIdx.x == 0 && blockIdx.x * blockDim.x < n) partial[blockIdx.x] = sum;
}
#define SUM_REDUCE_KERNEL(NAME, RULE)                                                                            \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const float* x, float* partial, int n) {        \
        sum_reduce_body<RULE>(x, partial, n);                                                                    \
    }

// The bits go their way as integers: a load or store of a float could make a signalling NaN quiet.
template <class Rule>
static __device__ __forceinline__ void bf16_to_float_body(const Bf16* x, unsigned* out, int n) {
    const int i = gdr_item();
    if (i < n) out[i] = Rule::place(x[i].bits);
}
#define BF16_TO_FLOAT_KERNEL(NAME, RULE) \
    extern "C" __global__ void NAME(const Bf16* x, unsigned* out, int n) { bf16_to_float_body<RULE>(x, out, n); }

template <class Rule>
static __device__ __forceinline__ void float_to_bf16_body(const float* x, Bf16* out, int n) {
    const int i = gdr_item();
    if (i < n) out[i] = Rule::bf16(x[i]);
}
#define FLOAT_TO_BF16_KERNEL(NAME, RULE) \
    extern "C" __global__ void NAME(const float* x, Bf16* out, int n) { float_to_bf16_body<RULE>(x, out, n); }

// y = x / sqrt(sum x^2 + eps): a work-group a row of D elements, any D
template <class Rule, class Element>
static __device__ __forceinline__ void l2_normalize_body(const Element* x, Element* y, int rows, int D, float eps) {
    __shared__ WavePlaces places;
    const int row = blockIdx.x;
    if (row >= rows) return;
    const Element* from = x + (long)row * D;
    float squares = 0.0f;
    for (int d = threadIdx.x; d < D; d += blockDim.x) {
        const float value = gdr_float(from[d]);
        squares += value * value;
    }
    const float norm = Rule::norm(Rule::sum(squares, places), eps);
    for (int d = threadIdx.x; d < D; d += blockDim.x) Rule::store(y + (long)row * D + d, gdr_float(from[d]) / norm);
}
#define L2_NORMALIZE_KERNEL(NAME, RULE, ELEMENT)                                                                 \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const ELEMENT* x, ELEMENT* y, int rows, int D,  \
                                                                 float eps) {                                    \
        l2_normalize_body<RULE, ELEMENT>(x, y, rows, D, eps);                                                    \
    }
