// The rule over packed sequences, token by token: one work-group a value head and sequence, one work-item a value column. A Rule names the points
// where the wrong variants in planted/ differ.
#pragma once
#include "common.hip"

struct PackedRule {
    // the error is taken from the decayed state
    static constexpr bool undecayed = false;
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ float decay(float g) { return expf(g); }
    static __device__ int channel(int j) { return j; }
    static __device__ float written(float beta, float v, float read) { return beta * (v - read); }
    static __device__ float scale(float scale) { return scale; }
    static __device__ int first(const int* cu_seqlens, int n, int N) { return cu_seqlens[n]; }
    static __device__ int end(const int* cu_seqlens, int n, int N) { return cu_seqlens[n + 1]; }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ bool begins(int flag) { return flag != 0; }
    static __device__ int line(int slot, int n) { return slot; }
    static __device__ int written_line(int line) { return line; }
    static __device__ int start(int accepted, int T) { return accepted - 1; }
    static __device__ int token_line(int token) { return token; }
    // the step of a token after which the query reads, and the one before which the gate applies
    static __device__ bool gated(int step) { return step == 0; }
    static __device__ bool read_after(int step, int R) { return step + 1 == R; }
    static __device__ bool rounds(int each_token) { return each_token != 0; }
    template <class E>
    static __device__ float rounded(float x) {
        E kept;
        packed_round(kept, x);
        return packed_float(kept);
    }
    template <class E>
    static __device__ void store(E& to, float x) { packed_round(to, x); }
};

// A launch: q [tok,H,K]; k [tok R,H,K]; v [tok R,HV,V]; o [tok,HV,V]; g [tok,HV] or [tok,HV,K]; beta [tok R,HV]. `from` and `into` are lines of
// states [HV,K,V] or [HV,V,K]: those of the sequences, or with `slots` those of a pool, slots [N], or [N,T] with `accepted` [N].
template <class E>
struct Packed {
    const float *q, *k, *v, *g, *beta;
    const E* from;
    E* into;
    float* o;
    const int *cu_seqlens, *has_initial, *slots, *accepted;
    int N, T, H, HV, K, V, R;
    float scale;
    int head_map, layout, by_key, each_token;
};

struct PackedToken {
    float k[GDN_MAX_K], q[GDN_MAX_K], decay[GDN_MAX_K];
};

template <class Rule, class E>
static __device__ __forceinline__ void packed_recurrence(const Packed<E>& x, PackedToken& lds) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    const int first = Rule::first(x.cu_seqlens, n, x.N), end = Rule::end(x.cu_seqlens, n, x.N);
    const long size = (long)x.K * x.V;
    const int* slots = x.slots ? x.slots + (x.accepted ? (long)n * x.T : n) : nullptr;
    const int from = slots ? Rule::line(slots[x.accepted ? Rule::start(x.accepted[n], x.T) : 0], n) : n;
    int into = slots ? Rule::written_line(Rule::line(slots[0], n)) : n;
    if (slots && first == end) return;  // nothing moves the state of a sequence without tokens

    PlainColumn state;
    state.K = x.K;
    state.zero();
    if (x.from && from >= 0 && (!x.has_initial || Rule::begins(x.has_initial[n]))) {
        const E* line = x.from + ((long)from * x.HV + hv) * size;
#pragma nounroll
        for (int j = 0; j < x.K; j++) {
            state.s[j] = packed_float(line[packed_place(j, col, x.K, x.V, Rule::initial_layout(x.layout))]);
        }
    }
    for (int token = first; token < end; token++) {
        const long scalar = (long)token * x.HV + hv;
        float out = 0.0f;
        for (int r = 0; r < x.R; r++) {
            const long row = (long)token * x.R + r;
            __syncthreads();  // the last step's vectors are done with
            gdn_stage(lds.q, x.q + ((long)token * x.H + h) * x.K, x.K, x.K);
            gdn_stage(lds.k, x.k + (row * x.H + h) * x.K, x.K, x.K);
            for (int j = threadIdx.x; j < x.K; j += blockDim.x) {
                const float g = x.g[x.by_key ? scalar * x.K + Rule::channel(j) : scalar];
                lds.decay[j] = Rule::gated(r) ? Rule::decay(g) : 1.0f;
            }
            __syncthreads();
            float read;
            if (Rule::undecayed) {
                read = state.read(lds.k);
                state.decay(lds.decay);
            } else {
                state.decay(lds.decay);
                read = state.read(lds.k);
            }
            const float beta = x.beta[row * x.HV + hv], v = x.v[(row * x.HV + hv) * x.V + col];
            state.write(lds.k, Rule::written(beta, v, read));
            if (Rule::read_after(r, x.R)) out = state.read(lds.q);
        }
        x.o[scalar * x.V + col] = Rule::scale(x.scale) * out;
        if (Rule::rounds(x.each_token)) {
#pragma nounroll
            for (int j = 0; j < x.K; j++) state.s[j] = Rule::template rounded<E>(state.s[j]);
        }
        if (x.accepted) into = Rule::written_line(Rule::line(slots[Rule::token_line(token - first)], n));
        if ((x.accepted || token + 1 == end) && into >= 0) {
            E* line = x.into + ((long)into * x.HV + hv) * size;
#pragma nounroll
            for (int j = 0; j < x.K; j++) {
                Rule::store(line[packed_place(j, col, x.K, x.V, Rule::final_layout(x.layout))], state.s[j]);
            }
        }
    }
    if (first == end) {
        E* line = x.into + ((long)into * x.HV + hv) * size;
        for (int j = 0; j < x.K; j++) {
            const long place = packed_place(j, col, x.K, x.V, x.layout);
            const bool given = x.from && (!x.has_initial || x.has_initial[n]);
            line[place] = given ? x.from[((long)n * x.HV + hv) * size + place] : E{};
        }
    }
}

template <class Rule, class E>
static __device__ __forceinline__ void packed_body(const Packed<E>& x) {
    __shared__ __align__(16) PackedToken lds;
    if (blockIdx.x >= x.HV || blockIdx.y >= x.N) return;
    packed_recurrence<Rule, E>(x, lds);
}

// A state before and after each sequence.
#define PACKED_KERNEL(NAME, RULE)                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                    \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* initial, float* o,    \
        float* final, const int* cu_seqlens, const int* has_initial, int N, int H, int HV, int K, int V, int R, float scale,   \
        int head_map, int layout, int by_key) {                                                                                \
        packed_body<RULE, float>({q, k, v, g, beta, initial, final, o, cu_seqlens, has_initial, nullptr, nullptr, N, 0, H, HV, \
                                  K, V, R, scale, head_map, layout, by_key, 0});                                               \
    }

// States in lines of a pool.
#define SLOTS_ARGS(E)                                                                                                          \
    const float *q, const float *k, const float *v, const float *g, const float *beta, E *states, float *o,                    \
        const int *cu_seqlens, const int *has_initial, const int *slots, int N, int H, int HV, int K, int V, float scale,      \
        int head_map, int layout, int by_key
#define SLOTS_KERNEL(NAME, RULE)                                                                                               \
    extern "C" __global__ __launch_bounds__(256) void NAME(SLOTS_ARGS(float)) {                                                \
        packed_body<RULE, float>({q, k, v, g, beta, states, states, o, cu_seqlens, has_initial, slots, nullptr, N, 0, H, HV,   \
                                  K, V, 1, scale, head_map, layout, by_key, 0});                                               \
    }

// States in f16, or in bf16.
template <class Rule, class E>
static __device__ void half_body(SLOTS_ARGS(E), int each_token) {
    packed_body<Rule, E>({q, k, v, g, beta, states, states, o, cu_seqlens, has_initial, slots, nullptr, N, 0, H, HV, K, V, 1,
                          scale, head_map, layout, by_key, each_token});
}
#define HALF_KERNEL(NAME, RULE)                                                                                                \
    extern "C" __global__ __launch_bounds__(256) void NAME(SLOTS_ARGS(void), int f16, int each_token) {                        \
        if (f16) {                                                                                                             \
            half_body<RULE, _Float16>(q, k, v, g, beta, (_Float16*)states, o, cu_seqlens, has_initial, slots, N, H, HV, K, V,  \
                                      scale, head_map, layout, by_key, each_token);                                            \
        } else {                                                                                                               \
            half_body<RULE, Bf16State>(q, k, v, g, beta, (Bf16State*)states, o, cu_seqlens, has_initial, slots, N, H, HV, K,   \
                                       V, scale, head_map, layout, by_key, each_token);                                        \
        }                                                                                                                      \
    }

// The state after each draft token in a line of its own.
#define VERIFY_KERNEL(NAME, RULE)                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                    \
        const float* q, const float* k, const float* v, const float* g, const float* beta, float* states, float* o,            \
        const int* cu_seqlens, const int* slots, const int* accepted, int N, int T, int H, int HV, int K, int V, float scale,  \
        int head_map, int layout, int by_key) {                                                                                \
        packed_body<RULE, float>({q, k, v, g, beta, states, states, o, cu_seqlens, nullptr, slots, accepted, N, T, H, HV, K,   \
                                  V, 1, scale, head_map, layout, by_key, 0});                                                  \
    }

// M of each sequence and head: the tokens applied to the columns of the identity.
template <class Rule>
static __device__ __forceinline__ void packed_transition(const Packed<float>& x, PackedToken& lds) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    PlainColumn state;
    state.K = x.K;
#pragma nounroll
    for (int j = 0; j < x.K; j++) state.s[j] = j == col ? 1.0f : 0.0f;
    for (int token = Rule::first(x.cu_seqlens, n, x.N); token < Rule::end(x.cu_seqlens, n, x.N); token++) {
        const long scalar = (long)token * x.HV + hv;
        __syncthreads();
        gdn_stage(lds.k, x.k + ((long)token * x.H + h) * x.K, x.K, x.K);
        for (int j = threadIdx.x; j < x.K; j += blockDim.x) {
            lds.decay[j] = Rule::decay(x.g[x.by_key ? scalar * x.K + Rule::channel(j) : scalar]);
        }
        __syncthreads();
        float read;
        if (Rule::undecayed) {
            read = state.read(lds.k);
            state.decay(lds.decay);
        } else {
            state.decay(lds.decay);
            read = state.read(lds.k);
        }
        state.write(lds.k, -x.beta[scalar] * read);
    }
    float* m = x.o + ((long)n * x.HV + hv) * x.K * x.K;
#pragma nounroll
    for (int j = 0; j < x.K; j++) {
        m[packed_place(j, col, x.K, x.K, Rule::final_layout(STATE_KEY_MAJOR))] = state.s[j];
    }
}

#define TRANSITION_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* k, const float* g, const float* beta, float* M,        \
                                                           const int* cu_seqlens, int N, int H, int HV, int K, int head_map,   \
                                                           int by_key) {                                                       \
        __shared__ __align__(16) PackedToken lds;                                                                              \
        if (blockIdx.x >= HV || blockIdx.y >= N) return;                                                                       \
        const Packed<float> x = {k,       k, k,       g, beta, nullptr, nullptr, M, cu_seqlens, nullptr,                      \
                                 nullptr, nullptr, N, 0, H,    HV,      K,       K, 1,          1.0f,                         \
                                 head_map, 0, by_key, 0};                                                                      \
        packed_transition<RULE>(x, lds);                                                                                       \
    }

// merged = M first + second: one work-item an element.
struct MergeRule {
    static __device__ long element(int i, int t, int K) { return (long)i * K + t; }
    static __device__ float second(float second) { return second; }
};
#define MERGE_KERNEL(NAME, RULE)                                                                                               \
    extern "C" __global__ void NAME(const float* M, const float* first, const float* second, float* merged, int N, int HV,     \
                                    int K, int V) {                                                                            \
        const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;                                                           \
        if (at >= (long)N * HV * K * V) return;                                                                                \
        const int col = at % V, i = at / V % K;                                                                                \
        const long head = at / V / K;                                                                                          \
        float sum = 0.0f;                                                                                                      \
        for (int t = 0; t < K; t++) sum += M[head * K * K + RULE::element(i, t, K)] * first[(head * K + t) * V + col];         \
        merged[at] = sum + RULE::second(second[at]);                                                                           \
    }
