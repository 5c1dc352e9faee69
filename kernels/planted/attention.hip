// Wrong attention kernels.
#pragma once
#include "common.hip"

// the sign of the exponent flipped (the gated delta rule's own mask, but not the document's)
extern "C" __global__ void planted_decay_sign(const float* g_cumsum, float* mask, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) mask[row * n + col] = (col <= row) ? expf(g_cumsum[row] - g_cumsum[col]) : 0.0f;
}

// the difference without its exponential
extern "C" __global__ void planted_decay_no_exp(const float* g_cumsum, float* mask, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) mask[row * n + col] = (col <= row) ? g_cumsum[col] - g_cumsum[row] : 0.0f;
}

// the part above the diagonal left unwritten
extern "C" __global__ void planted_decay_no_zeros(const float* g_cumsum, float* mask, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col <= row) mask[row * n + col] = expf(g_cumsum[col] - g_cumsum[row]);
}

// the mask of the other triangle
extern "C" __global__ void planted_decay_upper(const float* g_cumsum, float* mask, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) mask[row * n + col] = (col >= row) ? expf(g_cumsum[col] - g_cumsum[row]) : 0.0f;
}

static __device__ inline float key_product(const float* K, const float* K_beta, int S, int C, int row, int col) {
    float sum = 0.0f;
    for (int s = 0; s < S; s++) sum += K[s * C + row] * K_beta[s * C + col];
    return sum;
}

// the minus forgotten
extern "C" __global__ void planted_attn_no_minus(const float* K, const float* K_beta, const float* decay_mask,
                                                 float* attn, int S, int C) {
    int row = item_row(), col = item_col();
    if (row >= C || col >= C) return;
    attn[row * C + col] = (col < row) ? key_product(K, K_beta, S, C, row, col) * decay_mask[row * C + col] : 0.0f;
}

// the decay forgotten
extern "C" __global__ void planted_attn_no_decay(const float* K, const float* K_beta, const float* decay_mask,
                                                 float* attn, int S, int C) {
    int row = item_row(), col = item_col();
    if (row >= C || col >= C) return;
    attn[row * C + col] = (col < row) ? -key_product(K, K_beta, S, C, row, col) : 0.0f;
}

// the diagonal belongs to the matrix
extern "C" __global__ void planted_attn_with_diagonal(const float* K, const float* K_beta, const float* decay_mask,
                                                      float* attn, int S, int C) {
    int row = item_row(), col = item_col();
    if (row >= C || col >= C) return;
    attn[row * C + col] = (col <= row) ? -key_product(K, K_beta, S, C, row, col) * decay_mask[row * C + col] : 0.0f;
}

// beta of the row, not of the column
extern "C" __global__ void planted_attn_beta_of_row(const float* K, const float* K_beta, const float* decay_mask,
                                                    float* attn, int S, int C) {
    int row = item_row(), col = item_col();
    if (row >= C || col >= C) return;
    attn[row * C + col] = (col < row) ? -key_product(K, K_beta, S, C, col, row) * decay_mask[row * C + col] : 0.0f;
}

// K read as C x S
extern "C" __global__ void planted_attn_layout(const float* K, const float* K_beta, const float* decay_mask,
                                               float* attn, int S, int C) {
    int row = item_row(), col = item_col();
    if (row >= C || col >= C) return;
    float sum = 0.0f;
    for (int s = 0; s < S; s++) sum += K[row * S + s] * K_beta[col * S + s];
    attn[row * C + col] = (col < row) ? -sum * decay_mask[row * C + col] : 0.0f;
}
