// A code object for modules.cpp: a kernel that uses variables of its module.
#include <hip/hip_runtime.h>

__device__ float factor = 1.5f;
__constant__ int table[4] = {1, 2, 3, 4};
__managed__ int launches[2] = {10, 20};

extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= factor * table[threadIdx.x % 4]; }

extern "C" __global__ void count() { launches[1]++; }
