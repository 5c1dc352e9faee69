// Content of fresh device memory: zeros for `poison 0`, poison for `poison 1` with GFX906_POISON=1.
#include "check.h"

int main(int argc, char **argv) {
    const bool poisoned = argc > 1 && argv[1][0] == '1';
    const unsigned expected = poisoned ? 0xffadffadu : 0;
    for (size_t words : {1, 1000, 70000}) {
        unsigned *device = nullptr;
        HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&device), words * sizeof(unsigned)));
        std::vector<unsigned> host(words, 1);
        HIP_CHECK(hipMemcpy(host.data(), device, words * sizeof(unsigned), hipMemcpyDeviceToHost));
        for (unsigned word : host) REQUIRE(word == expected);
        HIP_CHECK(hipMemset(device, 0x11, words * sizeof(unsigned)));
        // Memory that is allocated again is fresh again.
        HIP_CHECK(hipFree(device));
    }
    std::printf("fresh memory holds %08x\n", expected);
}
