// Chains of loads: each load has the address that the one before has brought. `table` holds, at each byte offset that is visited, the next
// one. A step has 16 loads.
#pragma once
#include "chains.hip"

extern "C" __global__ void calibrate_chase_vector(const unsigned *table, unsigned long long *cycles, int steps) {
    unsigned at = 0;
    TIMED(cycles, for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("global_load_dword %0, %0, %1\ns_waitcnt vmcnt(0)\n") : "+v"(at) : "s"(table) : "memory");)
}

extern "C" __global__ void calibrate_chase_scalar(const unsigned *table, unsigned long long *cycles, int steps) {
    unsigned at = 0;
    TIMED(cycles, for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("s_load_dword %0, %1, %0\ns_waitcnt lgkmcnt(0)\n") : "+s"(at) : "s"(table) : "memory");)
}

// The table in LDS has 64 offsets, one behind the other in a circle.
extern "C" __global__ void calibrate_chase_lds(unsigned long long *cycles, int steps) {
    __shared__ unsigned table[64];
    table[threadIdx.x % 64] = (threadIdx.x + 1) % 64 * 4;
    __syncthreads();
    unsigned at = 4 * (threadIdx.x % 64) + (unsigned)(size_t)table;
    TIMED(cycles, for (int i = 0; i < steps; i++)
        asm volatile(SIXTEEN("ds_read_b32 %0, %0\ns_waitcnt lgkmcnt(0)\n") : "+v"(at) : : "memory");)
}
