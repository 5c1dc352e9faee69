// A wave computes one query head, in one pass over the tokens: the sums so far are scaled when a larger score comes.
#include <hip/hip_runtime.h>

enum Mistake { NONE, NO_MAXIMUM, OTHER_GROUPS, SUM_NOT_SCALED };

template <Mistake MISTAKE>
__device__ void attend(const float* q, const float* k, const float* v, float* o, int T, int KV, int G, int D) {
    const int head = blockIdx.x, group = MISTAKE == OTHER_GROUPS ? head % KV : head / G;
    float largest = MISTAKE == NO_MAXIMUM ? 0 : -INFINITY, sum = 0, out[4] = {};
    for (int t = 0; t < T; t++) {
        const float* key = k + ((size_t)t * KV + group) * D;
        float score = 0;
        for (int d = threadIdx.x; d < D; d += 64) score += q[head * D + d] * key[d];
        for (int step = 32; step > 0; step /= 2) score += __shfl_xor(score, step);
        score /= sqrtf(D);
        const float before = largest;
        if (MISTAKE != NO_MAXIMUM) largest = fmaxf(largest, score);
        const float kept = expf(before - largest), weight = expf(score - largest);
        sum = sum * (MISTAKE == SUM_NOT_SCALED ? 1 : kept) + weight;
        const float* value = v + ((size_t)t * KV + group) * D;
        for (int i = 0; i < D / 64; i++) out[i] = out[i] * kept + weight * value[i * 64 + threadIdx.x];
    }
    for (int i = 0; i < D / 64; i++) o[head * D + i * 64 + threadIdx.x] = out[i] / sum;
}

#define KERNEL(NAME, MISTAKE)                                                                                         \
    extern "C" __global__ void NAME(const float* q, const float* k, const float* v, float* o, int T, int KV, int G,   \
                                    int D) {                                                                         \
        attend<MISTAKE>(q, k, v, o, T, KV, G, D);                                                                     \
    }
KERNEL(gqa_decode, NONE)
KERNEL(wrong_maximum, NO_MAXIMUM)
KERNEL(wrong_groups, OTHER_GROUPS)
KERNEL(wrong_sum, SUM_NOT_SCALED)
