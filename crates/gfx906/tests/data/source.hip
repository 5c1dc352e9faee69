// A kernel with debug information: an inlined function, and variables in registers and in LDS.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

__device__ inline int twice(int value) { return value * 2 + 1; }

extern "C" __global__ void scaled(const int* in, int* out, int n) {
    __shared__ int shared[64];
    int item = __builtin_amdgcn_workitem_id_x();
    shared[item] = in[item];
    __builtin_amdgcn_s_barrier();
    int sum = n;
    for (int k = 0; k < n; k++) {
        sum += twice(shared[(item + k) % 64] ^ sum);
    }
    out[item] = sum;
}
