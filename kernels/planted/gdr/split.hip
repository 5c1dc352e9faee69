// Wrong splits of the projections.
#pragma once
#include "../../gdr/split.hip"

// b and a exchanged
struct AlphaForBeta : SplitRule {
    static __device__ int b(const SplitSizes& x, int hv) { return SplitRule::a(x, hv); }
    static __device__ int a(const SplitSizes& x, int hv) { return SplitRule::b(x, hv); }
};
QKVZBA_SPLIT_KERNEL(planted_gdr_split_a_for_b, AlphaForBeta)

// v and z exchanged
struct GateForValue : SplitRule {
    static __device__ int v(const SplitSizes& x, int hv, int d) { return SplitRule::z(x, hv, d); }
    static __device__ int z(const SplitSizes& x, int hv, int d) { return SplitRule::v(x, hv, d); }
};
QKVZBA_SPLIT_KERNEL(planted_gdr_split_z_for_v, GateForValue)

// the groups of key heads not seen: all q, all k, all v, all z, as if the projections lay side by side
struct NotGrouped : SplitRule {
    static __device__ int q(const SplitSizes& x, int h, int d) { return h * x.DK + d; }
    static __device__ int k(const SplitSizes& x, int h, int d) { return x.H * x.DK + h * x.DK + d; }
    static __device__ int v(const SplitSizes& x, int hv, int d) { return 2 * x.H * x.DK + hv * x.DV + d; }
    static __device__ int z(const SplitSizes& x, int hv, int d) { return 2 * x.H * x.DK + (x.HV + hv) * x.DV + d; }
};
QKVZBA_SPLIT_KERNEL(planted_gdr_split_not_grouped, NotGrouped)

// tiled heads: value head hv to key head hv % H
struct TiledHeads : SplitRule {
    static __device__ int v(const SplitSizes& x, int hv, int d) {
        return hv % x.H * x.group() + 2 * x.DK + hv / x.H * x.DV + d;
    }
};
QKVZBA_SPLIT_KERNEL(planted_gdr_split_tiled_heads, TiledHeads)

// [all b | all a] of mixed_ba
struct BetaNotGrouped : SplitRule {
    static __device__ int b(const SplitSizes& x, int hv) { return hv; }
    static __device__ int a(const SplitSizes& x, int hv) { return x.HV + hv; }
};
QKVZBA_SPLIT_KERNEL(planted_gdr_split_ba_not_grouped, BetaNotGrouped)
