// Element-wise kernels: one work-item an element, one-dimensional grid.
#pragma once
#include <hip/hip_runtime.h>

// out[i] = 1 / (1 + e^-in[i])
extern "C" __global__ void kernel_sigmoid(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1.0f / (1.0f + expf(-in[i]));
}

// out[i] = e^in[i]
extern "C" __global__ void kernel_exp(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = expf(in[i]);
}

// out[i] = a[i] * b[i]
extern "C" __global__ void kernel_mul(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

// out[i] = a[i] + b[i]
extern "C" __global__ void kernel_add(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

// out[i] = a[i] - b[i]
extern "C" __global__ void kernel_sub(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] - b[i];
}

// out[i] = -in[i]; in and out may be the same buffer
extern "C" __global__ void kernel_neg(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = -in[i];
}

// out[i] = in[i] * s
extern "C" __global__ void kernel_scale(const float* in, float* out, int n, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * s;
}

// out[i] = in[0] + ... + in[i], by one work-item
extern "C" __global__ void kernel_cumsum_sequential(const float* in, float* out, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
