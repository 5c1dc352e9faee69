// The documented attention kernels: C tokens a chunk, S the head dimension; K is S x C.
#pragma once
#include <hip/hip_runtime.h>

// mask[i][j] = e^(g_cumsum[j] - g_cumsum[i]) for j <= i, else 0
// (the document's sign: not the gated delta rule's, see the README)
extern "C" __global__ void kernel_decay_mask(const float* g_cumsum, float* mask, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        mask[row * n + col] = (col <= row) ? expf(g_cumsum[col] - g_cumsum[row]) : 0.0f;
    }
}

// attn = -(K^T K_beta) * decay_mask strictly below the diagonal, 0 elsewhere
extern "C" __global__ void kernel_attention_matrix_fused(const float* K, const float* K_beta,
                                                         const float* decay_mask, float* attn, int S, int C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < C && col < C) {
        float sum = 0.0f;
        for (int s = 0; s < S; s++) sum += K[s * C + row] * K_beta[s * C + col];
        attn[row * C + col] = (col < row) ? -sum * decay_mask[row * C + col] : 0.0f;
    }
}
