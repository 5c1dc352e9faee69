// Waves of 32 lanes on a GPU whose waves have 64: both halves of a wave do the same, so that waves of 32 run beside each other, exchange and
// need barriers as they do on a GPU that has them. Put before a source (-include); work-groups are launched twice as wide as they say, but for
// those that are a wave wide. An exchange in a branch that only a part of a wave takes stops the kernel (fast/lanes.hip).
// scripts/other-architectures.sh tests the kernels by it.
#pragma once
#define WAVE 32
#define LANES_CHECKED
#include <hip/hip_runtime.h>

struct HalfWaves {
    unsigned x, y, z;
};
static __device__ __forceinline__ HalfWaves half_waves_item() {
    return {threadIdx.x / 64 * 32 + threadIdx.x % 32, threadIdx.y, threadIdx.z};
}
static __device__ __forceinline__ HalfWaves half_waves_block() {
    return {(unsigned)blockDim.x / 2, (unsigned)blockDim.y, (unsigned)blockDim.z};
}
#define threadIdx half_waves_item()
#define blockDim half_waves_block()
#undef __launch_bounds__
#define __launch_bounds__(ITEMS, ...) __attribute__((amdgpu_flat_work_group_size(1, 2 * (ITEMS))))
