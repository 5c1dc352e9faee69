// C = A B^T by tiles of 64 x 64: 256 work-items of 4 x 4 elements each, the contract of `gemm_nt` on another grid.
#include <hip/hip_runtime.h>

#define TILE 64
#define DEPTH 16

template <bool SWAPPED>
__device__ void tile(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float rows[DEPTH][TILE], columns[DEPTH][TILE];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int depth = 0; depth < k; depth += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
            const int line = i / DEPTH, at = depth + i % DEPTH;
            const int row = first_row + line, column = first_column + line;
            rows[i % DEPTH][line] = row < m && at < k ? a[row * k + at] : 0.0f;
            columns[i % DEPTH][line] = column < n && at < k ? b[column * k + at] : 0.0f;
        }
        __syncthreads();
        for (int d = 0; d < DEPTH; d++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += rows[d][4 * y + i] * columns[d][4 * x + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int row = first_row + 4 * y + i, column = first_column + 4 * x + j;
            if (row < m && column < n)
                c[row * n + column] = SWAPPED && i == 1 ? sum[2][j] : sum[i][j];
        }
}

extern "C" __global__ __launch_bounds__(256) void my_gemm_nt(const float *a, const float *b, float *c, int m, int n, int k) {
    tile<false>(a, b, c, m, n, k);
}

// Every fourth row is another's.
extern "C" __global__ __launch_bounds__(256) void my_gemm_nt_wrong(const float *a, const float *b, float *c, int m, int n, int k) {
    tile<true>(a, b, c, m, n, k);
}
