// Layer norm of the rows of x, and mistakes in it. One wave computes a row.
#include <hip/hip_runtime.h>

static __device__ float sum(float value) {
    for (int distance = 32; distance > 0; distance /= 2) value += __shfl_xor(value, distance);
    return value;
}

static __device__ void norm(const float *x, const float *w, const float *b, float *y, int D, float eps, int count) {
    const float *row = x + blockIdx.x * D;
    float total = 0, squares = 0;
    for (int d = threadIdx.x; d < D; d += 64) total += row[d];
    const float mean = sum(total) / D;
    for (int d = threadIdx.x; d < D; d += 64) squares += (row[d] - mean) * (row[d] - mean);
    const float factor = 1 / sqrtf(sum(squares) / count + eps);
    for (int d = threadIdx.x; d < D; d += 64) y[blockIdx.x * D + d] = (row[d] - mean) * factor * w[d] + b[d];
}

extern "C" __global__ void layer_norm(const float *x, const float *w, const float *b, float *y, int D, float eps) {
    norm(x, w, b, y, D, eps, D);
}

extern "C" __global__ void wrong_count(const float *x, const float *w, const float *b, float *y, int D, float eps) {
    norm(x, w, b, y, D, eps, D - 1);
}

extern "C" __global__ void wrong_order(const float *x, const float *w, const float *b, float *y, int D, float eps) {
    norm(x, b, w, y, D, eps, D);
}

extern "C" __global__ void wrong_bias(const float *x, const float *w, const float *b, float *y, int D, float eps) {
    norm(x, w, w, y, D, eps, D);
}
