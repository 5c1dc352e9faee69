// Wrong element-wise kernels.
#pragma once
#include "common.hip"

// the minus in the exponent forgotten: 1 - sigmoid
extern "C" __global__ void planted_sigmoid_no_negation(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = 1.0f / (1.0f + expf(in[i]));
}

// tanh's half: off by the missing shift of the argument
extern "C" __global__ void planted_sigmoid_as_tanh(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = 0.5f * (1.0f + tanhf(in[i]));
}

// base 2 for base e
extern "C" __global__ void planted_exp_base2(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = exp2f(in[i]);
}

// the result goes through half precision
extern "C" __global__ void planted_exp_half(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = half_precision(expf(in[i]));
}

// the sum for the product
extern "C" __global__ void planted_mul_adds(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = a[i] + b[i];
}

// b read once a wave: lane 0's factor for all 64
extern "C" __global__ void planted_mul_first_lane(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = a[i] * b[i & ~63];
}

// lane 63 of each wave keeps its operand
extern "C" __global__ void planted_mul_lane63(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = (threadIdx.x & 63) == 63 ? a[i] : a[i] * b[i];
}

// n rounded down to whole work-groups: the tail stays unwritten
extern "C" __global__ void planted_add_drops_tail(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n / (int)blockDim.x * (int)blockDim.x) out[i] = a[i] + b[i];
}

// the product for the sum
extern "C" __global__ void planted_add_multiplies(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = a[i] * b[i];
}

// the operands the other way round
extern "C" __global__ void planted_sub_reversed(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = b[i] - a[i];
}

// the magnitude negated: wrong where the input is negative
extern "C" __global__ void planted_neg_abs(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = -fabsf(in[i]);
}

// nothing negated
extern "C" __global__ void planted_neg_copies(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = in[i];
}

// the factor forgotten
extern "C" __global__ void planted_scale_missing(const float* in, float* out, int n, float s) {
    int i = item();
    if (i < n) out[i] = in[i];
}

// divided where it should be multiplied
extern "C" __global__ void planted_scale_divides(const float* in, float* out, int n, float s) {
    int i = item();
    if (i < n) out[i] = in[i] / s;
}

// the sum before the element, not up to and including it
extern "C" __global__ void planted_cumsum_exclusive(const float* in, float* out, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

// the sum starts again every 16 elements, as a scan does that forgets the carry of its blocks
extern "C" __global__ void planted_cumsum_no_carry(const float* in, float* out, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum = (i % 16 == 0) ? in[i] : sum + in[i];
        out[i] = sum;
    }
}

// e^x / (1 + e^x): no number where e^x overflows
extern "C" __global__ void planted_sigmoid_overflows(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = expf(in[i]) / (1.0f + expf(in[i]));
}

// in passes of 64: of those before, only the last one is carried on
extern "C" __global__ void planted_cumsum_carry_lost(const float* in, float* out, int n) {
    float carry = 0.0f;
    for (int begin = 0; begin < n; begin += 64) {
        float sum = 0.0f;
        for (int i = begin; i < n && i < begin + 64; i++) out[i] = carry + (sum += in[i]);
        carry = sum;
    }
}

// one element alone is left out
extern "C" __global__ void planted_cumsum_one_left(const float* in, float* out, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n && n > 1; i++) out[i] = sum += in[i];
}
