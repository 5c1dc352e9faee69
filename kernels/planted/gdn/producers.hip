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
