// The recurrence over a whole sequence in one launch, without workspace and without a barrier: a wave has a few columns of one head's
// state in its registers (columns.hip) and reads the next token's keys and values while it works on this one's. A token's query is wanted
// last and read as its work begins: registers for two would leave room for fewer waves.
//
// The state decays by a factor a token, which is kept beside it: what the registers hold is the state divided by the product of the
// factors since they last met, so that a token costs three multiply-adds an element and no more. The products of a block of tokens are
// found at its beginning, a token a lane, as fractions and exponents, which nothing makes too small. Where one leaves [2^-40, 2^40] the
// registers take on a power of two, which leaves 2^40 of it or less.
#pragma once
#include "columns.hip"

#define SCAN_RANGE 40            // exponents of the factor: so far from 0
#define SCAN_NOTHING_LEFT -30000  // that of a decay to nothing: no state has anything left of it

struct ScanRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ float decay(float g, int gate_kind) { return gdn_decay(g, gate_kind); }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ float scale(float scale) { return scale; }
    // whether a factor of this exponent is too far from 1
    static __device__ bool out_of_range(int exponent) { return (unsigned)(exponent + SCAN_RANGE) > 2u * SCAN_RANGE; }
    // the factor that a block of tokens begins with
    static __device__ float carried(float factor) { return factor; }
    // after the last token there is nothing to read: its vectors are read again and not used
    static __device__ bool is_before_last(int token, int T) { return token + 1 < T; }
    // the gates of a block of tokens are read at its first
    static __device__ bool begins_block(int token) { return token % WAVE == 0; }
    // the columns that there are
    static __device__ int columns(int V) { return V; }
    // a state is the registers' times the factor
    static __device__ float kept(float factor) { return factor; }
    // the slot of the state after a token: the newest first
    static __device__ int slot(int token, int T, int snapshots) { return T - 1 - token; }
};

// How far a tensor's heads, tokens and sequences are apart, in elements.
struct ScanStrides {
    long head, token, sequence;
};

// A launch. Heads, tokens and sequences of q and k are as far apart as `keys` says, of v as `values`, of beta as `gates`, of o as `outputs`,
// and of g as of beta, times K where each key channel has a gate of its own. initial [B,HV,K,V] or [B,HV,V,K], or null; states the same
// after each of the last `snapshots` tokens, the newest first.
template <class E>
struct ScanCall {
    const E *q, *k, *v;
    const float *g, *beta, *initial;
    E* o;
    float* states;
    int snapshots;
    int B, T, H, HV, K, V;
    float scale;
    int head_map, state_layout, gate_kind;
    ScanStrides keys, values, gates, outputs;
};

// Whose the gates are.
enum class Gates { of_heads, of_keys };

// What is read of a token before its work begins: its key, the gates of its key channels where each has one, and for each of a lane's
// columns its value.
template <class E, class T, bool WHOLE>
struct ScanToken {
    KeyPart<T, WHOLE> k, g;
    float v[T::COLUMNS];
};

// KEEPS: the states after several tokens, not the last alone.
template <class Rule, class E, class T, bool WHOLE, Gates GATES, bool KEEPS>
struct ScanWave {
    const ScanCall<E>& x;
    const E *q, *k, *v;
    E* o;
    const float *g, *beta;
    int lane, first;  // the wave's first column
    float scale;
    // of a lane's first key channel in q and k, and of its columns in v and o, in bytes
    unsigned key_place, gate_place, value_place[T::COLUMNS];
    // the head's states
    float* states;
    long slot_size;
    float factor = 1.0f;  // of the state, after the last token
    // Of a block's tokens, lane n has that of its token n: the factor after it, its strength by that factor, and what both are made of, where
    // exponents are still without `shift`. `taken_at` is the next token at which the registers have to take from the factor.
    float factors = 1.0f, strengths = 0.0f, fractions, of_fractions;
    int exponents, shift, taken_at;
    ColumnParts<T, WHOLE> state;

    __device__ __forceinline__ explicit ScanWave(const ScanCall<E>& call) : x(call) {}

    // Reads a token's key and values, and goes on to the next if there is one.
    __device__ __forceinline__ ScanToken<E, T, WHOLE> read(int token) {
        ScanToken<E, T, WHOLE> t;
        element_keep(key_place);
        t.k.load(k, x.K, key_place);
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++) {
            element_keep(value_place[n]);
            t.v[n] = gdr_float(element_at<E>(v, value_place[n]));
        }
        if (GATES == Gates::of_keys) {
            element_keep(gate_place);
            t.g.load(g + min(token, x.T - 1) * x.gates.token * x.K, x.K, gate_place);
        }
        const bool more = Rule::is_before_last(token, x.T);
        k += more ? x.keys.token : 0;
        v += more ? x.values.token : 0;
        return t;
    }

    __device__ __forceinline__ void read_gates(int token) {
        const bool there = token + lane < x.T;
        const long place = (token + (there ? lane : 0)) * x.gates.token;
        float strength = beta[place];
        if (GATES == Gates::of_keys) {
            strengths = strength;
        } else {
            const float decay = there ? Rule::decay(g[place], x.gate_kind) : 1.0f;
            int nothing_left = SCAN_NOTHING_LEFT;
            element_keep(nothing_left);  // in no register from before the loop
            const float fraction = decay == 0.0f ? 0.5f : lanes_fraction(decay);
            const int exponent = decay == 0.0f ? nothing_left : lanes_exponent(decay);
            const float product = Rule::carried(factor) * lanes_running(fraction, 1.0f, [](float a, float b) { return a * b; });
            exponents = lanes_exponent(product) + lanes_running(exponent, 0, [](int a, int b) { return a + b; });
            fractions = lanes_fraction(product);
            of_fractions = strength * lanes_reciprocal(fractions);
            shift = 0;
            make_factors(-1);
        }
        // here and now: later it would be waited for together with the next token's vectors
        element_keep(strengths);
    }

    // The factors of tokens behind `last` of the block.
    __device__ __forceinline__ void make_factors(int last) {
        const int exponent = exponents + shift;
        factors = lanes_scaled(fractions, exponent);
        strengths = lanes_scaled(of_fractions, -exponent);
        taken_at = lanes_first(lane > last && Rule::out_of_range(exponent));
    }

    // The registers take from the factor of the block's token `at`.
    __device__ __forceinline__ void take(int at) {
        const int taken = lanes_read(exponents, at) + shift - SCAN_RANGE;
        state.decay(lanes_scaled(1.0f, taken));
        shift -= taken;
        make_factors(at);
    }

    __device__ __forceinline__ void step(int token, const ScanToken<E, T, WHOLE>& t) {
        KeyPart<T, WHOLE> query;
        element_keep(key_place);
        query.load(q, x.K, key_place);
        q += x.keys.token;
        if (Rule::begins_block(token)) read_gates(token);
        const int at = token % WAVE;
        if (GATES == Gates::of_keys) {
            state.decay(t.g, [&](float g) { return Rule::decay(g, x.gate_kind); });
        } else {
            if (at == taken_at) take(at);
            factor = lanes_read(factors, at);
        }
        const float strength = lanes_read(strengths, at);
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++) {
            const float error = t.v[n] - factor * t.k.dot(state.s[n]);
            state.write(n, t.k, strength * error);
            float read = query.dot(state.s[n]);
            element_keep(read);
            if (lane % T::LANES == 0 && first + lane / T::LANES + n * T::APART < Rule::columns(x.V)) {
                element_keep(value_place[n]);
                gdr_store(&element_at<E>(o, value_place[n]), scale * (factor * read));
            }
        }
        o += x.outputs.token;
        const int slot = Rule::slot(token, x.T, x.snapshots);
        if (KEEPS && slot < x.snapshots) keep(slot);
    }

    __device__ __forceinline__ void keep(int slot) {
        // found anew: in no register until here
        int own = lane;
        element_keep(own);
        state.store(states + slot * slot_size, Rule::kept(factor), first + own / T::LANES, own % T::LANES, x.K, x.V, Rule::final_layout(x.state_layout));
    }

    __device__ __forceinline__ void run() {
        // two tokens a round, so that what is read needs no move from register to register
        ScanToken<E, T, WHOLE> even = read(0), odd;
        int token = 0;
        for (; token + 1 < x.T; token += 2) {
            odd = read(token + 1);
            step(token, even);
            even = read(token + 2);
            step(token + 1, odd);
        }
        if (token < x.T) step(token, even);
    }
};

template <class Rule, class E, class T, bool WHOLE, Gates GATES, bool KEEPS>
static __device__ __forceinline__ void scan_wave(const ScanCall<E>& x, int first) {
    const int hv = blockIdx.y, b = blockIdx.z, lane = threadIdx.x % WAVE;
    const int part = lane % T::LANES, column = first + lane / T::LANES;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    const long key = b * x.keys.sequence + h * x.keys.head;
    const long gate = b * x.gates.sequence + hv * x.gates.head;
    const long place = ((long)b * x.HV + hv) * x.K * x.V;
    ScanWave<Rule, E, T, WHOLE, GATES, KEEPS> wave(x);
    wave.q = x.q + key;
    wave.k = x.k + key;
    wave.v = x.v + b * x.values.sequence + hv * x.values.head;
    wave.o = x.o + b * x.outputs.sequence + hv * x.outputs.head;
    wave.g = x.g + gate * (GATES == Gates::of_keys ? x.K : 1);
    wave.beta = x.beta + gate;
    wave.lane = lane;
    wave.first = first;
    wave.scale = Rule::scale(x.scale);
    wave.key_place = T::channel(part, 0) * sizeof(E);
    wave.gate_place = T::channel(part, 0) * sizeof(float);
#pragma unroll
    for (int n = 0; n < T::COLUMNS; n++) wave.value_place[n] = min(column + n * T::APART, x.V - 1) * sizeof(E);
    if (!x.initial) wave.state.zero();
    else wave.state.load(x.initial + place, column, part, x.K, x.V, Rule::initial_layout(x.state_layout));
    wave.states = x.states + place;
    wave.slot_size = (long)x.B * x.HV * x.K * x.V;
    wave.run();
    if (!KEEPS && x.snapshots) wave.keep(0);
}

template <class Rule, class E, class T, bool WHOLE, Gates GATES, bool KEEPS>
static __device__ __forceinline__ void scan_body(const ScanCall<E>& x) {
    const int first = (blockIdx.x * (blockDim.x / WAVE) + threadIdx.x / WAVE) * T::WIDTH;
    if (first >= x.V || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
    scan_wave<Rule, E, T, WHOLE, GATES, KEEPS>(x, first);
}

// q, k [B,T,H,K]; v, o [B,T,HV,V]; g, beta [B,T,HV].
#define GDN_SCAN_KERNEL(NAME, RULE, E, TILE, WHOLE)                                                        \
    extern "C" __global__ __launch_bounds__(64) void NAME(                                                           \
        const E* __restrict__ q, const E* __restrict__ k, const E* __restrict__ v, const float* __restrict__ g,      \
        const float* __restrict__ beta, const float* __restrict__ initial, E* __restrict__ o,                        \
        float* __restrict__ final, int B, int T, int H, int HV, int K, int V, float scale, int head_map,             \
        int state_layout, int gate_kind) {                                                                           \
        const long keys = (long)H * K, values = (long)HV * V;                                                        \
        scan_body<RULE, E, TILE, WHOLE, Gates::of_heads, false>(                                                 \
            {q, k, v, g, beta, initial, o, final, final != nullptr, B, T, H, HV, K, V, scale, head_map, state_layout, gate_kind,       \
             {K, keys, keys * T}, {V, values, values * T}, {1, HV, (long)HV * T}, {V, values, values * T}});         \
    }

// ggml's GATED_DELTA_NET, innermost axis first: q, k [S,Hk,T,N]; v [S,H,T,N]; g [1 or S,H,T,N]; beta [1,H,T,N]; state [S,S,H,N] with
// keys innermost; dst S*H*T*N outputs, then the snapshots. Heads, tokens and sequences of q and k, of v, and of beta are as far apart as the
// last arguments say, in elements, as ggml hands them over; where each key channel has a gate, those of g are S times those of beta.
#define GGML_SCAN_KERNEL(NAME, RULE, TILE, WHOLE, GATES)                                                             \
    extern "C" __global__ __launch_bounds__(64) void NAME(                                                           \
        const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,                       \
        const float* __restrict__ g, const float* __restrict__ beta, const float* __restrict__ state,                \
        float* __restrict__ dst, int S, int Hk, int H, int T, int N, int snapshots, long sq1, long sq2, long sq3,    \
        long sv1, long sv2, long sv3, long sb1, long sb2, long sb3) {                                                \
        const long outputs = (long)S * H;                                                                            \
        scan_body<RULE, float, TILE, WHOLE, GATES, true>(                                                                \
            {q, k, v, g, beta, state, dst, dst + outputs * T * N, snapshots, N, T, Hk, H, S, S, rsqrtf((float)S),    \
             HEAD_TILED, STATE_VALUE_MAJOR, GATE_LOG, {sq1, sq2, sq3}, {sv1, sv2, sv3}, {sb1, sb2, sb3},             \
             {S, outputs, outputs * T}});                                                                            \
    }
