// Dynamic LDS, shuffles, votes, barriers that count.
#include "check.h"

__global__ void reverse(int* data) {
    extern __shared__ int rows[];
    int i = threadIdx.x, n = blockDim.x;
    rows[i] = data[blockIdx.x * n + i];
    __syncthreads();
    data[blockIdx.x * n + i] = rows[n - 1 - i];
}

__global__ void wave_sums(const float* in, float* out) {
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 32; step; step /= 2) x += __shfl_down(x, step);
    if (threadIdx.x % 64 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 64] = x;
}

__global__ void votes(const int* in, unsigned long long* ballots, int* others) {
    int i = threadIdx.x, x = in[i];
    unsigned long long ballot = __ballot(x > 50);
    if (i % 64 == 0) {
        ballots[i / 64] = ballot;
        others[4 * (i / 64)] = __popcll(ballot);
    }
    int any = __any(x > 98), all = __all(x >= 0), across = __shfl_xor(x, 1), from = __shfl(x, 5);
    if (i % 64 == 1) {
        others[4 * (i / 64) + 1] = any * 2 + all;
        others[4 * (i / 64) + 2] = across;
        others[4 * (i / 64) + 3] = from;
    }
}

int main() {
    constexpr int N = 4 * 192;
    std::vector<int> data(N);
    for (int i = 0; i < N; ++i) data[i] = i;
    int* d = device_alloc<int>(N);
    to_device(d, data.data(), N);
    reverse<<<4, 192, 192 * sizeof(int)>>>(d);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(data.data(), d, N);
    for (int i = 0; i < N; ++i) REQUIRE(data[i] == i / 192 * 192 + 191 - i % 192);
    HIP_CHECK(hipFuncSetAttribute(reinterpret_cast<const void*>(reverse), hipFuncAttributeMaxDynamicSharedMemorySize,
                                  65536));
    EXPECT(hipErrorInvalidValue,
           hipFuncSetAttribute(reinterpret_cast<const void*>(reverse), hipFuncAttributeMaxDynamicSharedMemorySize, 65537));
    reverse<<<4, 192, 65536>>>(d);
    HIP_CHECK(hipDeviceSynchronize());

    std::vector<float> x(512), sums(8);
    for (int i = 0; i < 512; ++i) x[i] = float(i % 37);
    float *d_x = device_alloc<float>(512), *d_sums = device_alloc<float>(8);
    to_device(d_x, x.data(), 512);
    wave_sums<<<2, 256>>>(d_x, d_sums);
    to_host(sums.data(), d_sums, 8);
    for (int w = 0; w < 8; ++w) {
        float sum = 0;
        for (int i = 0; i < 64; ++i) sum += x[64 * w + i];
        REQUIRE(sums[w] == sum);
    }

    std::vector<int> in(128), others(8);
    std::vector<unsigned long long> ballots(2);
    for (int i = 0; i < 128; ++i) in[i] = (i * 29) % 100;
    int *d_in = device_alloc<int>(128), *d_others = device_alloc<int>(8);
    auto* d_ballots = device_alloc<unsigned long long>(2);
    to_device(d_in, in.data(), 128);
    votes<<<1, 128>>>(d_in, d_ballots, d_others);
    to_host(ballots.data(), d_ballots, 2);
    to_host(others.data(), d_others, 8);
    for (int w = 0; w < 2; ++w) {
        unsigned long long ballot = 0;
        bool any = false;
        for (int i = 0; i < 64; ++i) {
            ballot |= (unsigned long long)(in[64 * w + i] > 50) << i;
            any |= in[64 * w + i] > 98;
        }
        REQUIRE(ballots[w] == ballot);
        REQUIRE(others[4 * w] == __builtin_popcountll(ballot));
        REQUIRE(others[4 * w + 1] == any * 2 + 1);
        REQUIRE(others[4 * w + 2] == in[64 * w] && others[4 * w + 3] == in[64 * w + 5]);
    }
    std::printf("lanes: ok\n");
}
