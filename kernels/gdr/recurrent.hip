// The gated delta rule token by token, on bf16 tensors and f32 states: FLA's fused_recurrent_gated_delta_rule, and the decode step that
// makes its gates itself. One work-group a value head and sequence, one work-item a value column.
#pragma once
#include "state.hip"
#include "common.hip"

// Points where the wrong variants in planted/ differ.
struct GdrRecurrentRule {
    static constexpr bool undecayed = false;  // the error is taken from the decayed state
    static __device__ int head(int hv, int H, int HV) { return hv / (HV / H); }
    static __device__ float decay(float g) { return expf(g); }
    static __device__ float sum(float sum) { return sum; }  // of a column's products with k or q
    static __device__ float written(float beta, float v, float read) { return beta * (v - read); }
    static __device__ long beta_channel(int col) { return col; }
    static __device__ float scale(float scale) { return scale; }
    static __device__ float norm(float squares) { return sqrtf(squares + 1e-6f); }
    static constexpr bool takes_gk = true;
    static constexpr bool takes_gv = true;
    // where the tokens of a sequence lie
    static __device__ int first(const int* cu_seqlens, int n, int T) { return cu_seqlens ? cu_seqlens[n] : n * T; }
    static __device__ int end(const int* cu_seqlens, int n, int T) { return cu_seqlens ? cu_seqlens[n + 1] : (n + 1) * T; }
    static __device__ int gate_token(int token, int first) { return token; }
    // where states come from and go
    static __device__ bool takes_initial() { return true; }
    static __device__ int initial_layout() { return STATE_KEY_MAJOR; }
    static __device__ int final_layout() { return STATE_KEY_MAJOR; }
    static __device__ int read_slot(int slot) { return slot; }
    static __device__ int written_slot(int slot) { return slot; }
    static __device__ bool writes(int col) { return true; }
    // gates made inside
    static __device__ float strength(float b) { return 1.0f / (1.0f + expf(-b)); }
    static __device__ float softplus(float x, float beta, float threshold) {
        return beta * x > threshold ? x : log1pf(expf(beta * x)) / beta;
    }
    static __device__ float step(float a, float bias) { return a + bias; }
    static __device__ float gate(float rate, float step) { return -rate * step; }
    static __device__ Bf16 rounded(float x) { return gdr_bf16(x); }
};

// A launch. Tokens of all sequences stand one after another: q, k [tok,H,K]; v, o [tok,HV,V]. Null pointers: no such gate, no initial
// state, no final state wanted, sequences of T tokens each.
struct GdrRecurrence {
    const Bf16 *q, *k, *v, *beta;
    const float *g, *gk, *gv;  // [tok,HV], [tok,HV,K], [tok,HV,V]
    const float *initial;      // [N,HV,K,V], or [slots,HV,K,V] with `slots`
    Bf16* o;
    float* last;
    const int *slots, *cu_seqlens;
    int N, T, H, HV, K, V;
    float scale;
    int beta_channels;  // 1: [tok,HV]; V: [tok,HV,V]
    int l2norm;
};

// What the gates are made of, where they are made inside: [HV] and [tok,HV].
struct GdrGating {
    const float *A_log, *dt_bias;
    const Bf16 *a, *b;
    float softplus_beta, softplus_threshold;
};

// A wave copies a vector of K channels into LDS as f32, with zeros up to `bound`: times `factor`, and over its norm where that is asked for.
template <class Rule>
static __device__ __forceinline__ void gdr_stage_vector(float* lds, const Bf16* vector, int K, int bound, int l2norm, float factor) {
    const int lane = threadIdx.x % GDR_WAVE;
    float x[GDN_MAX_K / GDR_WAVE], squares = 0.0f;
#pragma unroll
    for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
        const int j = lane + GDR_WAVE * r;
        x[r] = j < K ? gdr_float(vector[j]) : 0.0f;
        squares += x[r] * x[r];
    }
    const float norm = l2norm ? Rule::norm(gdr_wave_sum(squares)) : 1.0f;
#pragma unroll
    for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
        const int j = lane + GDR_WAVE * r;
        if (j < bound) lds[j] = x[r] / norm * factor;
    }
}

// LDS of a work-group: the token's key and query, and the decays of the key channels.
struct GdrToken {
    float k[GDN_MAX_K], q[GDN_MAX_K], decay[GDN_MAX_K];
};

template <class Rule, int BOUND>
static __device__ __forceinline__ void gdr_recurrence(const GdrRecurrence& x, const GdrGating* made, GdrToken& lds) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    const int wave = threadIdx.x / GDR_WAVE, waves = blockDim.x / GDR_WAVE;
    const int h = Rule::head(hv, x.H, x.HV);
    const bool mine = col < x.V;
    const int first = Rule::first(x.cu_seqlens, n, x.T), end = Rule::end(x.cu_seqlens, n, x.T);
    const long size = (long)x.K * x.V;
    const int slot = x.slots ? x.slots[n] : n;
    const int from = Rule::read_slot(slot), into = Rule::written_slot(slot);

    StateColumn<BOUND> state;
    state.zero();
    if (x.initial && from >= 0 && mine && Rule::takes_initial()) {
        state.load(x.initial + ((long)from * x.HV + hv) * size, gdn_column(col, x.K, x.V, Rule::initial_layout()), x.K);
    }
    for (int token = first; token < end; token++) {
        const long key = ((long)token * x.H + h) * x.K;
        const long scalar = (long)token * x.HV + hv;
        const long gated = (long)Rule::gate_token(token, first) * x.HV + hv;
        const float v = mine ? gdr_float(x.v[scalar * x.V + col]) : 0.0f;
        __syncthreads();  // the last token's vectors are done with
        if (wave == 0) gdr_stage_vector<Rule>(lds.q, x.q + key, x.K, BOUND, x.l2norm, Rule::scale(x.scale));
        if (wave == waves - 1) gdr_stage_vector<Rule>(lds.k, x.k + key, x.K, BOUND, x.l2norm, 1.0f);
        const bool by_key = Rule::takes_gk && x.gk;
        if (by_key) {
            for (int j = threadIdx.x; j < BOUND; j += blockDim.x) lds.decay[j] = j < x.K ? Rule::decay(x.gk[gated * x.K + j]) : 0.0f;
        }
        __syncthreads();
        float beta, alpha = 1.0f;
        if (made) {
            const float step = Rule::step(gdr_float(made->a[gated]), made->dt_bias[hv]);
            const float softplus = Rule::softplus(step, made->softplus_beta, made->softplus_threshold);
            alpha = Rule::decay(Rule::gate(expf(made->A_log[hv]), softplus));
            beta = Rule::strength(gdr_float(made->b[scalar]));
        } else {
            if (x.g) alpha = Rule::decay(x.g[gated]);
            if (Rule::takes_gv && x.gv && mine) alpha *= Rule::decay(x.gv[gated * x.V + col]);
            const long channel = x.beta_channels > 1 && mine ? Rule::beta_channel(col) : 0;
            beta = gdr_float(x.beta[scalar * x.beta_channels + channel]);
        }
        float read = 0.0f;
        if (Rule::undecayed) read = Rule::sum(state.read(lds.k));
        state.decay(alpha);
        if (by_key) state.decay(lds.decay);
        if (!Rule::undecayed) read = Rule::sum(state.read(lds.k));
        state.write(lds.k, Rule::written(beta, v, read));
        const float out = Rule::sum(state.read(lds.q));
        if (mine && Rule::writes(col)) x.o[scalar * x.V + col] = Rule::rounded(out);
    }
    if (x.last && into >= 0 && mine) {
        state.store(x.last + ((long)into * x.HV + hv) * size, gdn_column(col, x.K, x.V, Rule::final_layout()), x.K);
    }
}

template <class Rule>
static __device__ __forceinline__ void gdr_recurrent_body(const GdrRecurrence& x, const GdrGating* made) {
    __shared__ __align__(16) GdrToken lds;
    if (blockIdx.x >= x.HV || blockIdx.y >= x.N) return;
#define BODY(BOUND) gdr_recurrence<Rule, BOUND>(x, made, lds)
    GDN_WITH_BOUND(x.K, BODY);
#undef BODY
}

#define GDR_FUSED_RECURRENT_KERNEL(NAME, RULE)                                                                              \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* beta, const float* g, const float* gk, const float* gv,    \
        const float* h0, Bf16* o, float* ht, const int* cu_seqlens, int N, int T, int H, int HV, int K, int V, float scale, \
        int beta_channels) {                                                                                                \
        gdr_recurrent_body<RULE>({q, k, v, beta, g, gk, gv, h0, o, ht, nullptr, cu_seqlens, N, T, H, HV, K, V, scale,       \
                                  beta_channels, 0},                                                                        \
                                 nullptr);                                                                                  \
    }

#define GDR_SIGMOID_GATING_KERNEL(NAME, RULE)                                                                               \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const float* A_log, const Bf16* a, const float* dt_bias, const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* b, \
        Bf16* o, float* h0_source, const int* h0_indices, const int* cu_seqlens, int N, int T, int H, int HV, int K, int V, \
        float scale, float softplus_beta, float softplus_threshold, int l2norm) {                                           \
        const GdrGating made = {A_log, dt_bias, a, b, softplus_beta, softplus_threshold};                                   \
        gdr_recurrent_body<RULE>({q, k, v, nullptr, nullptr, nullptr, nullptr, h0_source, o, h0_source, h0_indices,         \
                                  cu_seqlens, N, T, H, HV, K, V, scale, 1, l2norm},                                         \
                                 &made);                                                                                    \
    }
