// Traffic. In each of `steps` steps a work-item takes one element of 16 bytes of gridDim.x * blockDim.x adjacent ones.
#pragma once
#include "chains.hip"

typedef float float4_t __attribute__((ext_vector_type(4)));

// `mask` + 1 elements are read again and again; `mask` + 1 is a power of two.
extern "C" __global__ void calibrate_read(const float4_t *from, float *out, int steps, unsigned mask) {
    const unsigned stride = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    float4_t sum = 0;
    for (int i = 0; i < steps; i++, at += stride) sum += from[at & mask];
    // The table holds zeros: nothing is written, and the compiler does not know it.
    if (sum.x + sum.y + sum.z + sum.w != 0) *out = sum.x;
}

extern "C" __global__ void calibrate_write(float4_t *to, int steps) {
    const unsigned stride = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++, at += stride) to[at] = float4_t(0);
}

// `from` and `to` may be the same.
extern "C" __global__ void calibrate_copy(const float4_t *from, float4_t *to, int steps) {
    const unsigned stride = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++, at += stride) to[at] = from[at];
}

// Loads of 4 bytes, each lane in a line of its own: a load has 64 lines. A step has 16 loads.
extern "C" __global__ void calibrate_lines(const unsigned *from, int steps) {
    const unsigned at = threadIdx.x % 64 * 64;
    unsigned x;
    for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("global_load_dword %0, %1, %2\n") "s_waitcnt vmcnt(0)\n" : "=&v"(x) : "v"(at), "s"(from) : "memory");
}

// Loads of 2 bytes, 64 lanes in two lines. A step has 16 loads.
extern "C" __global__ void calibrate_halves(const unsigned *from, int steps) {
    const unsigned at = threadIdx.x % 64 * 2;
    unsigned x;
    for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("global_load_ushort %0, %1, %2\n") "s_waitcnt vmcnt(0)\n" : "=&v"(x) : "v"(at), "s"(from) : "memory");
}
