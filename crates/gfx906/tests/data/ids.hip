// Every work-item writes what it takes itself to be.
#include <hip/hip_runtime.h>

extern "C" __global__ void ids(unsigned* out) {
    unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned* mine = out + 6 * (group * blockDim.x * blockDim.y * blockDim.z + item);
    mine[0] = threadIdx.x;
    mine[1] = threadIdx.y;
    mine[2] = threadIdx.z;
    mine[3] = blockIdx.x;
    mine[4] = blockIdx.y;
    mine[5] = blockIdx.z;
}
