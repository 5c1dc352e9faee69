// Matrix kernels: row-major, one work-item an element of the output (of the input for the transpose),
// columns along x and rows along y.
#pragma once
#include <hip/hip_runtime.h>

// out[s][c] = a[s][c] * b[c], a is S x C. One-dimensional grid over S*C.
extern "C" __global__ void kernel_broadcast_mul(const float* a, const float* b, float* out, int S, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < S * C) out[i] = a[i] * b[i % C];
}

// out[j][i] = in[i][j], in is rows x cols: the grid covers the INPUT
extern "C" __global__ void kernel_transpose(const float* in, float* out, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

// C = A B: A is M x K, B is K x N
extern "C" __global__ void kernel_gemm_nn_naive(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

// C = A B^T: A is M x K, B is N x K
extern "C" __global__ void kernel_gemm_nt_naive(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += A[row * K + k] * B[col * K + k];
        C[row * N + col] = sum;
    }
}

// C = A^T B: A is K x M, B is K x N
extern "C" __global__ void kernel_gemm_tn_naive(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += A[k * M + row] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

#define TILE_SIZE 16

// C = A B^T through LDS, blocks of 16 x 16 work-items: A is M x K, B is N x K
extern "C" __global__ void kernel_gemm_nt_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s_A[TILE_SIZE][TILE_SIZE];
    __shared__ float s_B[TILE_SIZE][TILE_SIZE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE_SIZE + ty;
    int col = blockIdx.x * TILE_SIZE + tx;
    float sum = 0.0f;
    for (int t = 0; t < (K + TILE_SIZE - 1) / TILE_SIZE; t++) {
        int a_col = t * TILE_SIZE + tx;
        int b_col = t * TILE_SIZE + ty;
        s_A[ty][tx] = (row < M && a_col < K) ? A[row * K + a_col] : 0.0f;
        s_B[ty][tx] = (col < N && b_col < K) ? B[col * K + b_col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_SIZE; k++) sum += s_A[ty][k] * s_B[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
