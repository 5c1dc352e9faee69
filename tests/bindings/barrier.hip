// Rows of `a` times `b`, which passes through LDS. A barrier is missing in both kernels.
#include <hip/hip_runtime.h>

// The first wave writes what all waves read: right as long as it comes first.
extern "C" __global__ __launch_bounds__(256) void read_too_early(const float *a, const float *b, float *out, int rows, int columns) {
    __shared__ float factor[64];
    const int lane = threadIdx.x % 64, column = 64 * blockIdx.x + lane, row = 4 * blockIdx.y + threadIdx.x / 64;
    if (threadIdx.x < 64)
        factor[lane] = column < columns ? b[column] : 0.0f;
    if (row < rows && column < columns)
        out[row * columns + column] = a[row * columns + column] * factor[lane];
}

// Each row writes the same factors again while other waves read those of the row before: right in any order.
extern "C" __global__ __launch_bounds__(256) void written_again(const float *a, const float *b, float *out, int rows, int columns) {
    __shared__ float factor[256];
    const int first = 256 * blockIdx.x, other = 255 - threadIdx.x;
    for (int row = 0; row < rows; row++) {
        factor[threadIdx.x] = first + (int)threadIdx.x < columns ? b[first + threadIdx.x] : 0.0f;
        __syncthreads();
        if (first + other < columns)
            out[row * columns + first + other] = a[row * columns + first + other] * factor[other];
    }
}
