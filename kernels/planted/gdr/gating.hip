// Wrong gates and write strengths.
#pragma once
#include "../../gdr/gating.hip"

// A_log taken for A
struct RateNotExponential : GatingRule {
    static __device__ float rate(float A_log) { return A_log; }
};
GDN_GATING_KERNEL(planted_gdr_gating_no_exp, RateNotExponential)

// no threshold: e^x overflows
struct NoThreshold : GatingRule {
    static __device__ float step(float a, float bias) { return log1pf(expf(a + bias)); }
};
GDN_GATING_KERNEL(planted_gdr_gating_no_threshold, NoThreshold)

// dt_bias forgotten
struct GatingWithoutBias : GatingRule {
    static __device__ float step(float a, float bias) { return softplus(a); }
};
GDN_GATING_KERNEL(planted_gdr_gating_no_bias, GatingWithoutBias)

// the minus forgotten
struct GateGrows : GatingRule {
    static __device__ float gate(float rate, float step) { return rate * step; }
};
GDN_GATING_KERNEL(planted_gdr_gating_sign, GateGrows)

// b itself for its sigmoid
struct BetaNotActivated : GatingRule {
    static __device__ float beta(float b) { return b; }
};
GDN_GATING_KERNEL(planted_gdr_gating_no_sigmoid, BetaNotActivated)

// parameters of head 0 for all
struct FirstHead : GatingRule {
    static __device__ int head(int i, int HV) { return 0; }
};
GDN_GATING_KERNEL(planted_gdr_gating_first_head, FirstHead)

// e^b / (1 + e^b): no number where e^b overflows
struct BetaOverflows : GatingRule {
    static __device__ float beta(float b) { return expf(b) / (1.0f + expf(b)); }
};
GDN_GATING_KERNEL(planted_gdr_gating_beta_overflows, BetaOverflows)
