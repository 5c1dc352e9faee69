// Kernels under the documented names that use what nobody has written.
#include <hip/hip_runtime.h>

#define TILE 16

// The tiles are read before the other waves of the group have stored them: no barrier between.
extern "C" __global__ void kernel_gemm_nt_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s_A[TILE][TILE];
    __shared__ float s_B[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
        int a_col = t * TILE + tx, b_col = t * TILE + ty;
        s_A[ty][tx] = (row < M && a_col < K) ? A[row * K + a_col] : 0.0f;
        s_B[ty][tx] = (col < N && b_col < K) ? B[col * K + b_col] : 0.0f;
        for (int k = 0; k < TILE; k++) sum += s_A[ty][k] * s_B[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// A register that nothing sets.
extern "C" __global__ void kernel_add(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float more;
    asm volatile("v_mov_b32 %0, v30" : "=v"(more) : : "v30");
    if (i < n) out[i] = a[i] + b[i] + more;
}

// The sum of a local array of which the last element is never set.
extern "C" __global__ void kernel_sub(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float local[4];
    if (i >= n) return;
    for (int k = 0; k < 3; k++) local[k] = k == 0 ? a[i] : -b[i] / 2.0f;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) sum += local[k];
    out[i] = sum;
}

// Added to what the output held.
extern "C" __global__ void kernel_mul(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += a[i] * b[i];
}
