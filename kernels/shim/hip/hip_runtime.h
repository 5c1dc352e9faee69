// What kernels need of HIP's header, for a GPU with waves of 32 lanes and a compiler for CUDA without its toolkit: put before other
// directories of headers (-I). scripts/other-architectures.sh compiles by it; the toolkit's own header has all of this too.
#pragma once
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#include <__clang_cuda_builtin_vars.h>

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
static __device__ inline float2 make_float2(float x, float y) { return {x, y}; }
static __device__ inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static __device__ inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static __device__ inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static __device__ inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static __device__ inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }

// Exchanges of the lanes of a wave: the mask says that all of them take part, the last number is how many neighbours make a group.
static __device__ inline float __shfl_xor(float x, int mask, int width = 32) {
    return __nvvm_shfl_sync_bfly_f32(0xffffffff, x, mask, (32 - width) << 8 | 31);
}
static __device__ inline float __shfl(float x, int lane, int width = 32) {
    return __nvvm_shfl_sync_idx_f32(0xffffffff, x, lane, (32 - width) << 8 | 31);
}

// A bit for each lane that says so.
static __device__ inline unsigned __ballot(bool says) { return __nvvm_vote_ballot_sync(0xffffffff, says); }
// What lanes at the beginning of a group get is their own.
static __device__ inline float __shfl_up(float x, int distance, int width = 32) {
    return __nvvm_shfl_sync_up_f32(0xffffffff, x, distance, (32 - width) << 8);
}

template <class T>
static __device__ inline T min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
static __device__ inline T max(T a, T b) {
    return a < b ? b : a;
}

// Functions of the GPU's own library: they are linked later.
extern "C" {
__device__ float expf(float);
__device__ float logf(float);
__device__ float sqrtf(float);
__device__ float rsqrtf(float);
__device__ float fmaf(float, float, float);
__device__ float fmaxf(float, float);
__device__ float fabsf(float);
__device__ float frexpf(float, int*);
__device__ float ldexpf(float, int);
}
