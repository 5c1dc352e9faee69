// The recurrence token by token: one work-group a value head and sequence, one work-item a value column. A Rule names
// the points where one rule differs from another, and where the wrong variants in planted/ do.
#pragma once
#include "common.hip"

// The gated delta rule.
struct DeltaRule {
    // the error is taken from the decayed state
    static constexpr bool undecayed = false;
    // the output is read with q
    static constexpr bool reads_with_key = false;
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ float decay(float g, int gate_kind) { return gdn_decay(g, gate_kind); }
    static __device__ float written(float beta, float v, float read) { return beta * (v - read); }
    static __device__ float scale(float scale) { return scale; }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    // the tokens of sequence b begin here, and with them the state
    static __device__ int first_token(int b, int T) { return b * T; }
    static __device__ bool forgets_before(int token) { return false; }
    static __device__ bool writes(int col) { return true; }
};

// A notebook's sequential rule: the error from the state before the decay, the output read with the key.
struct NotebookRule : DeltaRule {
    static constexpr bool undecayed = true;
    static constexpr bool reads_with_key = true;
};

// A launch: q, k [B,T,H,K]; v, o [B,T,HV,V]; g, beta [B,T,HV]; states as state_layout says, or null.
struct Recurrence {
    const float *q, *k, *v, *g, *beta, *initial;
    float *o, *final;
    int B, T, H, HV, K, V;
    float scale;
    int head_map, state_layout, gate_kind;
};

template <class Rule, int BOUND>
static __device__ __forceinline__ void recurrence(const Recurrence& x, float* sh_k, float* sh_q) {
    const int hv = blockIdx.x, b = blockIdx.y, col = threadIdx.x;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    const bool mine = col < x.V;
    const int first = Rule::first_token(b, x.T);
    const long size = (long)x.K * x.V;

    StateColumn<BOUND> state;
    state.zero();
    if (x.initial && mine) {
        long place = (long)(first / x.T) * x.HV + hv;
        state.load(x.initial + place * size, gdn_column(col, x.K, x.V, Rule::initial_layout(x.state_layout)), x.K);
    }
    for (int token = first; token < (b + 1) * x.T; token++) {
        const long key = ((long)token * x.H + h) * x.K;
        const long value = (long)token * x.HV + hv;
        if (Rule::forgets_before(token - first)) state.zero();
        const float v = mine ? x.v[value * x.V + col] : 0.0f;
        __syncthreads();  // the last token's vectors are done with
        gdn_stage(sh_k, x.k + key, x.K, BOUND);
        if (!Rule::reads_with_key) gdn_stage(sh_q, x.q + key, x.K, BOUND);
        __syncthreads();
        const float alpha = Rule::decay(x.g[value], x.gate_kind);
        float read;
        if (Rule::undecayed) {
            read = state.read(sh_k);
            state.decay(alpha);
        } else {
            state.decay(alpha);
            read = state.read(sh_k);
        }
        state.write(sh_k, Rule::written(x.beta[value], v, read));
        const float out = state.read(Rule::reads_with_key ? sh_k : sh_q);
        if (mine && Rule::writes(col)) x.o[value * x.V + col] = Rule::scale(x.scale) * out;
    }
    if (x.final && mine) {
        long place = (long)b * x.HV + hv;
        state.store(x.final + place * size, gdn_column(col, x.K, x.V, Rule::final_layout(x.state_layout)), x.K);
    }
}

template <class Rule>
static __device__ __forceinline__ void recurrent_body(const Recurrence& x) {
    __shared__ __align__(16) float sh_k[GDN_MAX_K], sh_q[GDN_MAX_K];
    if (blockIdx.x >= x.HV || blockIdx.y >= x.B) return;
#define BODY(BOUND) recurrence<Rule, BOUND>(x, sh_k, sh_q)
    GDN_WITH_BOUND(x.K, BODY);
#undef BODY
}

#define RECURRENT_KERNEL(NAME, RULE)                                                                                 \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                          \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* initial,    \
        float* o, float* final, int B, int T, int H, int HV, int K, int V, float scale, int head_map,                \
        int state_layout, int gate_kind) {                                                                           \
        recurrent_body<RULE>(                                                                                        \
            {q, k, v, g, beta, initial, o, final, B, T, H, HV, K, V, scale, head_map, state_layout, gate_kind});     \
    }

// As many value heads as key heads, the factor as gate, key-major states, no scale.
#define SEQUENTIAL_KERNEL(NAME, RULE)                                                                                \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                          \
        const float* k, const float* v, const float* beta, const float* g, const float* initial, float* o,           \
        float* final, int B, int T, int H, int K, int V) {                                                           \
        recurrent_body<RULE>({k, k, v, g, beta, initial, o, final, B, T, H, H, K, V, 1.0f, HEAD_BLOCK,               \
                              STATE_KEY_MAJOR, GATE_FACTOR});                                                        \
    }
