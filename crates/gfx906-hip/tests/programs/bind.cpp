// Kernels that compute two of deltanet-check's contracts under names, tiles and arguments of their own: their launches are recorded, and
// bindings are made from the records.
#include "check.h"

constexpr int TILE = 16;

// a * b, four elements to a work-item.
__global__ void times(float* result, const float* left, const float* right, int count) {
    for (int part = 0; part < 4; ++part) {
        int i = (blockIdx.x * 4 + part) * blockDim.x + threadIdx.x;
        if (i < count) result[i] = left[i] * right[i];
    }
}

// Rows of one matrix by rows of another: C = A B^T, the depth first among the sizes and in 64 bits.
__global__ void rows_by_rows(const float* left, const float* right, float* result, long depth, int rows, int columns) {
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    int other = blockIdx.x * TILE + threadIdx.y;
    float sum = 0.0f;
    for (long at = 0; at < depth; at += TILE) {
        long k = at + threadIdx.x;
        x[threadIdx.y][threadIdx.x] = row < rows && k < depth ? left[row * depth + k] : 0.0f;
        y[threadIdx.y][threadIdx.x] = other < columns && k < depth ? right[other * depth + k] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += x[threadIdx.y][i] * y[threadIdx.x][i];
        __syncthreads();
    }
    if (row < rows && column < columns) result[row * columns + column] = sum;
}

float* filled(const std::vector<float>& values) {
    float* device = device_alloc<float>(values.size());
    to_device(device, values.data(), values.size());
    return device;
}

bool test_times(int n) {
    std::vector<float> a(n), b(n), want(n), got(n);
    fill_random(a.data(), n, -2.0f, 2.0f);
    fill_random(b.data(), n, -2.0f, 2.0f);
    for (int i = 0; i < n; ++i) want[i] = a[i] * b[i];
    float *left = filled(a), *right = filled(b), *result = device_alloc<float>(n);
    times<<<(n + 511) / 512, 128>>>(result, left, right, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    to_host(got.data(), result, n);
    float diff = max_diff(want.data(), got.data(), n);
    report("times", diff == 0.0f, diff);
    for (float* one : {left, right, result}) HIP_CHECK(hipFree(one));
    return diff == 0.0f;
}

bool test_rows_by_rows(int m, int n, int k) {
    std::vector<float> a(m * k), b(n * k), want(m * n), got(m * n);
    fill_random(a.data(), m * k, -1.0f, 1.0f);
    fill_random(b.data(), n * k, -1.0f, 1.0f);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int c = 0; c < k; ++c) sum += double(a[i * k + c]) * b[j * k + c];
            want[i * n + j] = float(sum);
        }
    float *left = filled(a), *right = filled(b), *result = device_alloc<float>(m * n);
    rows_by_rows<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(left, right, result, k, m, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    to_host(got.data(), result, m * n);
    float diff = max_diff(want.data(), got.data(), m * n);
    report("rows by rows", diff < 1e-5f, diff);
    for (float* one : {left, right, result}) HIP_CHECK(hipFree(one));
    return diff < 1e-5f;
}

int main() {
    bool ok = test_times(3000);
    ok &= test_rows_by_rows(100, 72, 40);
    return ok ? 0 : 1;
}
