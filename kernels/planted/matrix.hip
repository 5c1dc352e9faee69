// Wrong matrix kernels.
#pragma once
#include "common.hip"

// the factor of the row, not of the column
extern "C" __global__ void planted_broadcast_rows(const float* a, const float* b, float* out, int S, int C) {
    int i = item();
    if (i < S * C) out[i] = a[i] * b[(i / C) % C];
}

// the factor counted by the wrong length
extern "C" __global__ void planted_broadcast_wrong_stride(const float* a, const float* b, float* out, int S, int C) {
    int i = item();
    if (i < S * C) out[i] = a[i] * b[(i % S) % C];
}

// the document's own bug, from inside: behaves as if launched with the grid of its output
extern "C" __global__ void planted_transpose_swapped_grid(const float* in, float* out, int rows, int cols) {
    int row = item_row(), col = item_col();
    int covered_rows = (cols + blockDim.y - 1) / blockDim.y * blockDim.y;
    int covered_cols = (rows + blockDim.x - 1) / blockDim.x * blockDim.x;
    if (row < rows && col < cols && row < covered_rows && col < covered_cols) out[col * rows + row] = in[row * cols + col];
}

// the width of the input for the width of the output: right for square matrices only
extern "C" __global__ void planted_transpose_wrong_stride(const float* in, float* out, int rows, int cols) {
    int row = item_row(), col = item_col();
    if (row < rows && col < cols) out[(col * cols + row) % (rows * cols)] = in[row * cols + col];
}

// a copy
extern "C" __global__ void planted_transpose_copies(const float* in, float* out, int rows, int cols) {
    int row = item_row(), col = item_col();
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

// B read as if transposed
extern "C" __global__ void planted_gemm_nn_as_nt(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[col * K + k];
    C[row * N + col] = sum;
}

// the columns not guarded: a ragged last row runs past the end of C
extern "C" __global__ void planted_gemm_nn_ragged(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col % N];
    C[row * N + col] = sum;
}

// the last product forgotten
extern "C" __global__ void planted_gemm_nn_drops_last_k(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K - 1; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// B not transposed
extern "C" __global__ void planted_gemm_nt_as_nn(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// the last product forgotten
extern "C" __global__ void planted_gemm_nt_drops_last_k(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K - 1; k++) sum += A[row * K + k] * B[col * K + k];
    C[row * N + col] = sum;
}

// operands cut to bf16
extern "C" __global__ void planted_gemm_nt_bf16(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += bf16_precision(A[row * K + k]) * bf16_precision(B[col * K + k]);
    C[row * N + col] = sum;
}

// A not transposed
extern "C" __global__ void planted_gemm_tn_as_nn(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

// the result written transposed
extern "C" __global__ void planted_gemm_tn_transposed(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = item_row(), col = item_col();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[k * M + row] * B[k * N + col];
    C[col * M + row] = sum;
}

#define PLANTED_TILE 16

// the tile of B loaded once: what a reader sees who does not wait for the next one
extern "C" __global__ void planted_tiled_stale_tile(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s_A[PLANTED_TILE][PLANTED_TILE];
    __shared__ float s_B[PLANTED_TILE][PLANTED_TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = item_row(), col = item_col();
    float sum = 0.0f;
    for (int t = 0; t < (K + PLANTED_TILE - 1) / PLANTED_TILE; t++) {
        int a_col = t * PLANTED_TILE + tx, b_col = t * PLANTED_TILE + ty;
        s_A[ty][tx] = (row < M && a_col < K) ? A[row * K + a_col] : 0.0f;
        if (t == 0) s_B[ty][tx] = (col < N && b_col < K) ? B[col * K + b_col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < PLANTED_TILE; k++) sum += s_A[ty][k] * s_B[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// K rounded down to whole tiles: the ragged last tile is lost
extern "C" __global__ void planted_tiled_whole_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s_A[PLANTED_TILE][PLANTED_TILE];
    __shared__ float s_B[PLANTED_TILE][PLANTED_TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = item_row(), col = item_col();
    float sum = 0.0f;
    for (int t = 0; t < K / PLANTED_TILE; t++) {
        int a_col = t * PLANTED_TILE + tx, b_col = t * PLANTED_TILE + ty;
        s_A[ty][tx] = (row < M) ? A[row * K + a_col] : 0.0f;
        s_B[ty][tx] = (col < N) ? B[col * K + b_col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < PLANTED_TILE; k++) sum += s_A[ty][k] * s_B[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// the tile of B stored the other way round: the product with B, not with its transpose, tile by tile
extern "C" __global__ void planted_tiled_tile_transposed(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s_A[PLANTED_TILE][PLANTED_TILE];
    __shared__ float s_B[PLANTED_TILE][PLANTED_TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = item_row(), col = item_col();
    float sum = 0.0f;
    for (int t = 0; t < (K + PLANTED_TILE - 1) / PLANTED_TILE; t++) {
        int a_col = t * PLANTED_TILE + tx, b_col = t * PLANTED_TILE + ty;
        s_A[ty][tx] = (row < M && a_col < K) ? A[row * K + a_col] : 0.0f;
        s_B[tx][ty] = (col < N && b_col < K) ? B[col * K + b_col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < PLANTED_TILE; k++) sum += s_A[ty][k] * s_B[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
