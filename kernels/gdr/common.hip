// What the kernels of the GDR operators share: bf16 as it lies in memory, reductions over whole waves and work-groups.
#pragma once
#include <hip/hip_runtime.h>

#define GDR_WAVE 64
#define GDR_BLOCK 256  // work-items of a work-group, where a kernel does not say otherwise

// A bf16 number: the upper 16 bits of an f32. A type of its own, so that no integer conversion gets in.
struct Bf16 {
    unsigned short bits;
};

// exact: NaN keeps its payload
static __device__ inline float gdr_float(Bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
static __device__ inline float gdr_float(float x) { return x; }

// Points where the wrong conversions in planted/ differ.
struct RoundRule {
    // what is added below the bits that stay: just under a half, and the last bit that stays, so that ties go to even
    static __device__ unsigned carry(unsigned bits) { return 0x7fffu + ((bits >> 16) & 1u); }
    static constexpr bool keeps_nan = true;
};

// Round to nearest, ties to even; beyond the largest bf16 inf; a NaN stays a NaN, quiet, with the upper payload. By the
// bits: no mode of the wave and no option of the compiler has a say.
template <class Rule>
static __device__ inline Bf16 gdr_round(float x) {
    const unsigned bits = __float_as_uint(x);
    if (Rule::keeps_nan && (bits & 0x7fffffffu) > 0x7f800000u) return {(unsigned short)((bits >> 16) | 0x40u)};
    return {(unsigned short)((bits + Rule::carry(bits)) >> 16)};
}
static __device__ inline Bf16 gdr_bf16(float x) { return gdr_round<RoundRule>(x); }

// Stores a result in the element type of the tensor.
static __device__ inline void gdr_store(float* to, float x) { *to = x; }
static __device__ inline void gdr_store(Bf16* to, float x) { *to = gdr_bf16(x); }

// Every lane gets the result over its wave. WIDEST: distance of the first exchange, half a wave unless a wrong kernel says otherwise.
template <int WIDEST = GDR_WAVE / 2>
static __device__ inline float gdr_wave_sum(float x) {
#pragma unroll
    for (int distance = WIDEST; distance > 0; distance /= 2) x += __shfl_xor(x, distance);
    return x;
}
template <int WIDEST = GDR_WAVE / 2>
static __device__ inline float gdr_wave_max(float x) {
#pragma unroll
    for (int distance = WIDEST; distance > 0; distance /= 2) x = fmaxf(x, __shfl_xor(x, distance));
    return x;
}

// LDS for a reduction over a work-group: a place for each wave's result.
struct WavePlaces {
    float x[GDR_BLOCK / GDR_WAVE];
};

// Every work-item gets the sum over a work-group of up to GDR_BLOCK work-items, whole waves of them. All must come here.
static __device__ inline float gdr_group_sum(float x, WavePlaces& places) {
    x = gdr_wave_sum(x);
    __syncthreads();  // an earlier reduction is read out
    if (threadIdx.x % GDR_WAVE == 0) places.x[threadIdx.x / GDR_WAVE] = x;
    __syncthreads();
    float sum = 0.0f;
    for (int wave = 0; wave < (int)blockDim.x / GDR_WAVE; wave++) sum += places.x[wave];
    return sum;
}
static __device__ inline float gdr_group_max(float x, WavePlaces& places) {
    x = gdr_wave_max(x);
    __syncthreads();
    if (threadIdx.x % GDR_WAVE == 0) places.x[threadIdx.x / GDR_WAVE] = x;
    __syncthreads();
    float most = places.x[0];
    for (int wave = 1; wave < (int)blockDim.x / GDR_WAVE; wave++) most = fmaxf(most, places.x[wave]);
    return most;
}
