// States and outputs of prepared chunks in one launch: a group has 64 value columns of a head, its four waves a slice of
// the key channels each, all of it in registers. Neither the states at the chunks' starts nor the corrected values are stored.
//
// The states of a chunk's start give all corrected values vn_i = u_i - w_i S. Then, a step of 16 tokens at a time:
//
//     o_i = scale (in_i q_i S + sum_{j <= i of the step} seen_ij vn_j)        S <- in_last S + sum_i k_i after_i vn_i
#pragma once
#include "chunk_prepare.hip"

#define SCAN_SLICES 4
#define SCAN_SHARE (FAST_STEP / SCAN_SLICES)  // tokens of a step that a wave sums up

struct Scan {
    const float *q, *k, *u, *w, *seen, *decays, *initial;
    float *o, *final;
    int B, T, H, HV, K, V, C;
    float scale;
    int head_map, state_layout;
};

struct __align__(16) ScanLds {
    float part[SCAN_SLICES][FAST_STEP][GROUP];  // of a token and column, from each slice
    float vn[GDN_MAX_CHUNK][GROUP];
};

template <class Rule>
static __device__ __forceinline__ float scan_sum(const ScanLds& lds, int t, int lane) {
    float sum = lds.part[0][t][lane];
#pragma unroll
    for (int i = 1; i < Rule::slices; i++) sum += lds.part[i][t][lane];
    return sum;
}

template <class Rule, int KEYS, bool WHOLE>
static __device__ __forceinline__ void scan_sequence(const Scan& x, ScanLds& lds) {
    const int hv = blockIdx.y, b = blockIdx.z, wave = lanes_group(), lane = lanes_in_group();
    const int head = Rule::head(hv, x.H, x.HV, x.head_map);
    const int col = Rule::first_column(blockIdx.x * GROUP) + lane;
    const bool mine = col < x.V;
    const int safe = mine ? col : x.V - 1;
    const long value = (long)b * x.T * x.HV + hv, key = ((long)b * x.T * x.H + head) * x.K;
    const long state = ((long)b * x.HV + hv) * x.K * x.V;
    const Slice<KEYS, WHOLE> slice = {wave * KEYS, x.K};
    const int key_pitch = x.H * x.K, w_pitch = x.HV * x.K, value_pitch = x.HV * x.V;
    const auto part = [&](int t, float sum) { lds.part[wave][t][lane] = sum; };

    float s[KEYS] = {};
    if (x.initial) slice.load(s, x.initial + state, gdn_column(safe, x.K, x.V, Rule::initial_layout(x.state_layout)));
    // where the step's first token is
    const float *w = x.w + value * x.K, *u = x.u + value * x.V, *q = x.q + key, *k = x.k + key;
    const float *seen = x.seen + value * FAST_STEP, *decays = x.decays + value * 2;
    float* o = x.o + value * x.V;
    for (int begin = 0; begin < x.T; begin += x.C) {
        const int tokens = fast_min(x.C, x.T - begin);
        if (Rule::forgets_before(begin)) {
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] = 0.0f;
        }
        for (int from = 0; from < tokens; from += FAST_STEP) {
            const int count = fast_min(FAST_STEP, tokens - from);
            float of_u[SCAN_SHARE];
#pragma unroll
            for (int t = 0; t < SCAN_SHARE; t++) of_u[t] = u[fast_min(SCAN_SHARE * wave + t, count - 1) * value_pitch + safe];
            slice.template dots<0>(w, w_pitch, count, s, part);
            Rule::meet();
#pragma unroll
            for (int t = 0; t < SCAN_SHARE; t++) {
                const int at = SCAN_SHARE * wave + t;
                lds.vn[from + at][lane] = at < count ? of_u[t] - scan_sum<Rule>(lds, at, lane) : 0.0f;
            }
            __syncthreads();
            w += count * (long)w_pitch;
            u += count * (long)value_pitch;
        }
        for (int from = 0; from < tokens; from += FAST_STEP) {
            const int count = Rule::tail(tokens - from, FAST_STEP);
            slice.template dots<0>(q, key_pitch, count, s, part);
            Rule::meet();
#pragma unroll 1
            for (int t = SCAN_SHARE * wave; t < SCAN_SHARE * (wave + 1) && t < count; t++) {
                const SharedNumbers row = shared_numbers(seen + t * x.HV * FAST_STEP);
                float sum = Rule::in(shared_numbers(decays)[2 * t * x.HV]) * scan_sum<Rule>(lds, t, lane);
#pragma unroll 1
                for (int j = 0; j <= t; j += 4) {
#pragma unroll
                    for (int e = 0; e < 4; e++) sum = fmaf(row[j + e], lds.vn[from + j + e][lane], sum);
                }
                if (mine) o[t * value_pitch + col] = x.scale * sum;
            }
            const float decay = Rule::in(shared_numbers(decays)[2 * (count - 1) * x.HV]);
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] *= decay;
            slice.template writes<0>(k, key_pitch, count, s, [&](int t) {
                return Rule::after(shared_numbers(decays)[2 * t * x.HV + 1]) * lds.vn[from + t][lane];
            });
            __syncthreads();
            q += count * (long)key_pitch;
            k += count * (long)key_pitch;
            o += count * (long)value_pitch;
            seen += count * (long)x.HV * FAST_STEP;
            decays += count * (long)x.HV * 2;
        }
    }
    if (x.final && mine) slice.store(x.final + state, gdn_column(col, x.K, x.V, Rule::final_layout(x.state_layout)), s);
}

// WHOLE: K is 128
template <class Rule, bool WHOLE>
static __device__ __forceinline__ void scan_body(const Scan& x) {
    __shared__ ScanLds lds;
    if (blockIdx.x * GROUP >= x.V || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
    if (WHOLE) {
        scan_sequence<Rule, 32, true>(x, lds);
        return;
    }
#define BODY(KEYS, WHOLE) scan_sequence<Rule, KEYS, WHOLE>(x, lds)
    FAST_WITH_SLICE(x.K, BODY);
#undef BODY
}
#define SCAN_KERNEL(NAME, RULE, WHOLE)                                                                                      \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const float* q, const float* k, const float* u, const float* w, const float* seen, const float* decays,             \
        const float* initial, float* o, float* final, int B, int T, int H, int HV, int K, int V, int C, float scale,        \
        int head_map, int state_layout) {                                                                                   \
        scan_body<RULE, WHOLE>({q, k, u, w, seen, decays, initial, o, final, B, T, H, HV, K, V, C, scale, head_map, state_layout}); \
    }
