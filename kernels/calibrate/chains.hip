// Chains of instructions that depend on one another. A step has 16 of them.
#pragma once
#include <hip/hip_runtime.h>

#define SIXTEEN(instruction) \
    instruction instruction instruction instruction instruction instruction instruction instruction \
    instruction instruction instruction instruction instruction instruction instruction instruction

// The clock counts cycles of the compute unit. Its two readings are of the first lane of the work-group.
#define TIMED(cycles, work) \
    const unsigned long long begin = __builtin_amdgcn_s_memtime(); \
    work \
    const unsigned long long end = __builtin_amdgcn_s_memtime(); \
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;

// Nothing: the time of a launch, and of the dispatch of its waves.
extern "C" __global__ void calibrate_empty() {}

extern "C" __global__ void calibrate_fma(unsigned long long *cycles, int steps) {
    float x = threadIdx.x;
    TIMED(cycles, for (int i = 0; i < steps; i++) asm volatile(SIXTEEN("v_fma_f32 %0, %0, %0, %0\n") : "+v"(x));)
}

extern "C" __global__ void calibrate_scalar(unsigned long long *cycles, int steps) {
    int x = blockIdx.x;
    TIMED(cycles, for (int i = 0; i < steps; i++) asm volatile(SIXTEEN("s_xor_b32 %0, %0, 0x2a\n") : "+s"(x) : : "scc");)
}

// A lane's neighbour is read two turns after it was written, which the hardware asks for.
extern "C" __global__ void calibrate_dpp(unsigned long long *cycles, int steps) {
    float x = threadIdx.x;
    TIMED(cycles, for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("s_nop 1\nv_add_f32_dpp %0, %0, %0 row_ror:1 row_mask:0xf bank_mask:0xf\n") : "+v"(x));)
}

// Barriers of a work-group, each of all its waves.
extern "C" __global__ void calibrate_barrier(unsigned long long *cycles, int steps) {
    TIMED(cycles, for (int i = 0; i < steps; i++) asm volatile(SIXTEEN("s_barrier\n"));)
}
