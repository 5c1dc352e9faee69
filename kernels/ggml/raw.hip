// ggml's GATED_DELTA_NET with gates, write strengths and norms made inside. One work-group a value head and sequence, one work-item a value
// column. A Rule names the points where the wrong variants in planted/ differ.
#pragma once
#include "../gdn/common.hip"
#include "../gdn/producers.hip"

enum { GGML_NORM_NONE = 0, GGML_NORM_MAX = 1 };

struct GgmlRawRule {
    static __device__ int head(int hv, int Hk, int H, int head_map) { return gdn_head(hv, Hk, H, head_map); }
    static __device__ int layout() { return STATE_VALUE_MAJOR; }
    // the logarithm of the factor on the state; `a` is -e^A_log
    static __device__ float log_gate(float a, float alpha, float dt) { return a * softplus(alpha + dt); }
    static __device__ float strength(float beta) { return 1.0f / (1.0f + expf(-beta)); }
    // the norm of a row, from the sum of its squares
    static __device__ float norm(float sum, float eps) { return fmaxf(sqrtf(sum), eps); }
    static __device__ float scale(int S) { return 1.0f / sqrtf((float)S); }
    // the slot that holds the state after a token: the newest first
    static __device__ int slot(int token, int T) { return T - 1 - token; }
};

// A launch, innermost axis first: q, k [S,Hk,T,N] with `key_row` elements from one token to the next, v [S,H,T,N] with `value_row`;
// alpha, beta [H,T,N]; dt, a [H]; state [S,S,H,N] with keys innermost; o [S,H,T,N]; states, the snapshots, [S,S,H,N] each.
struct GgmlRaw {
    const float *q, *k, *v, *alpha, *beta, *dt, *a, *state;
    float *o, *states;
    int S, Hk, H, T, N, key_row, value_row, snapshots, head_map, norm;
    float eps;
};

// The work-group divides both vectors in LDS by their norms.
template <class Rule>
static __device__ __forceinline__ void ggml_raw_norms(float* sh_k, float* sh_q, int S, float eps) {
    float keys = 0.0f, queries = 0.0f;
    for (int j = 0; j < S; j++) {
        keys += sh_k[j] * sh_k[j];
        queries += sh_q[j] * sh_q[j];
    }
    __syncthreads();  // all have read what is overwritten now
    for (int j = threadIdx.x; j < S; j += blockDim.x) {
        sh_k[j] = sh_k[j] / Rule::norm(keys, eps);
        sh_q[j] = sh_q[j] / Rule::norm(queries, eps);
    }
    __syncthreads();
}

template <class Rule, int BOUND>
static __device__ __forceinline__ void ggml_raw_sequence(const GgmlRaw& x, float* sh_k, float* sh_q) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x, S = x.S;
    const int h = Rule::head(hv, x.Hk, x.H, x.head_map);
    const bool mine = col < S;
    const long size = (long)S * S, all = size * x.H * x.N, place = ((long)n * x.H + hv) * size;
    const ColumnPlace column = gdn_column(col, S, S, Rule::layout());

    StateColumn<BOUND> state;
    state.zero();
    if (mine) state.load(x.state + place, column, S);
    for (int t = 0; t < x.T; t++) {
        const long token = (long)n * x.T + t, value = token * x.H + hv;
        const float v = mine ? x.v[token * x.value_row + (long)hv * S + col] : 0.0f;
        __syncthreads();  // the last token's vectors are done with
        gdn_stage(sh_k, x.k + token * x.key_row + (long)h * S, S, BOUND);
        gdn_stage(sh_q, x.q + token * x.key_row + (long)h * S, S, BOUND);
        __syncthreads();
        if (x.norm == GGML_NORM_MAX) ggml_raw_norms<Rule>(sh_k, sh_q, S, x.eps);
        state.decay(expf(Rule::log_gate(x.a[hv], x.alpha[value], x.dt[hv])));
        const float error = v - state.read(sh_k);
        state.write(sh_k, Rule::strength(x.beta[value]) * error);
        const float out = state.read(sh_q);
        if (mine) {
            x.o[value * S + col] = Rule::scale(S) * out;
            const int slot = Rule::slot(t, x.T);
            if (slot < x.snapshots) state.store(x.states + slot * all + place, column, S);
        }
    }
}

template <class Rule>
static __device__ __forceinline__ void ggml_raw_body(const GgmlRaw& x) {
    __shared__ __align__(16) float sh_k[GDN_MAX_K], sh_q[GDN_MAX_K];
    if (blockIdx.x >= x.H || blockIdx.y >= x.N) return;
#define BODY(BOUND) ggml_raw_sequence<Rule, BOUND>(x, sh_k, sh_q)
    GDN_WITH_BOUND(x.S, BODY);
#undef BODY
}

#define GGML_RAW_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                           \
        const float* q, const float* k, const float* v, const float* alpha, const float* beta, const float* dt,      \
        const float* a, const float* state, float* o, float* states, int S, int Hk, int H, int T, int N, int key_row, \
        int value_row, int snapshots, int head_map, int norm, float eps) {                                            \
        ggml_raw_body<RULE>({q, k, v, alpha, beta, dt, a, state, o, states, S, Hk, H, T, N, key_row, value_row,       \
                             snapshots, head_map, norm, eps});                                                        \
    }
