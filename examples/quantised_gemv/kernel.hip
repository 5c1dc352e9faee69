// A wave computes one row: a lane takes every 64th block, four values an instruction (v_dot4_i32_i8).
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

// Blocks of 34 and 18 bytes lie at multiples of two bytes only.
__device__ int four_bytes(const uint8_t* from) {
    const uint16_t* half = (const uint16_t*)from;
    return half[0] | half[1] << 16;
}

__device__ float scale(const uint8_t* block) { return __half2float(*(const __half*)block); }

__device__ float reduced(float sum) {
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    return sum;
}

template <bool WRONG>
__device__ void q8_0(const uint8_t* W, const uint8_t* a, float* y, int blocks) {
    float sum = 0;
    for (int block = threadIdx.x; block < blocks; block += 64) {
        const uint8_t* w = W + ((size_t)blockIdx.x * blocks + block) * 34;
        const uint8_t* v = a + block * 36;
        int dot = 0;
        for (int i = 0; i < (WRONG ? 7 : 8); i++)
            dot = __builtin_amdgcn_sdot4(four_bytes(w + 2 + 4 * i), *(const int*)(v + 4 + 4 * i), dot, false);
        sum += scale(w) * scale(v) * dot;
    }
    sum = reduced(sum);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

template <bool WRONG>
__device__ void q4_0(const uint8_t* W, const uint8_t* a, float* y, int blocks) {
    float sum = 0;
    for (int block = threadIdx.x; block < blocks; block += 64) {
        const uint8_t* w = W + ((size_t)blockIdx.x * blocks + block) * 18;
        const uint8_t* v = a + block * 36;
        int dot = 0, values = 0;
        for (int i = 0; i < 4; i++) {
            const int packed = four_bytes(w + 2 + 4 * i);
            const int low = *(const int*)(v + 4 + 4 * i), high = *(const int*)(v + 20 + 4 * i);
            dot = __builtin_amdgcn_sdot4(packed & 0x0F0F0F0F, low, dot, false);
            dot = __builtin_amdgcn_sdot4(packed >> 4 & 0x0F0F0F0F, high, dot, false);
            values = __builtin_amdgcn_sdot4(0x01010101, low, values, false);
            values = __builtin_amdgcn_sdot4(0x01010101, high, values, false);
        }
        sum += scale(w) * scale(v) * (dot - (WRONG ? 0 : 8 * values));
    }
    sum = reduced(sum);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

#define KERNEL(NAME, BODY)                                                                                            \
    extern "C" __global__ void NAME(const uint8_t* W, const uint8_t* a, float* y, int blocks) { BODY(W, a, y, blocks); }
KERNEL(q8_0_gemv, q8_0<false>)
KERNEL(q4_0_gemv, q4_0<false>)
KERNEL(wrong_q8_0, q8_0<true>)
KERNEL(wrong_q4_0, q4_0<true>)
