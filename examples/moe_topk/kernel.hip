// A wave routes one token: K times it finds the greatest logit that is left. A lane holds two experts.
#include <hip/hip_runtime.h>

enum Mistake { NONE, ONE_EXPERT_A_LANE, NOT_NORMALISED, WHOLE_SOFTMAX };

template <Mistake MISTAKE>
__device__ void route(const float* logits, float* weights, int* ids, int E, int K) {
    const int lane = threadIdx.x, experts = MISTAKE == ONE_EXPERT_A_LANE ? 64 : 128;
    float held[2];
    for (int i = 0; i < 2; i++) {
        const int expert = i * 64 + lane;
        held[i] = expert < E && expert < experts ? logits[blockIdx.x * E + expert] : -INFINITY;
    }
    float first = 0, sum = 0;
    for (int k = 0; k < K; k++) {
        const int own = held[1] > held[0];
        float greatest = held[own];
        int expert = own * 64 + lane;
        for (int step = 32; step > 0; step /= 2) {
            const float other = __shfl_xor(greatest, step);
            const int theirs = __shfl_xor(expert, step);
            if (other > greatest || (other == greatest && theirs < expert)) greatest = other, expert = theirs;
        }
        if (expert % 64 == lane) held[expert / 64] = -INFINITY;
        if (k == 0) {
            first = greatest;
            if (MISTAKE == WHOLE_SOFTMAX) {
                for (int e = 0; e < E; e++) sum += expf(logits[blockIdx.x * E + e] - first);
            }
        }
        const float weight = expf(greatest - first);
        if (MISTAKE != WHOLE_SOFTMAX) sum += weight;
        if (lane == 0) weights[blockIdx.x * K + k] = weight, ids[blockIdx.x * K + k] = expert;
    }
    if (lane == 0 && MISTAKE != NOT_NORMALISED)
        for (int k = 0; k < K; k++) weights[blockIdx.x * K + k] /= sum;
}

#define KERNEL(NAME, MISTAKE)                                                                                         \
    extern "C" __global__ void NAME(const float* logits, float* weights, int* ids, int E, int K) {                    \
        route<MISTAKE>(logits, weights, ids, E, K);                                                                   \
    }
KERNEL(moe_topk, NONE)
KERNEL(wrong_experts, ONE_EXPERT_A_LANE)
KERNEL(wrong_sum, NOT_NORMALISED)
KERNEL(wrong_softmax, WHOLE_SOFTMAX)
