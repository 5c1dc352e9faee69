// The kernels of the code objects in this directory: one of each thing that a reader has to find.
#include <hip/hip_runtime.h>

struct Pair {
    float scale;
    int count;
};

__device__ float table[64];
__device__ int first = 1;
__device__ int* pointer_to_first = &first;

// plain: buffers, scalars, a structure by value
extern "C" __global__ void axpy(const float* x, float* y, float a, Pair pair, double d, char c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pair.count) y[i] += a * pair.scale * x[i] + (float)d + c + table[i & 63];
}

// static and dynamic LDS, a barrier
extern "C" __global__ __launch_bounds__(256) void reduce(const float* x, float* out) {
    __shared__ float fixed[256];
    extern __shared__ float dynamic[];
    fixed[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    dynamic[threadIdx.x] = fixed[255 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 256; i++) sum += dynamic[i];
        out[blockIdx.x] = sum;
    }
}

// reads through a relocated pointer
extern "C" __global__ void pointee(int* out) { out[threadIdx.x] = *pointer_to_first; }
