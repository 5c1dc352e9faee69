// What the wrong kernels share: where a work-item stands, and two ways to lose precision.
#pragma once
#include <hip/hip_runtime.h>

static __device__ inline int item() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ inline int item_row() { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ inline int item_col() { return blockIdx.x * blockDim.x + threadIdx.x; }

// x cut to the 10 mantissa bits of f16
static __device__ inline float half_precision(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

// x cut to the 7 mantissa bits of bf16
static __device__ inline float bf16_precision(float x) { return __uint_as_float(__float_as_uint(x) & 0xffff0000u); }
