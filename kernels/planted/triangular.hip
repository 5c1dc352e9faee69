// Wrong triangular kernels.
#pragma once
#include "common.hip"

// one diagonal too few: the diagonal itself is zeroed
extern "C" __global__ void planted_tril_off_by_one(const float* src, float* dst, int n, int diag) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) dst[row * n + col] = (col < row + diag) ? src[row * n + col] : 0.0f;
}

// the argument diag ignored: right for diag = 0 only
extern "C" __global__ void planted_tril_ignores_diag(const float* src, float* dst, int n, int diag) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) dst[row * n + col] = (col <= row) ? src[row * n + col] : 0.0f;
}

// the part above the diagonal left unwritten
extern "C" __global__ void planted_tril_no_zeros(const float* src, float* dst, int n, int diag) {
    int row = item_row(), col = item_col();
    if (row < n && col < n && col <= row + diag) dst[row * n + col] = src[row * n + col];
}

// the document's own bug: blockIdx.y without threadIdx.y, so one row a work-group is written
extern "C" __global__ void planted_causal_mask_row0(float* out, int n) {
    int row = blockIdx.y, col = item_col();
    if (row < n && col < n) out[row * n + col] = (col < row) ? 1.0f : 0.0f;
}

// the diagonal belongs to the mask
extern "C" __global__ void planted_causal_mask_with_diagonal(float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (col <= row) ? 1.0f : 0.0f;
}

// the mask of the other triangle
extern "C" __global__ void planted_causal_mask_upper(float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (col > row) ? 1.0f : 0.0f;
}

// ones beside the diagonal
extern "C" __global__ void planted_eye_shifted(float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (row == col + 1) ? 1.0f : 0.0f;
}

// ones everywhere but on the diagonal's last element
extern "C" __global__ void planted_eye_short(float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (row == col && row < n - 1) ? 1.0f : 0.0f;
}

// B where the solved rows of X belong: one step of the series, not the solution
extern "C" __global__ void planted_solve_uses_b(const float* A, const float* B, float* X, int n, int k) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int col = 0; col < k; col++) {
        for (int row = 0; row < n; row++) {
            float sum = B[row * k + col];
            for (int j = 0; j < row; j++) sum += A[row * n + j] * B[j * k + col];
            X[row * k + col] = sum;
        }
    }
}

// solves (I + A) X = B
extern "C" __global__ void planted_solve_wrong_sign(const float* A, const float* B, float* X, int n, int k) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int col = 0; col < k; col++) {
        for (int row = 0; row < n; row++) {
            float sum = B[row * k + col];
            for (int j = 0; j < row; j++) sum -= A[row * n + j] * X[j * k + col];
            X[row * k + col] = sum;
        }
    }
}

// solves (I - A^T) X = B, from the last row up
extern "C" __global__ void planted_solve_upper(const float* A, const float* B, float* X, int n, int k) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int col = 0; col < k; col++) {
        for (int row = n - 1; row >= 0; row--) {
            float sum = B[row * k + col];
            for (int j = row + 1; j < n; j++) sum += A[j * n + row] * X[j * k + col];
            X[row * k + col] = sum;
        }
    }
}

// the last product of each row forgotten
extern "C" __global__ void planted_solve_stops_early(const float* A, const float* B, float* X, int n, int k) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int col = 0; col < k; col++) {
        for (int row = 0; row < n; row++) {
            float sum = B[row * k + col];
            for (int j = 0; j < row - 1; j++) sum += A[row * n + j] * X[j * k + col];
            X[row * k + col] = sum;
        }
    }
}

// no identity: the diagonal is zero
extern "C" __global__ void planted_identity_missing(const float* in, float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (col < row) ? in[row * n + col] : 0.0f;
}

// the identity comes on top of the diagonal that was there
extern "C" __global__ void planted_identity_keeps_diagonal(const float* in, float* out, int n) {
    int row = item_row(), col = item_col();
    if (row >= n || col >= n) return;
    float value = (col <= row) ? in[row * n + col] : 0.0f;
    out[row * n + col] = (col == row) ? value + 1.0f : value;
}

// nothing zeroed above the diagonal
extern "C" __global__ void planted_identity_keeps_upper(const float* in, float* out, int n) {
    int row = item_row(), col = item_col();
    if (row < n && col < n) out[row * n + col] = (col == row) ? 1.0f : in[row * n + col];
}
