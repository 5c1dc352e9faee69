// Kernels that wait for ever: one for a value that a work-item has written otherwise, one for a value that nobody writes.
#include <hip/hip_runtime.h>

extern "C" __global__ void waits_for_two(float* out) {
    if (threadIdx.x == 0) out[0] = 1.0f;
    volatile float* first = out;
    while (first[0] != 2.0f) {}
}

extern "C" __global__ void waits_for_nobody(float* out) {
    if (threadIdx.x >= 64) return;
    volatile float* last = out + 3;
    while (last[0] != 2.0f) {}
    if (blockIdx.x == 1) last[0] = 2.0f;
}
