// Kernels that break the rules of memory or of time, whatever they compute.
#pragma once
#include "common.hip"

// element n is written too
extern "C" __global__ void planted_sigmoid_one_past(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = 1.0f / (1.0f + expf(-in[i]));
    if (i == 0) out[n] = 0.5f;
}

// out[-1] is written too
extern "C" __global__ void planted_cumsum_one_before(const float* in, float* out, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float sum = 0.0f;
    out[-1] = sum;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

// the right result, and the input overwritten by it
extern "C" __global__ void planted_exp_clobbers_input(const float* in, float* out, int n) {
    int i = item();
    if (i >= n) return;
    float e = expf(in[i]);
    const_cast<float*>(in)[i] = e;
    out[i] = e;
}

// the last element is never written
extern "C" __global__ void planted_exp_last_unwritten(const float* in, float* out, int n) {
    int i = item();
    if (i < n - 1) out[i] = expf(in[i]);
}

// one NaN among right values
extern "C" __global__ void planted_mul_nan(const float* a, const float* b, float* out, int n) {
    int i = item();
    if (i < n) out[i] = i == n / 2 ? __uint_as_float(0x7fc00000u) : a[i] * b[i];
}

// one infinity among right values
extern "C" __global__ void planted_scale_inf(const float* in, float* out, int n, float s) {
    int i = item();
    if (i < n) out[i] = i == n - 1 ? __uint_as_float(0x7f800000u) : in[i] * s;
}

// waits for a signal that nobody sends
extern "C" __global__ void planted_exp_hangs(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = expf(in[i]);
    for (;;) __builtin_amdgcn_s_sleep(1);
}

// the length taken for a pointer: a read of unmapped memory
extern "C" __global__ void planted_neg_wild_read(const float* in, float* out, int n) {
    int i = item();
    if (i < n) out[i] = -reinterpret_cast<const float*>((size_t)n)[i];
}

// a byte offset used as an index, four times a terabyte away: a write to unmapped memory
extern "C" __global__ void planted_eye_wild_write(float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[((long)1 << 40) + row * n + col] = (row == col) ? 1.0f : 0.0f;
}
