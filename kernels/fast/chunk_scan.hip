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
    float part[SCAN_SLICES][FAST_STEP][GDN_WAVE];  // of a token and column, from each slice
    float vn[GDN_MAX_CHUNK][GDN_WAVE];
};

// part = <row t, S> of the slice, for the step's tokens
template <int KEYS, bool WHOLE>
static __device__ __forceinline__ void scan_parts(ScanLds& lds, const Slice<KEYS, WHOLE>& slice, const float s[KEYS], int wave,
                                                  int lane, const float* rows, long pitch, int tokens) {
#pragma unroll 1
    for (int t = 0; t < tokens; t++) {
        float row[KEYS];
        slice.row(row, fast_uniform(rows + t * pitch));
        lds.part[wave][t][lane] = fast_dot<KEYS>(row, s);
    }
}

template <class Rule>
static __device__ __forceinline__ float scan_sum(const ScanLds& lds, int t, int lane) {
    float sum = lds.part[0][t][lane];
#pragma unroll
    for (int i = 1; i < Rule::slices; i++) sum += lds.part[i][t][lane];
    return sum;
}

template <class Rule, int KEYS, bool WHOLE>
static __device__ __forceinline__ void scan_sequence(const Scan& x, ScanLds& lds) {
    const int hv = blockIdx.y, b = blockIdx.z, wave = fast_wave(), lane = fast_lane();
    const int head = Rule::head(hv, x.H, x.HV, x.head_map);
    const int col = Rule::first_column(blockIdx.x * GDN_WAVE) + lane;
    const bool mine = col < x.V;
    const int safe = mine ? col : x.V - 1;
    const long size = (long)x.K * x.V, state = ((long)b * x.HV + hv) * size;
    const Slice<KEYS, WHOLE> slice = {wave * KEYS, x.K};
    const long key_pitch = (long)x.H * x.K, w_pitch = (long)x.HV * x.K, value_pitch = (long)x.HV * x.V;

    float s[KEYS] = {};
    if (x.initial) slice.load(s, x.initial + state, gdn_column(safe, x.K, x.V, Rule::initial_layout(x.state_layout)));
    for (int begin = 0; begin < x.T; begin += x.C) {
        const int tokens = fast_min(x.C, x.T - begin);
        const long token = (long)b * x.T + begin, value = token * x.HV + hv;
        if (Rule::forgets_before(begin)) {
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] = 0.0f;
        }
        for (int from = 0; from < tokens; from += FAST_STEP) {
            const int count = fast_min(FAST_STEP, tokens - from);
            float u[SCAN_SHARE];
#pragma unroll
            for (int t = 0; t < SCAN_SHARE; t++) {
                const int at = fast_min(from + SCAN_SHARE * wave + t, tokens - 1);
                u[t] = x.u[value * x.V + at * value_pitch + safe];
            }
            scan_parts(lds, slice, s, wave, lane, x.w + value * x.K + from * w_pitch, w_pitch, count);
            Rule::meet();
#pragma unroll
            for (int t = 0; t < SCAN_SHARE; t++) {
                const int at = SCAN_SHARE * wave + t;
                lds.vn[from + at][lane] = at < count ? u[t] - scan_sum<Rule>(lds, at, lane) : 0.0f;
            }
            __syncthreads();
        }
        for (int from = 0; from < tokens; from += FAST_STEP) {
            const int count = Rule::tail(tokens - from, FAST_STEP);
            const long key = ((token + from) * x.H + head) * x.K;
            const UniformFloats decays = fast_uniform(x.decays + 2 * (value + (long)from * x.HV));
            scan_parts(lds, slice, s, wave, lane, x.q + key, key_pitch, count);
            Rule::meet();
#pragma unroll 1
            for (int t = SCAN_SHARE * wave; t < SCAN_SHARE * (wave + 1) && t < count; t++) {
                const UniformFloats seen = fast_uniform(x.seen + (value + (long)(from + t) * x.HV) * FAST_STEP);
                float o = Rule::in(decays[2l * t * x.HV]) * scan_sum<Rule>(lds, t, lane);
#pragma unroll 1
                for (int j = 0; j <= t; j += 4) {
#pragma unroll
                    for (int e = 0; e < 4; e++) o = fmaf(seen[j + e], lds.vn[from + j + e][lane], o);
                }
                if (mine) x.o[value * x.V + (from + t) * value_pitch + col] = x.scale * o;
            }
            const float decay = Rule::in(decays[2l * (count - 1) * x.HV]);
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] *= decay;
#pragma unroll 1
            for (int t = 0; t < count; t++) {
                float row[KEYS];
                slice.row(row, fast_uniform(x.k + key + t * key_pitch));
                fast_write<KEYS>(s, row, Rule::after(decays[2l * t * x.HV + 1]) * lds.vn[from + t][lane]);
            }
            __syncthreads();
        }
    }
    if (x.final && mine) slice.store(x.final + state, gdn_column(col, x.K, x.V, Rule::final_layout(x.state_layout)), s);
}

template <class Rule>
static __device__ __forceinline__ void scan_body(const Scan& x) {
    __shared__ ScanLds lds;
    if (blockIdx.x * GDN_WAVE >= x.V || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
#define BODY(KEYS, WHOLE) scan_sequence<Rule, KEYS, WHOLE>(x, lds)
    FAST_WITH_SLICE(x.K, BODY);
#undef BODY
}
#define SCAN_KERNEL(NAME, RULE)                                                                                             \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const float* q, const float* k, const float* u, const float* w, const float* seen, const float* decays,             \
        const float* initial, float* o, float* final, int B, int T, int H, int HV, int K, int V, int C, float scale,        \
        int head_map, int state_layout) {                                                                                   \
        scan_body<RULE>({q, k, u, w, seen, decays, initial, o, final, B, T, H, HV, K, V, C, scale, head_map, state_layout}); \
    }
