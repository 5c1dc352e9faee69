// Kernels for the tests of `debug`, built with debug information.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

typedef float f32;

__device__ inline f32 weighted(f32 value, int weight) {
    f32 product = value * (f32)weight;
    return product + 1.0f;
}

__device__ __attribute__((noinline)) f32 halved(f32 value) {
    f32 half = value * 0.5f;
    return half;
}

// out[g * 128 + i] = sum over k < n of weighted(in[(i + k) % 128], k) / 2, by work-groups of 128.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void smooth(const f32 *in, f32 *out, int n) {
    __shared__ f32 tile[128];
    const int item = __builtin_amdgcn_workitem_id_x();
    const int group = __builtin_amdgcn_workgroup_id_x();
    tile[item] = in[item];
    __builtin_amdgcn_s_barrier();
    f32 sum = 0.0f;
    for (int k = 0; k < n; ++k) {
        sum += weighted(tile[(item + k) % 128], k);
    }
    f32 result = halved(sum);
    out[group * 128 + item] = result;
}

// Writes beyond the end of its buffer.
extern "C" __global__ void wild(f32 *out) {
    const int item = __builtin_amdgcn_workitem_id_x();
    out[item] = 1.0f;
    out[item + 1000000] = 2.0f;
}
