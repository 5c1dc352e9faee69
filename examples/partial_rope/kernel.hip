// A thread rotates one pair. The wrong kernels have the mistakes that binding.toml plants.
#include <hip/hip_runtime.h>

enum Mistake { NONE, HALVES_OF_HEAD, FIRST_IS_NEW, OTHER_PAIRS };

template <Mistake MISTAKE>
__device__ void rope(float* x, const float* cos, const float* sin, int T, int H, int D, int R, int adjacent) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * H * (R / 2)) return;
    const int pair = i % (R / 2), head = i / (R / 2), token = head / H;
    if (MISTAKE == OTHER_PAIRS) adjacent = !adjacent;
    const int first = adjacent ? 2 * pair : pair;
    const int second = adjacent ? 2 * pair + 1 : pair + (MISTAKE == HALVES_OF_HEAD ? D : R) / 2;
    float* row = x + head * D;
    const float c = cos[token * (R / 2) + pair], s = sin[token * (R / 2) + pair];
    float a = row[first];
    const float b = row[second];
    row[first] = a * c - b * s;
    if (MISTAKE == FIRST_IS_NEW) a = row[first];
    row[second] = b * c + a * s;
}

#define KERNEL(NAME, MISTAKE)                                                                                         \
    extern "C" __global__ void NAME(float* x, const float* cos, const float* sin, int T, int H, int D, int R,         \
                                    int adjacent) {                                                                  \
        rope<MISTAKE>(x, cos, sin, T, H, D, R, adjacent);                                                             \
    }
KERNEL(partial_rope, NONE)
KERNEL(wrong_halves, HALVES_OF_HEAD)
KERNEL(wrong_first, FIRST_IS_NEW)
KERNEL(wrong_pairs, OTHER_PAIRS)
