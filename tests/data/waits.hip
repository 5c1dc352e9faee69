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

// A barrier of the grid by a counter, as persistent kernels have it.
extern "C" __global__ void waits_for_all(unsigned* arrived, unsigned* out) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < gridDim.x) {}
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = arrived[0];
}
