// ggml's GATED_DELTA_NET: its layouts, its head map, its scale, its snapshots. One work-group a value head and sequence,
// one work-item a value column.
#pragma once
#include "common.hip"

struct GgmlRule {
    static __device__ int head(int hv, int H, int Hk) { return gdn_head(hv, Hk, H, HEAD_TILED); }
    static __device__ float scale(int S) { return 1.0f / sqrtf((float)S); }
    static __device__ int layout() { return STATE_VALUE_MAJOR; }
    // the slot that holds the state after a token: the newest first
    static __device__ int slot(int token, int T, int snapshots) { return T - 1 - token; }
    // which of a token's gates key channel j decays by
    static __device__ int channel(int j) { return j; }
};

// A launch, innermost axis first: q, k [S,Hk,T,N]; v [S,H,T,N]; g [1 or S,H,T,N]; beta [1,H,T,N]; state [S,S,H,N] with
// keys innermost; dst S*H*T*N outputs, then the snapshots.
struct GgmlLaunch {
    const float *q, *k, *v, *g, *beta, *state;
    float* dst;
    int S, Hk, H, T, N, per_key, snapshots;
};

template <class Rule, int BOUND>
static __device__ __forceinline__ void ggml_sequence(const GgmlLaunch& x, float* sh_k, float* sh_q, float* sh_decay) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x, S = x.S;
    const int h = Rule::head(hv, x.H, x.Hk);
    const bool mine = col < S;
    const long size = (long)S * S, all = size * x.H * x.N, place = ((long)n * x.H + hv) * size;
    const ColumnPlace column = gdn_column(col, S, S, Rule::layout());
    float* slots = x.dst + (long)S * x.H * x.T * x.N;

    StateColumn<BOUND> state;
    state.zero();
    if (mine) state.load(x.state + place, column, S);
    for (int t = 0; t < x.T; t++) {
        const long key = (((long)n * x.T + t) * x.Hk + h) * S;
        const long value = ((long)n * x.T + t) * x.H + hv;
        const float v = mine ? x.v[value * S + col] : 0.0f;
        __syncthreads();  // the last token's vectors are done with
        gdn_stage(sh_k, x.k + key, S, BOUND);
        gdn_stage(sh_q, x.q + key, S, BOUND);
        if (x.per_key) {
            for (int j = col; j < BOUND; j += blockDim.x) {
                sh_decay[j] = j < S ? expf(x.g[value * S + Rule::channel(j)]) : 0.0f;
            }
        }
        __syncthreads();
        if (x.per_key) state.decay(sh_decay);
        else state.decay(expf(x.g[value]));
        const float error = v - state.read(sh_k);
        state.write(sh_k, x.beta[value] * error);
        const float out = state.read(sh_q);
        if (mine) {
            x.dst[value * S + col] = Rule::scale(S) * out;
            const int slot = Rule::slot(t, x.T, x.snapshots);
            if (slot >= 0 && slot < x.snapshots) state.store(slots + slot * all + place, column, S);
        }
    }
}

template <class Rule>
static __device__ __forceinline__ void ggml_body(const GgmlLaunch& x) {
    __shared__ __align__(16) float sh_k[GDN_MAX_K], sh_q[GDN_MAX_K], sh_decay[GDN_MAX_K];
    if (blockIdx.x >= x.H || blockIdx.y >= x.N) return;
#define BODY(BOUND) ggml_sequence<Rule, BOUND>(x, sh_k, sh_q, sh_decay)
    GDN_WITH_BOUND(x.S, BODY);
#undef BODY
}

#define GGML_KERNEL(NAME, RULE)                                                                                     \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                         \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* state,     \
        float* dst, int S, int Hk, int H, int T, int N, int per_key, int snapshots) {                               \
        ggml_body<RULE>({q, k, v, g, beta, state, dst, S, Hk, H, T, N, per_key, snapshots});                        \
    }
