// Virtual memory: addresses are reserved, memory is mapped piece by piece, used as a whole, and unmapped.
#include "check.h"

__global__ void count(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += i;
}

int main() {
    constexpr size_t PIECE = 2 << 20;
    constexpr int N = 2 * PIECE / sizeof(int);
    hipMemAllocationProp properties = {};
    properties.type = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    size_t least = 0, best = 0;
    HIP_CHECK(hipMemGetAllocationGranularity(&least, &properties, hipMemAllocationGranularityMinimum));
    HIP_CHECK(hipMemGetAllocationGranularity(&best, &properties, hipMemAllocationGranularityRecommended));
    REQUIRE(least > 0 && best % least == 0 && PIECE % best == 0);

    char* base = nullptr;
    HIP_CHECK(hipMemAddressReserve(reinterpret_cast<void**>(&base), 16 * PIECE, 0, nullptr, 0));
    EXPECT(hipErrorOutOfMemory, hipMemAddressReserve(reinterpret_cast<void**>(&base), least + 1, 0, nullptr, 0));
    size_t before, after, total;
    HIP_CHECK(hipMemGetInfo(&before, &total));
    hipMemGenericAllocationHandle_t handles[2], again;
    for (int n = 0; n < 2; ++n) {
        HIP_CHECK(hipMemCreate(&handles[n], PIECE, &properties, 0));
        HIP_CHECK(hipMemMap(base + n * PIECE, PIECE, 0, handles[n], 0));
        HIP_CHECK(hipMemRelease(handles[n]));
    }
    EXPECT(hipErrorInvalidValue, hipMemRelease(handles[0]));
    EXPECT(hipErrorInvalidValue, hipMemMap(base, PIECE, 0, handles[1], 0));
    hipMemAllocationProp found = {};
    HIP_CHECK(hipMemRetainAllocationHandle(&again, base + 100));
    REQUIRE(again == handles[0]);
    HIP_CHECK(hipMemGetAllocationPropertiesFromHandle(&found, again));
    REQUIRE(found.type == hipMemAllocationTypePinned && found.location.type == hipMemLocationTypeDevice);
    HIP_CHECK(hipMemRelease(again));

    // No kernel or copy may use the memory before access is given.
    std::vector<int> host(N);
    EXPECT(hipErrorInvalidValue, hipMemcpy(host.data(), base, 4, hipMemcpyDeviceToHost));
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    HIP_CHECK(hipMemSetAccess(base, 2 * PIECE, &access, 1));
    EXPECT(hipErrorInvalidValue, hipMemSetAccess(base, 3 * PIECE, &access, 1));
    unsigned long long flags = 9;
    HIP_CHECK(hipMemGetAccess(&flags, &access.location, base + PIECE));
    REQUIRE(flags == hipMemAccessFlagsProtReadWrite);

    // Fills, kernels and copies cross the border between pieces.
    int* x = reinterpret_cast<int*>(base);
    HIP_CHECK(hipMemsetD32(x, 5, N));
    count<<<(N + 255) / 256, 256>>>(x, N);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipMemcpy(host.data(), x, N * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) REQUIRE(host[i] == 5 + i);
    HIP_CHECK(hipMemcpy(base + PIECE - 8, host.data() + 10, 16, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(host.data(), base + PIECE - 8, 16, hipMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) REQUIRE(host[i] == 15 + i);
    EXPECT(hipErrorInvalidValue, hipMemcpy(host.data(), base + 2 * PIECE - 8, 16, hipMemcpyDeviceToHost));
    EXPECT(hipErrorInvalidValue, hipFree(base));

    EXPECT(hipErrorInvalidValue, hipMemAddressFree(base, 16 * PIECE));
    HIP_CHECK(hipMemUnmap(base, 2 * PIECE));
    EXPECT(hipErrorInvalidValue, hipMemcpy(host.data(), base, 4, hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemAddressFree(base, 16 * PIECE));
    HIP_CHECK(hipMemGetInfo(&after, &total));
    REQUIRE(total >= before && total >= after);
    std::printf("mapped: ok\n");
}
