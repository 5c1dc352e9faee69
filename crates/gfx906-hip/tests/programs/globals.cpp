// Constant memory, variables of the device, managed variables.
#include "check.h"

__constant__ float weights[16];
__device__ int counter = 40;
__device__ float table[64];
__managed__ int shared_value = 7;
__managed__ float shared_table[4] = {1, 2, 3, 4};

__global__ void use(float* out) {
    int i = threadIdx.x;
    out[i] = weights[i % 16] + table[i];
    if (i == 0) {
        counter += 2;
        shared_value *= 3;
        shared_table[2] += 0.5f;
    }
}

int main() {
    float w[16], t[64], out[64];
    for (int i = 0; i < 16; ++i) w[i] = i * 0.5f;
    for (int i = 0; i < 64; ++i) t[i] = 100.0f * i;
    HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), w, sizeof w));
    HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), t, 32 * sizeof(float)));
    HIP_CHECK(hipMemcpyToSymbolAsync(HIP_SYMBOL(table), t + 32, 32 * sizeof(float), 32 * sizeof(float),
                                     hipMemcpyHostToDevice, 0));
    void* address = nullptr;
    size_t size = 0;
    HIP_CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
    HIP_CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
    REQUIRE(address != nullptr && size == sizeof table);
    float third = 0;
    HIP_CHECK(hipMemcpy(&third, static_cast<float*>(address) + 3, sizeof third, hipMemcpyDeviceToHost));
    REQUIRE(third == 300.0f);
    hipPointerAttribute_t attributes;
    HIP_CHECK(hipPointerGetAttributes(&attributes, address));
    REQUIRE(attributes.memoryType == hipMemoryTypeDevice);

    float* d_out = device_alloc<float>(64);
    use<<<1, 64>>>(d_out);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(out, d_out, 64);
    for (int i = 0; i < 64; ++i) REQUIRE(out[i] == w[i % 16] + t[i]);

    int count = 0;
    HIP_CHECK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
    REQUIRE(count == 42);
    REQUIRE(shared_value == 21 && shared_table[2] == 3.5f && shared_table[3] == 4.0f);
    shared_value = 1;
    use<<<1, 64>>>(d_out);
    HIP_CHECK(hipDeviceSynchronize());
    REQUIRE(shared_value == 3);

    // An unknown symbol, a copy beyond its end, a copy in the wrong direction.
    int plain = 0;
    EXPECT(hipErrorInvalidSymbol, hipMemcpyToSymbol(&plain, w, 4));
    EXPECT(hipErrorInvalidSymbol, hipGetSymbolAddress(&address, &plain));
    EXPECT(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(weights), t, sizeof w + 4));
    EXPECT(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(weights), t, 4, sizeof w));
    EXPECT(hipErrorInvalidMemcpyDirection, hipMemcpyToSymbol(HIP_SYMBOL(weights), t, 4, 0, hipMemcpyDeviceToHost));
    REQUIRE(hipGetLastError() == hipErrorInvalidMemcpyDirection);

    // A reset restores the initial values.
    HIP_CHECK(hipDeviceReset());
    HIP_CHECK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
    REQUIRE(count == 40);
    std::printf("globals: ok\n");
}
