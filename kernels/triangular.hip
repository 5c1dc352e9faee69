// Triangular kernels: n x n row-major, columns along x and rows along y.
#pragma once
#include <hip/hip_runtime.h>

// dst keeps src where col <= row + diag, zero elsewhere
extern "C" __global__ void kernel_tril(const float* src, float* dst, int n, int diag) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) dst[row * n + col] = (col <= row + diag) ? src[row * n + col] : 0.0f;
}

// 1 strictly below the diagonal, 0 elsewhere
extern "C" __global__ void kernel_causal_mask(float* out, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) out[row * n + col] = (col < row) ? 1.0f : 0.0f;
}

// the identity matrix
extern "C" __global__ void kernel_eye(float* out, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) out[row * n + col] = (row == col) ? 1.0f : 0.0f;
}

// X of (I - A) X = B by forward substitution: A is n x n strictly lower, B and X are n x k.
// One work-item does it all; the launch is 1 x 1.
extern "C" __global__ void kernel_solve_tri_sequential(const float* A, const float* B, float* X, int n, int k) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int col = 0; col < k; col++) {
        for (int row = 0; row < n; row++) {
            float sum = B[row * k + col];
            for (int j = 0; j < row; j++) sum += A[row * n + j] * X[j * k + col];
            X[row * k + col] = sum;
        }
    }
}

// strictly lower part of in, plus the identity, zero above; in and out may be the same buffer
extern "C" __global__ void kernel_apply_causal_identity(const float* in, float* out, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float value = (col < row) ? in[row * n + col] : 0.0f;
        out[row * n + col] = (col == row) ? value + 1.0f : value;
    }
}
