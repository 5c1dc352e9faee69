// Atomics of 16 bits, which are compare-and-swaps of the dword around, on the last element of arrays whose size is no multiple of four,
// in every kind of memory: the card bounds memory by dwords. The bytes behind the array do not change.
#include "check.h"

__global__ void swap_last(unsigned short *p, int last) {
    unsigned short expected = 0;
    __hip_atomic_compare_exchange_strong(p + last, &expected, static_cast<unsigned short>(7), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
}

int main() {
    const char *kinds[] = {"hipMalloc", "hipHostMalloc", "hipMallocManaged", "hipHostRegister"};
    for (int halves = 1; halves <= 5; ++halves) {
        for (int kind = 0; kind < 4; ++kind) {
            const size_t bytes = 2 * halves;
            unsigned short *p = nullptr, host[8] = {0};
            auto place = reinterpret_cast<void **>(&p);
            alignas(64) static unsigned short own[32];
            for (unsigned short &half : own) half = 0x5555;
            switch (kind) {
            case 0: HIP_CHECK(hipMalloc(place, bytes)); break;
            case 1: HIP_CHECK(hipHostMalloc(place, bytes, 0)); break;
            case 2: HIP_CHECK(hipMallocManaged(place, bytes)); break;
            default: HIP_CHECK(hipHostRegister(p = own, bytes, 0));
            }
            HIP_CHECK(hipMemset(p, 0, bytes));
            swap_last<<<1, 1>>>(p, halves - 1);
            HIP_CHECK(hipDeviceSynchronize());
            HIP_CHECK(hipMemcpy(host, p, bytes, hipMemcpyDeviceToHost));
            for (int n = 0; n < halves; ++n) REQUIRE(host[n] == (n == halves - 1 ? 7 : 0));
            if (kind == 3) {
                REQUIRE(own[halves] == 0x5555);
                HIP_CHECK(hipHostUnregister(p));
            } else {
                HIP_CHECK(kind == 1 ? hipHostFree(p) : hipFree(p));
            }
            std::printf("%d halves of %s\n", halves, kinds[kind]);
        }
    }
}
