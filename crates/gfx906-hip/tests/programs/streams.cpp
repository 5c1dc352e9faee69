// Streams, events, asynchronous copies, callbacks, threads.
#include <atomic>
#include <thread>

#include "check.h"

__global__ void add(float* x, float y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y;
}

std::atomic<int> calls{0};

void on_stream(hipStream_t, hipError_t status, void* data) {
    REQUIRE(status == hipSuccess && *static_cast<int*>(data) == 17);
    ++calls;
}

int main() {
    constexpr int N = 10000;
    hipStream_t streams[3];
    HIP_CHECK(hipStreamCreate(&streams[0]));
    HIP_CHECK(hipStreamCreateWithFlags(&streams[1], hipStreamNonBlocking));
    int least = 0, greatest = 0;
    HIP_CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    REQUIRE(greatest <= least);
    HIP_CHECK(hipStreamCreateWithPriority(&streams[2], hipStreamDefault, greatest));
    int priority = 0;
    unsigned flags = 9;
    HIP_CHECK(hipStreamGetPriority(streams[2], &priority));
    HIP_CHECK(hipStreamGetFlags(streams[1], &flags));
    REQUIRE(priority == greatest && flags == hipStreamNonBlocking);

    float *host[3], *device[3];
    for (int s = 0; s < 3; ++s) {
        HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&host[s]), N * sizeof(float), hipHostMallocDefault));
        HIP_CHECK(hipMallocAsync(reinterpret_cast<void**>(&device[s]), N * sizeof(float), streams[s]));
        for (int i = 0; i < N; ++i) host[s][i] = float(i);
    }
    hipEvent_t start, stop, quick;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));
    HIP_CHECK(hipEventCreateWithFlags(&quick, hipEventDisableTiming));
    float ms = -1;
    EXPECT(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, stop));
    HIP_CHECK(hipEventRecord(start, streams[0]));
    for (int s = 0; s < 3; ++s) {
        HIP_CHECK(hipMemcpyAsync(device[s], host[s], N * sizeof(float), hipMemcpyHostToDevice, streams[s]));
        for (int round = 0; round < 4; ++round) add<<<(N + 255) / 256, 256, 0, streams[s]>>>(device[s], s + 1.0f, N);
        HIP_CHECK(hipMemcpyAsync(host[s], device[s], N * sizeof(float), hipMemcpyDeviceToHost, streams[s]));
    }
    HIP_CHECK(hipEventRecord(stop, streams[0]));
    HIP_CHECK(hipEventRecord(quick, streams[1]));
    HIP_CHECK(hipStreamWaitEvent(streams[2], quick, 0));
    int data = 17;
    HIP_CHECK(hipStreamAddCallback(streams[0], on_stream, &data, 0));
    for (auto stream : streams) HIP_CHECK(hipStreamSynchronize(stream));
    HIP_CHECK(hipEventSynchronize(stop));
    HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
    REQUIRE(ms > 0.0f && calls == 1);
    EXPECT(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, quick));
    HIP_CHECK(hipEventQuery(stop));
    HIP_CHECK(hipStreamQuery(streams[1]));
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < N; ++i) REQUIRE(host[s][i] == i + 4.0f * (s + 1));

    // Threads of their own, each with a stream and its own last error.
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            hipStream_t stream;
            HIP_CHECK(hipStreamCreate(&stream));
            float* x = device_alloc<float>(N);
            std::vector<float> out(N);
            HIP_CHECK(hipMemsetAsync(x, 0, N * sizeof(float), stream));
            for (int round = 0; round < 10; ++round) add<<<(N + 255) / 256, 256, 0, stream>>>(x, t + 1.0f, N);
            HIP_CHECK(hipMemcpyAsync(out.data(), x, N * sizeof(float), hipMemcpyDeviceToHost, stream));
            HIP_CHECK(hipStreamSynchronize(stream));
            for (float y : out) REQUIRE(y == 10.0f * (t + 1));
            HIP_CHECK(hipGetLastError());
            HIP_CHECK(hipFree(x));
            HIP_CHECK(hipStreamDestroy(stream));
        });
    for (auto& thread : threads) thread.join();

    for (int s = 0; s < 3; ++s) {
        HIP_CHECK(hipFreeAsync(device[s], streams[s]));
        HIP_CHECK(hipHostFree(host[s]));
        HIP_CHECK(hipStreamDestroy(streams[s]));
        EXPECT(hipErrorContextIsDestroyed, hipStreamSynchronize(streams[s]));
    }
    HIP_CHECK(hipEventDestroy(start));
    EXPECT(hipErrorContextIsDestroyed, hipEventDestroy(start));
    EXPECT(hipErrorInvalidHandle, hipEventRecord(start, 0));
    add<<<1, 64, 0, streams[0]>>>(nullptr, 0, 0);
    EXPECT(hipErrorContextIsDestroyed, hipGetLastError());
    std::printf("streams: ok\n");
}
