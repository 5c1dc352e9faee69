// Wrong producers of the gated delta rule's inputs.
#pragma once
#include "bounds.hip"
#include "../../gdn/producers.hip"

// the minus forgotten: the gate grows
struct GateSign : ProducerRule {
    static __device__ float gate(float rate, float step) { return rate * step; }
};
GATE_KERNEL(planted_gdn_gate_sign, GateSign)

// dt_bias forgotten
struct GateWithoutBias : ProducerRule {
    static __device__ float step(float a, float bias) { return a; }
};
GATE_KERNEL(planted_gdn_gate_no_bias, GateWithoutBias)

// e^b for e^-b: 1 - beta
struct BetaNotNegated : ProducerRule {
    static __device__ float negated(float b) { return b; }
};
BETA_KERNEL(planted_gdn_beta_no_negation, BetaNotNegated)

// a wave reduction over half the wave, as on a card with waves of 32
struct HalfWave : ProducerRule {
    static constexpr int widest = 16;
};
L2NORM_KERNEL(planted_gdn_l2norm_half_wave, HalfWave)

// the epsilon of the other form
struct OtherForm : ProducerRule {
    static __device__ int form(int form) { return 1 - form; }
};
L2NORM_KERNEL(planted_gdn_l2norm_other_form, OtherForm)

// the sum of squares for its root
struct NoRoot : ProducerRule {
    static __device__ float root(float sum) { return sum; }
};
L2NORM_KERNEL(planted_gdn_l2norm_no_root, NoRoot)

// the epsilon on the mean of 64 squares, not on their sum
struct NormOfMean : ProducerRule {
    static __device__ float root(float sum) { return sqrtf(sum + 63.0f * 1e-6f); }
};
L2NORM_KERNEL(planted_gdn_l2norm_eps_of_mean, NormOfMean)

// no epsilon: a row of zeros is 0 / 0
struct NormWithoutEpsilon : ProducerRule {
    static __device__ float root(float sum) { return sqrtf(fmaxf(sum - 1e-6f, 0.0f)); }
};
L2NORM_KERNEL(planted_gdn_l2norm_no_eps, NormWithoutEpsilon)

// e^b / (1 + e^b): no number where e^b overflows
extern "C" __global__ void planted_gdn_beta_overflows(const float* b, float* beta, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) beta[i] = expf(b[i]) / (1.0f + expf(b[i]));
}

// max(x, 0) for softplus: its straight lines
extern "C" __global__ void planted_gdn_gate_straight(const float* a, const float* A_log, const float* dt_bias, float* g, int n, int HV) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = -expf(A_log[i % HV]) * fmaxf(a[i] + dt_bias[i % HV], 0.0f);
}

// no threshold: e^x overflows
extern "C" __global__ void planted_gdn_gate_no_threshold(const float* a, const float* A_log, const float* dt_bias, float* g, int n,
                                                         int HV) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = -expf(A_log[i % HV]) * log1pf(expf(a[i] + dt_bias[i % HV]));
}
