// Decoding on states of 16 bits in the lines of a pool: the rule over packed sequences, one launch for all of them. A wave has a few columns of
// one head's state (columns.hip), in f32 from the sequence's first token to its last. The state is read once, and rounded to nearest, ties to
// even, as it is written.
#pragma once
#include "columns.hip"
#include "uniform.hip"

#define SLOTS_ITEMS 64  // work-items of a work-group: no more, no fewer

struct SlotsRule {
    static __device__ int head(int hv, int H, int HV, int head_map) {
        const bool block = head_map == HEAD_BLOCK;
        const int quotient = lanes_quotient(block ? hv * H : hv, block ? HV : H);
        return block ? quotient : hv - quotient * H;
    }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ float decay(float g) { return lanes_exp(g); }
    static __device__ float scale(float scale) { return scale; }
    static __device__ int line(int slot, int n) { return slot; }
    static __device__ bool begins(int flag) { return flag != 0; }
    // the factor on beta v and on beta times what is read of the state
    static __device__ float of_value(float beta) { return beta; }
    static __device__ float of_read(float beta) { return beta; }
    // the state as it is left after a token that is not the last
    template <class S>
    static __device__ float carried(float x) { return x; }
    template <class S>
    static __device__ float stored(float x) { return x; }
    static __device__ int columns(int V) { return V; }
};

// A launch: q, k [tok,H,K]; v, o [tok,HV,V]; g [tok,HV], or [tok,HV,K] with by_key; beta [tok,HV]; states [lines,HV,K,V] or
// [lines,HV,V,K]; cu_seqlens [N+1]; has_initial, slots [N].
template <class S>
struct SlotsCall {
    const float *q, *k, *v, *g, *beta;
    S* states;
    float* o;
    const int *cu_seqlens, *has_initial, *slots;
    int N, H, HV, K, V;
    float scale;
    int head_map, layout, by_key;
};

// Where number n of pieces of this size begins: n and the size have 32 bits.
static __device__ __forceinline__ long slots_place(unsigned n, unsigned size) { return (unsigned long)n * size; }

// A token's vectors, gate and write strength. Those of the first token are read before the state, which is waited for together with them.
template <class Rule, class S, class T, bool WHOLE>
struct SlotsToken {
    KeyPart<T, WHOLE> k, q;
    float v, g, beta;

    __device__ __forceinline__ void read(const SlotsCall<S>& x, int token, int h, int hv, unsigned key_place, unsigned value_place) {
        const unsigned of_key = token * x.H + h, row = token * x.HV + hv;
        k.load(x.k + slots_place(of_key, x.K), x.K, key_place);
        q.load(x.q + slots_place(of_key, x.K), x.K, key_place);
        v = element_at<float>(x.v + slots_place(row, x.V), value_place);
        beta = x.beta[row];
        g = !WHOLE && x.by_key ? 0.0f : x.g[row];
    }
};

template <class Rule, class S, class T, bool WHOLE>
static __device__ __forceinline__ void slots_body(const SlotsCall<S>& x) {
    const int lane = threadIdx.x % WAVE, part = lane % T::LANES, hv = blockIdx.y, n = min((int)blockIdx.z, x.N - 1);
    const int first = (blockIdx.x * (SLOTS_ITEMS / WAVE) + lanes_uniform(threadIdx.x / WAVE)) * T::WIDTH;
    int token = x.cu_seqlens[n];
    const int end = x.cu_seqlens[n + 1], line = Rule::line(x.slots[n], n), flag = x.has_initial[n];
    // Spare work-groups, paddings, and sequences whose state nothing moves. One branch, so that all of this is read at once.
    if ((first >= x.V) | (hv >= x.HV) | ((int)blockIdx.z >= x.N) | (line < 0) | (token >= end)) return;
    const int column = first + lane / T::LANES, h = Rule::head(hv, x.H, x.HV, x.head_map);
    const unsigned key_place = T::channel(part, 0) * sizeof(float), value_place = min(column, x.V - 1) * sizeof(float);
    S* states = x.states + slots_place(line * x.HV + hv, x.K * x.V);

    SlotsToken<Rule, S, T, WHOLE> t;
    t.read(x, token, h, hv, key_place, value_place);
    ColumnParts<T, WHOLE> state;
    if (__builtin_expect(!Rule::begins(flag), 0)) state.zero();
    else state.load(states, column, part, x.K, x.V, Rule::initial_layout(x.layout));
    while (true) {
        const unsigned row = token * x.HV + hv;
        float alpha = 1.0f;
        if (!WHOLE && x.by_key) {
            KeyPart<T, WHOLE> gates;
            gates.load(x.g + slots_place(row, x.K), x.K, key_place);
            state.decay(gates, Rule::decay);
        } else {
            alpha = Rule::decay(t.g);
        }
        const float error = Rule::of_value(t.beta) * t.v - Rule::of_read(t.beta) * alpha * t.k.dot(state.s[0]);
        state.decay_and_write(0, alpha, t.k, error);
        const float out = t.q.dot(state.s[0]);
        if (part == 0 && column < Rule::columns(x.V)) {
            element_at<float>(x.o + slots_place(row, x.V), value_place) = Rule::scale(x.scale) * out;
        }
        if (++token >= end) break;
#pragma unroll
        for (int j = 0; j < T::ROWS; j++) state.s[0][j] = Rule::template carried<S>(state.s[0][j]);
        t.read(x, token, h, hv, key_place, value_place);
    }
#pragma unroll
    for (int j = 0; j < T::ROWS; j++) state.s[0][j] = Rule::template stored<S>(state.s[0][j]);
    state.store(states, 1.0f, column, part, x.K, x.V, Rule::final_layout(x.layout));
}

// WHOLE: K is the tile's, states are value-major, and a gate is that of a head.
#define SLOTS_FAST_KERNEL(NAME, RULE, S, TILE, WHOLE)                                                                     \
    extern "C" __global__ __launch_bounds__(SLOTS_ITEMS) void NAME(                                                  \
        const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,                       \
        const float* __restrict__ g, const float* __restrict__ beta, S* states, float* __restrict__ o,               \
        const int* __restrict__ cu_seqlens, const int* __restrict__ has_initial, const int* __restrict__ slots,      \
        int N, int H, int HV, int K, int V, float scale, int head_map, int layout, int by_key) {                     \
        slots_body<RULE, S, TILE, WHOLE>({q, k, v, g, beta, states, o, cu_seqlens, has_initial, slots, N, H, HV,     \
                                          WHOLE ? TILE::BOUND : K, V, scale, head_map,                               \
                                          WHOLE ? STATE_VALUE_MAJOR : layout, by_key});                              \
    }
