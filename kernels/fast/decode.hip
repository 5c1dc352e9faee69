// A decode step of a layer in one launch: one to a few tokens, gates, write strengths and L2 norms made inside, the state read and
// written once, and the states after the last tokens kept for those that speculate. A wave has a few columns of one head's state
// (columns.hip).
#pragma once
#include "columns.hip"
#include "uniform.hip"

#define DECODE_ITEMS 64  // work-items of a work-group: no more, no fewer

struct DecodeRule {
    static __device__ int head(int hv, int H, int HV, int head_map) {
        const bool block = head_map == HEAD_BLOCK;
        const int quotient = lanes_quotient(block ? hv * H : hv, block ? HV : H);
        return block ? quotient : hv - quotient * H;
    }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    // e^-A softplus(x), of A's logarithm
    static __device__ float decay(float a_log, float x) {
        return lanes_exp(-lanes_exp(a_log) * softplus(x));
    }
    static __device__ float biased(float a, float dt_bias) { return a + dt_bias; }
    static __device__ float softplus(float x) { return x > 20.0f ? x : lanes_log(1.0f + lanes_exp(x)); }
    static __device__ float strength(float b) { return lanes_reciprocal(1.0f + lanes_exp(-b)); }
    // what makes a vector of this sum of squares one of length 1
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal_root(squares + eps); }
    static __device__ float scale(float scale) { return scale; }
    // the slot of the state after a token: the newest first
    static __device__ int slot(int token, int T, int snapshots) { return T - 1 - token; }
    // the gates of these tokens are read together
    static __device__ int first_of_block(int token) { return token - token % WAVE; }
    static __device__ int columns(int V) { return V; }
};

// A launch: q, k [B,T,H,K] before their norms; v, o [B,T,HV,V]; a, b [B,T,HV]; A_log, dt_bias [HV]; initial [B,HV,K,V] or [B,HV,V,K], or
// null; states the same for each of the last `snapshots` tokens, the newest first, may begin with initial.
template <class E>
struct DecodeCall {
    const E *q, *k, *v, *a, *b;
    const float *A_log, *dt_bias, *initial;
    E* o;
    float* states;
    int B, T, H, HV, K, V;
    float scale, eps;
    int head_map, state_layout, snapshots;
};

// Where number n of pieces of this size begins.
static __device__ __forceinline__ long decode_place(unsigned n, unsigned size) { return (unsigned long)n * size; }

template <class Rule, class E, class T, bool WHOLE>
static __device__ __forceinline__ void decode_body(const DecodeCall<E>& x) {
    const int lane = threadIdx.x % WAVE, part = lane % T::LANES, hv = blockIdx.y, b = blockIdx.z;
    const int first = (blockIdx.x * (DECODE_ITEMS / WAVE) + lanes_uniform(threadIdx.x / WAVE)) * T::WIDTH;
    if (first >= x.V || hv >= x.HV || b >= x.B) return;
    const int column = first + lane / T::LANES, h = Rule::head(hv, x.H, x.HV, x.head_map);
    // numbers of heads and of a head's elements have 32 bits: what they make is a product of two, and a token's are found as it begins
    const unsigned size = x.K * x.V, head = b * x.HV + hv;
    unsigned key_place = T::channel(part, 0) * sizeof(E), lane_place = lane * sizeof(E), value_place[T::COLUMNS];
#pragma unroll
    for (int n = 0; n < T::COLUMNS; n++) value_place[n] = min(column + n * T::APART, x.V - 1) * sizeof(E);

    ColumnParts<T, WHOLE> state;
    if (__builtin_expect(!x.initial, 0)) state.zero();
    else state.load(x.initial + decode_place(head, size), column, part, x.K, x.V, Rule::initial_layout(x.state_layout));
    float alphas = 1.0f, betas = 0.0f;
    for (int token = 0; token < x.T; token++) {
        const unsigned row = held((unsigned)b * x.T + token), of_value = row * x.HV + hv;
        KeyPart<T, WHOLE> k, q;
        element_keep(key_place);
        element_keep(lane_place);
        const long of_key = decode_place(row * x.H + h, x.K);
        const E *keys = x.k + of_key, *queries = x.q + of_key;
        k.load(keys, x.K, key_place);
        q.load(queries, x.K, key_place);
        if (token == Rule::first_of_block(token)) {
            // lane n makes those of the block's token n
            const unsigned gate = min(lane, x.T - 1 - token) * x.HV;
            const float a = gdr_float(element_at<E>(x.a + of_value, gate * (unsigned)sizeof(E)));
            alphas = Rule::decay(x.A_log[hv], Rule::biased(a, x.dt_bias[hv]));
            betas = Rule::strength(gdr_float(element_at<E>(x.b + of_value, gate * (unsigned)sizeof(E))));
        }
        const float alpha = lanes_read(alphas, token % WAVE), beta = lanes_read(betas, token % WAVE);
        float key, query;
        key_norms<T, WHOLE>(keys, queries, x.K, lane_place, [&](float squares) { return Rule::norm(squares, x.eps); }, key, query);
        query *= Rule::scale(x.scale);
        const float strength = beta * key, seen = alpha * key;
        const E* values = x.v + decode_place(of_value, x.V);
        E* outputs = x.o + decode_place(of_value, x.V);
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++) {
            const int there = column + n * T::APART;
            element_keep(value_place[n]);
            const float v = gdr_float(element_at<E>(values, value_place[n]));
            const float error = v - seen * k.dot(state.s[n]);
            state.decay_and_write(n, alpha, k, strength * error);
            float read = q.dot(state.s[n]);
            element_keep(read);
            if (part == 0 && there < Rule::columns(x.V)) {
                element_keep(value_place[n]);
                gdr_store(&element_at<E>(outputs, value_place[n]), query * read);
            }
        }
        const int slot = Rule::slot(token, x.T, x.snapshots);
        if (slot >= 0 && slot < x.snapshots) {
            state.store(x.states + decode_place(slot * x.B * x.HV + head, size), 1.0f, column, part, x.K, x.V, Rule::final_layout(x.state_layout));
        }
    }
}

// WHOLE: K is the tile's, and states are value-major.
#define DECODE_KERNEL(NAME, RULE, E, TILE, WHOLE)                                                                    \
    extern "C" __global__ __launch_bounds__(DECODE_ITEMS) void NAME(                                                           \
        const E* __restrict__ q, const E* __restrict__ k, const E* __restrict__ v, const E* __restrict__ a,          \
        const E* __restrict__ b, const float* __restrict__ A_log, const float* __restrict__ dt_bias,                 \
        const float* initial, E* __restrict__ o, float* states, int B, int T, int H, int HV, int K, int V,           \
        float scale, float eps, int head_map, int state_layout, int snapshots) {                                     \
        decode_body<RULE, E, TILE, WHOLE>({q, k, v, a, b, A_log, dt_bias, initial, o, states, B, T, H, HV, K, V,     \
                                           scale, eps, head_map, WHOLE ? STATE_VALUE_MAJOR : state_layout,           \
                                           snapshots});                                                              \
    }
