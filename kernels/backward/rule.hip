// The gradients of the gated delta rule: one work-group a value head and sequence. A Rule names the points where the wrong
// variants in planted/ differ.
#pragma once
#include "../gdn/common.hip"

#define BACKWARD_MAX 256  // key channels, value channels, work-items

// D_t = e^g_t S_(t-1), e_t = v_t - D_t^T k_t, d_t = beta_t e_t, S_t = D_t + k_t d_t^T, o_t = scale S_t^T q_t.
// A is the gradient by the state: by S_t, then by D_t, then by S_(t-1).
struct BackwardRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int last_layout(int layout) { return layout; }   // of the gradient by the final state
    static __device__ int first_layout(int layout) { return layout; }  // of the gradient by the initial state
    // the factor in dq
    static __device__ float query_scale(float scale) { return scale; }
    // the state that dq reads, of the one after the token and the decayed one before its write
    static __device__ float read_by_query(float after, float decayed) { return after; }
    // dk of the write and of the read through the error
    static __device__ float key(float written, float read) { return written - read; }
    static __device__ float value(float by_d, float beta) { return beta * by_d; }
    static __device__ float strength(float error, float v) { return error; }  // what dbeta multiplies
    // what dg multiplies, of A by S_t and A by D_t
    static __device__ float gate(float by_state, float by_decayed) { return by_decayed; }
    // A by D_t, of A by S_t and the part through the error
    static __device__ float through_error(float by_state, float part) { return by_state - part; }
    // the factor from A by D_t to A by S_(t-1)
    static __device__ float decay(float alpha, int token) { return alpha; }
    static __device__ bool forgets_after(int token, int T) { return false; }
    static __device__ bool carries_to_segment() { return true; }
    static __device__ bool writes(int col) { return true; }
};

// A launch: q, k [B,T,H,K]; v, dout, dv [B,T,HV,V]; g, dg [B,T,HV] or [B,T,HV,K]; beta, dbeta [B,T,HV]; states as
// state_layout says. dq, dk [B,T,HV,K] are those of each value head. Scratch of a head and sequence, key-major:
// `starts` [segments,K,V], the state before each segment of C tokens; `window` [C,K,V], the states after the tokens of one;
// `A` [K,V].
struct Backward {
    const float *q, *k, *v, *g, *beta, *initial, *dout, *last;
    float *dq, *dk, *dv, *dg, *dbeta, *first, *starts, *window, *A;
    int B, T, H, HV, K, V, C;
    float scale;
    int head_map, state_layout, by_channel;
};

struct BackwardLds {
    float q[BACKWARD_MAX], k[BACKWARD_MAX], alpha[BACKWARD_MAX], rows[BACKWARD_MAX];
    float output[BACKWARD_MAX], d[BACKWARD_MAX], error[BACKWARD_MAX], columns[BACKWARD_MAX];
};

static __device__ inline float backward_alpha(const Backward& x, long head, int channel) {
    return expf(x.by_channel ? x.g[head * x.K + channel] : x.g[head]);
}

// Column `col` of the state `to` after a token from that of `from` before it.
static __device__ inline void backward_forward(const Backward& x, const BackwardLds& lds, const float* from, float* to, int col,
                                               float beta, float v) {
    float read = 0.0f;
    for (int i = 0; i < x.K; i++) read += lds.alpha[i] * from[i * x.V + col] * lds.k[i];
    const float d = beta * (v - read);
    for (int i = 0; i < x.K; i++) to[i * x.V + col] = lds.alpha[i] * from[i * x.V + col] + lds.k[i] * d;
}

// The work-group copies what a token has for each key channel into LDS.
static __device__ inline void backward_stage(const Backward& x, BackwardLds& lds, long key, long head) {
    __syncthreads();  // the last token's are done with
    for (int i = threadIdx.x; i < x.K; i += blockDim.x) {
        lds.q[i] = x.q[key + i];
        lds.k[i] = x.k[key + i];
        lds.alpha[i] = backward_alpha(x, head, i);
    }
    __syncthreads();
}

// A work-item has a column of the state in the forward pass, and for sums over the key channels; a row, for sums over columns.
template <class Rule>
static __device__ __forceinline__ void backward_body(Backward x) {
    __shared__ BackwardLds lds;
    const int hv = blockIdx.x, b = blockIdx.y, me = threadIdx.x;
    if (hv >= x.HV || b >= x.B) return;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    const int segments = (x.T + x.C - 1) / x.C;
    const long place = (long)b * x.HV + hv, size = (long)x.K * x.V;
    const bool column = me < x.V;
    x.starts += place * segments * size;
    x.window += place * x.C * size;
    x.A += place * size;

    // the state before the first token, and A after the last
    if (column) {
        const ColumnPlace from = gdn_column(me, x.K, x.V, Rule::initial_layout(x.state_layout));
        const ColumnPlace last = gdn_column(me, x.K, x.V, Rule::last_layout(x.state_layout));
        for (int i = 0; i < x.K; i++) {
            x.starts[i * x.V + me] = x.initial ? gdn_at(x.initial + place * size, from.first + i * from.step) : 0.0f;
            x.A[i * x.V + me] = x.last ? gdn_at(x.last + place * size, last.first + i * last.step) : 0.0f;
        }
    }
    // the state before each segment
    for (int t = 0; t + x.C < segments * x.C; t++) {
        const long token = (long)b * x.T + t, head = token * x.HV + hv;
        backward_stage(x, lds, (token * x.H + h) * x.K, head);
        if (!column) continue;
        const int within = t % x.C, segment = t / x.C;
        float* start = x.starts + segment * size;
        const float* from = within == 0 ? start : x.window + (long)(within - 1) * size;
        float* to = within == x.C - 1 ? start + size : x.window + (long)within * size;
        backward_forward(x, lds, from, to, me, x.beta[head], x.v[head * x.V + me]);
    }
    for (int segment = segments - 1; segment >= 0; segment--) {
        const int begin = segment * x.C, end = begin + x.C < x.T ? begin + x.C : x.T;
        const float* start = x.starts + segment * size;
        // the states after its tokens
        for (int t = begin; t < end; t++) {
            const long token = (long)b * x.T + t, head = token * x.HV + hv;
            backward_stage(x, lds, (token * x.H + h) * x.K, head);
            if (!column) continue;
            const float* from = t == begin ? start : x.window + (long)(t - begin - 1) * size;
            float* to = x.window + (long)(t - begin) * size;
            backward_forward(x, lds, from, to, me, x.beta[head], x.v[head * x.V + me]);
        }
        if (column && segment < segments - 1 && !Rule::carries_to_segment()) {
            for (int i = 0; i < x.K; i++) x.A[i * x.V + me] = 0.0f;
        }
        for (int t = end - 1; t >= begin; t--) {
            const long token = (long)b * x.T + t, head = token * x.HV + hv;
            backward_stage(x, lds, (token * x.H + h) * x.K, head);
            const float* before = t == begin ? start : x.window + (long)(t - begin - 1) * size;
            const float* after = x.window + (long)(t - begin) * size;
            const float beta = x.beta[head];
            if (column) {
                const float output = x.dout[head * x.V + me], v = x.v[head * x.V + me];
                const bool forgets = Rule::forgets_after(t, x.T);
                float read = 0.0f, by_d = 0.0f;
                for (int i = 0; i < x.K; i++) {
                    read += lds.alpha[i] * before[i * x.V + me] * lds.k[i];
                    float& a = x.A[i * x.V + me];
                    a = (forgets ? 0.0f : a) + x.scale * lds.q[i] * output;
                    by_d += a * lds.k[i];
                }
                const float error = v - read;
                lds.output[me] = output;
                lds.d[me] = beta * error;
                lds.error[me] = beta * by_d;
                lds.columns[me] = by_d * Rule::strength(error, v);
                if (Rule::writes(me)) x.dv[head * x.V + me] = Rule::value(by_d, beta);
            }
            __syncthreads();
            for (int i = me; i < x.K; i += blockDim.x) {
                const float alpha = lds.alpha[i], k = lds.k[i];
                float query = 0.0f, written = 0.0f, read = 0.0f, gate = 0.0f;
                for (int j = 0; j < x.V; j++) {
                    const float decayed = alpha * before[i * x.V + j];
                    float& a = x.A[i * x.V + j];
                    const float by_decayed = Rule::through_error(a, k * lds.error[j]);
                    query += Rule::read_by_query(after[i * x.V + j], decayed) * lds.output[j];
                    written += a * lds.d[j];
                    read += decayed * lds.error[j];
                    gate += Rule::gate(a, by_decayed) * decayed;
                    a = Rule::decay(alpha, t) * by_decayed;
                }
                x.dq[head * x.K + i] = Rule::query_scale(x.scale) * query;
                x.dk[head * x.K + i] = Rule::key(written, read);
                lds.rows[i] = gate;
                if (x.by_channel) x.dg[head * x.K + i] = gate;
            }
            __syncthreads();
            if (me == 0) {
                float sum = 0.0f;
                for (int j = 0; j < x.V; j++) sum += lds.columns[j];
                x.dbeta[head] = sum;
                if (!x.by_channel) {
                    sum = 0.0f;
                    for (int i = 0; i < x.K; i++) sum += lds.rows[i];
                    x.dg[head] = sum;
                }
            }
        }
    }
    __syncthreads();
    if (column) {
        const ColumnPlace to = gdn_column(me, x.K, x.V, Rule::first_layout(x.state_layout));
        for (int i = 0; i < x.K; i++) gdn_at(x.first + place * size, to.first + i * to.step) = x.A[i * x.V + me];
    }
}

#define BACKWARD_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(BACKWARD_MAX) void NAME(                                                         \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* initial,            \
        const float* dout, const float* dfinal, float* dq, float* dk, float* dv, float* dg, float* dbeta, float* dinitial,   \
        float* starts, float* window, float* A, int B, int T, int H, int HV, int K, int V, int C, float scale,               \
        int head_map, int state_layout, int by_channel) {                                                                    \
        backward_body<RULE>({q, k, v, g, beta, initial, dout, dfinal, dq, dk, dv, dg, dbeta, dinitial, starts, window, A,    \
                             B, T, H, HV, K, V, C, scale, head_map, state_layout, by_channel});                              \
    }

struct GroupSumRule {
    // value head number `n` of those that read key head h
    static __device__ int value_head(int n, int h, int H, int HV, int head_map) {
        return head_map == HEAD_BLOCK ? h * (HV / H) + n : h + n * H;
    }
    static __device__ int first(int group) { return 0; }
};

// dq, dk [B,T,H,K]: sums of those of the value heads [B,T,HV,K] that read the key head. One work-item an element.
template <class Rule>
static __device__ __forceinline__ void group_sum_body(const float* dq_heads, const float* dk_heads, float* dq, float* dk,
                                                      long tokens, int H, int HV, int K, int head_map) {
    const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= tokens * H * K) return;
    const long token = at / K / H;
    const int h = at / K % H, i = at % K, group = HV / H;
    float q = 0.0f, k = 0.0f;
    for (int n = Rule::first(group); n < group; n++) {
        const long from = (token * HV + Rule::value_head(n, h, H, HV, head_map)) * K + i;
        q += dq_heads[from];
        k += dk_heads[from];
    }
    dq[at] = q;
    dk[at] = k;
}

#define GROUP_SUM_KERNEL(NAME, RULE)                                                                                         \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* dq_heads, const float* dk_heads, float* dq,          \
                                                           float* dk, int tokens, int H, int HV, int K, int head_map) {      \
        group_sum_body<RULE>(dq_heads, dk_heads, dq, dk, tokens, H, HV, K, head_map);                                        \
    }
