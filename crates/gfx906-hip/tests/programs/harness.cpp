// A typical test harness: random inputs, a reference on the host, a launch, the largest difference.
#include "check.h"

constexpr int TILE = 16;

__global__ void sigmoid(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1.0f / (1.0f + expf(-in[i]));
}

__global__ void scan_rows(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) out[row * columns + c] = sum += in[row * columns + c];
}

// C = A B^T by tiles in LDS.
__global__ void gemm_nt(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int at = 0; at < k; at += TILE) {
        int x = at + threadIdx.x, other = blockIdx.x * TILE + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = other < n && x < k ? b[other * k + x] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[threadIdx.x][i];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// Softmax of each row by one block, whose size is a power of two.
__global__ void softmax(const float* in, float* out, int columns) {
    __shared__ float part[256];
    const float* x = in + blockIdx.x * columns;
    float most = -INFINITY;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, x[c]);
    part[threadIdx.x] = most;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    }
    __syncthreads();
    most = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(x[c] - most);
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = expf(x[c] - most) / part[0];
}

struct Pair {
    double a;
    char tag;
    float3 v;
};

__global__ void by_value(Pair p, short s, double* out) { out[threadIdx.x] = p.a + p.tag + p.v.x + p.v.y + p.v.z + s; }

bool test_sigmoid(int n) {
    std::vector<float> in(n), expected(n), out(n);
    fill_random(in.data(), n, -8.0f, 8.0f);
    for (int i = 0; i < n; ++i) expected[i] = 1.0f / (1.0f + std::exp(-in[i]));
    float *d_in = device_alloc<float>(n), *d_out = device_alloc<float>(n);
    to_device(d_in, in.data(), n);
    sigmoid<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out.data(), d_out, n);
    float diff = max_diff(expected.data(), out.data(), n);
    report("sigmoid", diff < 1e-5f, diff);
    HIP_CHECK(hipFree(d_in));
    HIP_CHECK(hipFree(d_out));
    return diff < 1e-5f;
}

void test_scan(int rows, int columns) {
    int n = rows * columns;
    std::vector<float> in(n), expected(n), out(n);
    fill_random(in.data(), n, -1.0f, 1.0f);
    for (int r = 0; r < rows; ++r) {
        float sum = 0.0f;
        for (int c = 0; c < columns; ++c) expected[r * columns + c] = sum += in[r * columns + c];
    }
    float *d_in = device_alloc<float>(n), *d_out = device_alloc<float>(n);
    to_device(d_in, in.data(), n);
    hipLaunchKernelGGL(scan_rows, dim3((rows + 63) / 64), dim3(64), 0, 0, d_in, d_out, rows, columns);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out.data(), d_out, n);
    float diff = max_diff(expected.data(), out.data(), n);
    report("scan_rows", diff == 0.0f, diff);
    HIP_CHECK(hipFree(d_in));
    HIP_CHECK(hipFree(d_out));
}

void test_gemm(int m, int n, int k) {
    std::vector<float> a(m * k), b(n * k), expected(m * n), out(m * n);
    fill_random(a.data(), a.size(), -1.0f, 1.0f);
    fill_random(b.data(), b.size(), -1.0f, 1.0f);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (int x = 0; x < k; ++x) sum = std::fma(a[i * k + x], b[j * k + x], sum);
            expected[i * n + j] = sum;
        }
    float *d_a = device_alloc<float>(m * k), *d_b = device_alloc<float>(n * k), *d_c = device_alloc<float>(m * n);
    to_device(d_a, a.data(), a.size());
    to_device(d_b, b.data(), b.size());
    gemm_nt<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(d_a, d_b, d_c, m, n, k);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out.data(), d_c, out.size());
    float diff = max_diff(expected.data(), out.data(), out.size());
    report("gemm_nt", diff < 1e-4f, diff);
    HIP_CHECK(hipFree(d_a));
    HIP_CHECK(hipFree(d_b));
    HIP_CHECK(hipFree(d_c));
}

void test_softmax(int rows, int columns) {
    int n = rows * columns;
    std::vector<float> in(n), expected(n), out(n);
    fill_random(in.data(), n, -5.0f, 5.0f);
    for (int r = 0; r < rows; ++r) {
        float most = -INFINITY, sum = 0.0f;
        for (int c = 0; c < columns; ++c) most = std::fmax(most, in[r * columns + c]);
        for (int c = 0; c < columns; ++c) sum += std::exp(in[r * columns + c] - most);
        for (int c = 0; c < columns; ++c) expected[r * columns + c] = std::exp(in[r * columns + c] - most) / sum;
    }
    float *d_in = device_alloc<float>(n), *d_out = device_alloc<float>(n);
    to_device(d_in, in.data(), n);
    softmax<<<rows, 256>>>(d_in, d_out, columns);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out.data(), d_out, n);
    float diff = max_diff(expected.data(), out.data(), n);
    report("softmax", diff < 1e-5f, diff);
    HIP_CHECK(hipFree(d_in));
    HIP_CHECK(hipFree(d_out));
}

void test_by_value() {
    double out[64], *d_out = device_alloc<double>(64);
    by_value<<<1, 64>>>(Pair{1.5, 2, make_float3(1, 2, 3)}, -4, d_out);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out, d_out, 64);
    report("by_value", out[0] == 5.5 && out[63] == 5.5, float(out[0] - 5.5));
    HIP_CHECK(hipFree(d_out));
}

int main() {
    hipDeviceProp_t properties;
    int devices = 0;
    HIP_CHECK(hipGetDeviceCount(&devices));
    HIP_CHECK(hipGetDeviceProperties(&properties, 0));
    REQUIRE(devices == 1 && properties.warpSize == 64 && properties.gcnArch == 906);
    std::printf("%s, %s\n", properties.name, properties.gcnArchName);
    test_sigmoid(1000);
    test_sigmoid(1);
    test_scan(100, 33);
    test_gemm(33, 47, 65);
    test_gemm(64, 64, 64);
    test_softmax(9, 777);
    test_by_value();
    std::printf("%d failures\n", failures);
    return failures != 0;
}
