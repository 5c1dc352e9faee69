// fused_qkvzba_split: the projections of a token, laid out by key head, into one tensor a kind. Copies of bf16.
#pragma once
#include "common.hip"

// Heads and sizes; r value heads belong to each key head.
struct SplitSizes {
    int H, HV, DK, DV;
    __device__ int r() const { return HV / H; }
    __device__ int group() const { return 2 * DK + 2 * r() * DV; }  // of mixed_qkvz, a key head
};

struct SplitRule {
    // where an element of the four parts of mixed_qkvz lies: its key head, then in the head's group
    static __device__ int q(const SplitSizes& x, int h, int d) { return h * x.group() + d; }
    static __device__ int k(const SplitSizes& x, int h, int d) { return h * x.group() + x.DK + d; }
    static __device__ int v(const SplitSizes& x, int hv, int d) {
        return hv / x.r() * x.group() + 2 * x.DK + hv % x.r() * x.DV + d;
    }
    static __device__ int z(const SplitSizes& x, int hv, int d) {
        return hv / x.r() * x.group() + 2 * x.DK + (x.r() + hv % x.r()) * x.DV + d;
    }
    // and of mixed_ba
    static __device__ int b(const SplitSizes& x, int hv) { return hv / x.r() * 2 * x.r() + hv % x.r(); }
    static __device__ int a(const SplitSizes& x, int hv) { return hv / x.r() * 2 * x.r() + x.r() + hv % x.r(); }
};

// A work-item an element of the output: [all q | all k | all v], then z, b, a
template <class Rule>
static __device__ __forceinline__ void qkvzba_split_body(const Bf16* mixed_qkvz, const Bf16* mixed_ba, Bf16* mixed_qkv, Bf16* z,
                                                         Bf16* b, Bf16* a, int B, const SplitSizes& x) {
    const int token = blockIdx.y, keys = x.H * x.DK, values = x.HV * x.DV;
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= B) return;
    const Bf16* qkvz = mixed_qkvz + (long)token * 2 * (keys + values);
    const Bf16* ba = mixed_ba + (long)token * 2 * x.HV;
    Bf16* qkv = mixed_qkv + (long)token * (2 * keys + values);
    if (at < keys) {
        qkv[at] = qkvz[Rule::q(x, at / x.DK, at % x.DK)];
        return;
    }
    at -= keys;
    if (at < keys) {
        qkv[keys + at] = qkvz[Rule::k(x, at / x.DK, at % x.DK)];
        return;
    }
    at -= keys;
    if (at < values) {
        qkv[2 * keys + at] = qkvz[Rule::v(x, at / x.DV, at % x.DV)];
        return;
    }
    at -= values;
    if (at < values) {
        z[(long)token * values + at] = qkvz[Rule::z(x, at / x.DV, at % x.DV)];
        return;
    }
    at -= values;
    if (at < x.HV) {
        b[(long)token * x.HV + at] = ba[Rule::b(x, at)];
        return;
    }
    at -= x.HV;
    if (at < x.HV) a[(long)token * x.HV + at] = ba[Rule::a(x, at)];
}
#define QKVZBA_SPLIT_KERNEL(NAME, RULE)                                                                                    \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const Bf16* mixed_qkvz, const Bf16* mixed_ba,             \
                                                                 Bf16* mixed_qkv, Bf16* z, Bf16* b, Bf16* a, int B, int H, \
                                                                 int HV, int DK, int DV) {                                 \
        qkvzba_split_body<RULE>(mixed_qkvz, mixed_ba, mixed_qkv, z, b, a, B, {H, HV, DK, DV});                             \
    }
