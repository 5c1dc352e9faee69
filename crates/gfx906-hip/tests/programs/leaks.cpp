// Memory that is not freed, and memory that is freed twice: GFX906_LEAKS=1 reports both. A destructor of a global object frees in time.
#include <hip/hip_runtime.h>

#include <cstdio>

struct Late {
    void* memory = nullptr;
    ~Late() {
        if (hipFree(memory) != hipSuccess) std::puts("the destructor could not free");
    }
};
static Late late;

int main() {
    void *kept, *given, *host;
    if (hipMalloc(&late.memory, 100) || hipMalloc(&kept, 4096) || hipMalloc(&given, 64) || hipHostMalloc(&host, 256, 0)) return 1;
    if (hipFree(given) != hipSuccess) return 2;
    return hipFree(given) == hipErrorInvalidValue ? 0 : 3;
}
