// Memory pools, ranges of managed memory, and flags that HIP refuses.
#include "check.h"

__global__ void add(int* x, int n, int a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += a;
}

unsigned long long figure(hipMemPool_t pool, hipMemPoolAttr attribute) {
    unsigned long long value = ~0ull;
    HIP_CHECK(hipMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

void pools() {
    constexpr int N = 1000;
    int has = 0;
    HIP_CHECK(hipDeviceGetAttribute(&has, hipDeviceAttributeMemoryPoolsSupported, 0));
    REQUIRE(has == 1);
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    hipMemPool_t first, current;
    HIP_CHECK(hipDeviceGetDefaultMemPool(&first, 0));
    HIP_CHECK(hipDeviceGetMemPool(&current, 0));
    REQUIRE(first == current && first != nullptr);

    std::vector<int> host(N, -1);
    int* x;
    HIP_CHECK(hipMallocAsync(reinterpret_cast<void**>(&x), N * sizeof(int), stream));
    REQUIRE(figure(first, hipMemPoolAttrUsedMemCurrent) == N * sizeof(int));
    HIP_CHECK(hipMemsetAsync(x, 0, N * sizeof(int), stream));
    add<<<4, 256, 0, stream>>>(x, N, 7);
    HIP_CHECK(hipMemcpyAsync(host.data(), x, N * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipFreeAsync(x, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    for (int v : host) REQUIRE(v == 7);
    REQUIRE(figure(first, hipMemPoolAttrUsedMemCurrent) == 0 && figure(first, hipMemPoolAttrUsedMemHigh) == N * sizeof(int));

    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    hipMemPool_t pool;
    HIP_CHECK(hipMemPoolCreate(&pool, &properties));
    unsigned long long keep = 1 << 20, zero = 0, one = 1;
    HIP_CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
    REQUIRE(figure(pool, hipMemPoolAttrReleaseThreshold) == keep);
    HIP_CHECK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&x), 4096, pool, stream));
    HIP_CHECK(hipFree(x));
    REQUIRE(figure(pool, hipMemPoolAttrUsedMemCurrent) == 0 && figure(pool, hipMemPoolAttrReservedMemCurrent) >= 4096);
    HIP_CHECK(hipMemPoolTrimTo(pool, 0));
    REQUIRE(figure(pool, hipMemPoolAttrReservedMemCurrent) == 0);
    HIP_CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
    REQUIRE(figure(pool, hipMemPoolAttrUsedMemHigh) == 0);
    EXPECT(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &one));
    EXPECT(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &zero));
    int reuse = -1;
    HIP_CHECK(hipMemPoolGetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &reuse));
    REQUIRE(reuse == 1);

    hipMemLocation here = {hipMemLocationTypeDevice, 0};
    hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
    HIP_CHECK(hipMemPoolGetAccess(&flags, pool, &here));
    REQUIRE(flags == hipMemAccessFlagsProtReadWrite);
    HIP_CHECK(hipDeviceSetMemPool(0, pool));
    HIP_CHECK(hipMallocAsync(reinterpret_cast<void**>(&x), 64, stream));
    REQUIRE(figure(pool, hipMemPoolAttrUsedMemCurrent) == 64);
    HIP_CHECK(hipMemPoolDestroy(pool));
    EXPECT(hipErrorInvalidValue, hipMemPoolDestroy(pool));
    EXPECT(hipErrorInvalidValue, hipMemPoolDestroy(first));
    HIP_CHECK(hipDeviceGetMemPool(&current, 0));
    REQUIRE(current == first);
    HIP_CHECK(hipFreeAsync(x, stream));
    HIP_CHECK(hipStreamDestroy(stream));
}

void ranges() {
    constexpr size_t BYTES = 5 * 4096;
    char* managed;
    HIP_CHECK(hipMallocManaged(reinterpret_cast<void**>(&managed), BYTES));
    auto ask = [&](hipMemRangeAttribute attribute, size_t from, size_t bytes) {
        int value = -77;
        HIP_CHECK(hipMemRangeGetAttribute(&value, sizeof value, attribute, managed + from, bytes));
        return value;
    };
    REQUIRE(ask(hipMemRangeAttributeReadMostly, 0, BYTES) == 0 && ask(hipMemRangeAttributePreferredLocation, 0, BYTES) == -2);
    HIP_CHECK(hipMemAdvise(managed, 2 * 4096, hipMemAdviseSetReadMostly, 0));
    HIP_CHECK(hipMemAdvise(managed, BYTES, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
    HIP_CHECK(hipMemAdvise(managed, BYTES, hipMemAdviseSetAccessedBy, 0));
    REQUIRE(ask(hipMemRangeAttributeReadMostly, 0, 2 * 4096) == 1 && ask(hipMemRangeAttributeReadMostly, 0, BYTES) == 0);
    HIP_CHECK(hipMemPrefetchAsync(managed, BYTES, 0, 0));
    int read = 5, place = 5, last = 5, accessed[2] = {5, 5};
    void* values[] = {&read, &place, &last, accessed};
    size_t sizes[] = {4, 4, 4, 8};
    hipMemRangeAttribute all[] = {hipMemRangeAttributeReadMostly, hipMemRangeAttributePreferredLocation,
                                  hipMemRangeAttributeLastPrefetchLocation, hipMemRangeAttributeAccessedBy};
    HIP_CHECK(hipMemRangeGetAttributes(values, sizes, all, 4, managed + 4096, 4096));
    REQUIRE(read == 1 && place == hipCpuDeviceId && last == 0 && accessed[0] == 0 && accessed[1] == hipInvalidDeviceId);
    EXPECT(hipErrorInvalidValue, hipMemRangeGetAttribute(&read, 3, hipMemRangeAttributeReadMostly, managed, BYTES));
    EXPECT(hipErrorInvalidValue, hipMemRangeGetAttribute(&read, 4, hipMemRangeAttributeReadMostly, managed, BYTES + 1));
    EXPECT(hipErrorInvalidValue, hipMemRangeGetAttribute(&read, 4, hipMemRangeAttributeReadMostly, &place, 4));

    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipStreamAttachMemAsync(stream, managed, 0, hipMemAttachSingle));
    HIP_CHECK(hipStreamAttachMemAsync(stream, managed, BYTES, hipMemAttachGlobal));
    EXPECT(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, managed, BYTES - 1, hipMemAttachSingle));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFree(managed));
    HIP_CHECK(hipMallocManaged(reinterpret_cast<void**>(&managed), BYTES, hipMemAttachHost));
    HIP_CHECK(hipFree(managed));
    EXPECT(hipErrorInvalidValue,
           hipHostMalloc(reinterpret_cast<void**>(&managed), BYTES, hipHostMallocCoherent | hipHostMallocNonCoherent));
}

int main() {
    pools();
    ranges();
    std::printf("pools: ok\n");
}
