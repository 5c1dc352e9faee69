// The whole rule in one launch, by chunks of eight tokens: a group has 64 value columns of a head, its four waves a slice of
// the key channels each, in registers. Nothing but o and the last state is stored.
//
// A chunk's corrected values solve a triangular system that needs no inverse, and the waves share what is left to do:
//
//     all     parts of k_i S and q_i S from their slices of S
//     wave 0  d_i = beta_i (v_i - in_i k_i S);  vn_i = d_i - sum_{j < i} l_ij vn_j
//     wave 1  o_i = scale (in_i q_i S + sum_{j <= i} seen_ij vn_j)
//     2 and 3 the next chunk's l_ij = beta_i <k_i, k_j> between_ij and seen_ij = <q_i, k_j> between_ij
//     all     S <- in_last S + sum_i k_i after_i vn_i
//
// in_i, after_i and between_ij are products of the tokens' decays up to token i, after it, and from behind j to i: of few
// factors, so that no logarithms are summed. S is kept as `factor` times the registers, which saves its decay.
#pragma once
#include "chunk_slice.hip"

#define FUSED_TOKENS 8
#define FUSED_SLICES 4
#define FUSED_STRIP 32  // channels that eight lanes read side by side

struct Fused {
    const float *q, *k, *v, *g, *beta, *initial;
    float *o, *final;
    int B, T, H, HV, K, V;
    float scale;
    int head_map, state_layout, gate_kind;
};

// What tokens of a chunk have to do with each other.
struct __align__(16) Near {
    float l[FUSED_TOKENS][FUSED_TOKENS], seen[FUSED_TOKENS][FUSED_TOKENS];
    float beta[FUSED_TOKENS], in[FUSED_TOKENS], after[FUSED_TOKENS];
};

struct __align__(16) FusedLds {
    float of_k[FUSED_SLICES][FUSED_TOKENS][GROUP], of_q[FUSED_SLICES][FUSED_TOKENS][GROUP];
    float vn[FUSED_TOKENS][GROUP], write[FUSED_TOKENS][GROUP];  // as it is, and as it is written
    Near near[2];
};

// The sum of a of this lane and of the one across, or of b, by `second`, which the two have differently
template <int MASK>
static __device__ __forceinline__ float fast_fold(float a, float b, bool second) {
    const float mine = second ? b : a, others = second ? a : b;
    return mine + lanes_across<MASK>(others);
}

// Sums over eight lanes of eight values each: lane e has the sum of the values e.
static __device__ __forceinline__ float fast_sum_of_eight(const float x[8], int e) {
    const bool high = e & 4, middle = e & 2, low = e & 1;
    const float a = fast_fold<7>(x[0], x[4], high), b = fast_fold<7>(x[1], x[5], high);
    const float c = fast_fold<7>(x[2], x[6], high), d = fast_fold<7>(x[3], x[7], high);
    return fast_fold<1>(fast_fold<2>(a, c, middle), fast_fold<2>(b, d, middle), low);
}

// Four channels of a row from `from` on, of which `left` are there; the others are zeros.
template <bool WHOLE>
static __device__ __forceinline__ float4 fused_channels(const float* rows, unsigned bytes, int from, int left) {
    const float* at = (const float*)((const char*)(rows + from) + bytes);  // which may not be there
    if (WHOLE) return *(const float4*)at;
    return make_float4(left > 0 ? at[0] : 0.0f, left > 1 ? at[1] : 0.0f, left > 2 ? at[2] : 0.0f, left > 3 ? at[3] : 0.0f);
}

// A wave's share of a chunk's relations: l, or seen. Two rows and four columns a lane, an eighth of the channels.
template <class Rule, bool WHOLE>
static __device__ __forceinline__ void fused_relate(const Fused& x, Near& near, bool of_q, const float* a_rows,
                                                    const float* k_rows, int pitch, const float* g, const float* beta,
                                                    int count) {
    const int lane = lanes_in_group(), own = lanes_of_wave(lane), eighth = lane % 8, two = lane / 16, four = lane / 8 % 2;
    unsigned a[2], c[4];  // where the lane's rows begin, in bytes; past the end there is the last row again
    const unsigned last = 4u * (count - 1) * pitch + 16u * eighth;
#pragma unroll
    for (int i = 0; i < 2; i++) a[i] = min(4u * (2 * two + i) * pitch + 16u * eighth, last);
#pragma unroll
    for (int i = 0; i < 4; i++) c[i] = min(4u * (4 * four + i) * pitch + 16u * eighth, last);
    // decay and strength of the token that has the lane's number in its wave; lanes 8 .. 15 have ones, for products of fewer factors
    const unsigned token = 4u * fast_min(lane % FUSED_TOKENS, count - 1) * x.HV;
    const bool there = own < count;
    const int kind = held(x.gate_kind);
    const float decay = there ? Rule::decay(gdn_at(g, token), kind) : 1.0f;
    const float strength = lane % FUSED_TOKENS < count ? gdn_at(beta, token) : 0.0f;

    float sum[8] = {};
    constexpr int STRIPS = WHOLE ? 128 / FUSED_STRIP : 1;  // that are read one behind the other
#pragma unroll STRIPS
    for (int from = 0; from < (WHOLE ? 128 : x.K); from += FUSED_STRIP) {
        float4 row[2], col[4];
#pragma unroll
        for (int i = 0; i < 2; i++) row[i] = fused_channels<WHOLE>(a_rows, a[i], from, x.K - from - 4 * eighth);
#pragma unroll
        for (int i = 0; i < 4; i++) col[i] = fused_channels<WHOLE>(k_rows, c[i], from, x.K - from - 4 * eighth);
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const float4 r = row[e / 4], k = col[e % 4];
            sum[e] = fmaf(r.w, k.w, fmaf(r.z, k.z, fmaf(r.y, k.y, fmaf(r.x, k.x, sum[e]))));
        }
    }
    // what depends on the lane alone is found again for each chunk: it would take more scalars than there are
    int again = lane;
    settled(again);
    const float product = fast_sum_of_eight(sum, again % 8);
    const int i = 2 * (again / 16) + again / 4 % 2, j = again / 8 % 2 * 4 + again % 4;
    // Products of two, four and eight decays up to a token; of them the one of i - j factors up to i. All lanes exchange, also those whose result
    // is not used: where a part of a wave takes a branch, an exchange in it is defined on gfx9 alone. Elsewhere it names the lanes that take part
    // (lanes.hip: all of them), and those that are not there would be waited for, or give anything.
    const bool ones = lanes_of_wave(again) >= FUSED_TOKENS;
    const float before = lanes_before_or_1<1>(decay);
    const float two_of = ones ? 1.0f : decay * before;
    const float two_before = lanes_before_or_1<2>(two_of);
    const float four_of = ones ? 1.0f : two_of * two_before;
    const int n = j < i ? i - j : 0;
    const float between = lanes_at(decay, n & 1 ? i : FUSED_TOKENS) * lanes_at(two_of, n & 2 ? i - (n & 1) : FUSED_TOKENS) *
                          lanes_at(four_of, n & 4 ? i - (n & 3) : FUSED_TOKENS);
    if (of_q) {
        const float four_before = lanes_before_or_1<4>(four_of);
        near.seen[i][j] = i < count && Rule::sees(i, j) ? product * between : 0.0f;
        if (again < FUSED_TOKENS) near.in[again] = Rule::in(four_of * four_before);
        if (i == FUSED_TOKENS - 1) near.after[j] = Rule::after(between);
    } else {
        const float strength_i = lanes_at(strength, i), strength_j = lanes_at(strength, j);
        near.l[i][j] = j < i ? Rule::row_beta(strength_i, strength_j) * product * between : 0.0f;
        if (again < FUSED_TOKENS) near.beta[again] = strength;
    }
}

static __device__ __forceinline__ float fused_sum(const float part[FUSED_SLICES][FUSED_TOKENS][GROUP], int t, int lane,
                                                  int n) {
    float sum = part[0][t][lane];
#pragma unroll
    for (int i = 1; i < n; i++) sum += part[i][t][lane];
    return sum;
}

template <class Rule, int KEYS, bool WHOLE>
static __device__ __forceinline__ void fused_sequence(const Fused& x, FusedLds& lds) {
    const int hv = blockIdx.y, b = blockIdx.z, wave = lanes_group(), lane = lanes_in_group();
    const int head = Rule::head(hv, x.H, x.HV, x.head_map);
    const int col = Rule::first_column(blockIdx.x * GROUP) + lane;
    const int safe = fast_min(col, x.V - 1);
    const long value = (long)b * x.T * x.HV + hv, key = ((long)b * x.T * x.H + head) * x.K;
    const Slice<KEYS, WHOLE> slice = {wave * KEYS, x.K};
    const int key_pitch = x.H * x.K, value_pitch = x.HV * x.V;

    float s[KEYS] = {};
    if (x.initial) {
        slice.load(s, x.initial + ((long)b * x.HV + hv) * x.K * x.V,
                   gdn_column(safe, x.K, x.V, Rule::initial_layout(x.state_layout)));
    }
    const float *q = x.q + key, *k = x.k + key, *v = x.v + value * x.V, *g = x.g + value, *beta = x.beta + value;
    float* o = x.o + value * x.V;
    if (wave >= 2) {
        fused_relate<Rule, WHOLE>(x, lds.near[0], wave == 3, wave == 3 ? q : k, k, key_pitch, g, beta,
                                  fast_min(FUSED_TOKENS, x.T));
    }
    float factor = 1.0f;
#pragma unroll 1
    for (int begin = 0; begin < x.T; begin += FUSED_TOKENS) {
        const int count = fast_min(FUSED_TOKENS, x.T - begin), left = x.T - begin - count;
        const Near& near = lds.near[begin / FUSED_TOKENS % 2];
        if (Rule::forgets_before(begin)) {
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] = 0.0f;
        }
        const int role = held(wave);
        float d[FUSED_TOKENS];  // of wave 0: v, then what corrects it; of wave 1: q S
        if (role == 0) {
#pragma unroll
            for (int t = 0; t < FUSED_TOKENS; t++) d[t] = gdn_at(v + fast_min(t, count - 1) * value_pitch, 4u * safe);
        }
        slice.dots(k, key_pitch, count, s, [&](int t, float sum) { lds.of_k[wave][t][lane] = sum; });
        slice.dots(q, key_pitch, count, s, [&](int t, float sum) { lds.of_q[wave][t][lane] = sum; });
        Rule::meet();
        if (role == 0) {
            const float decayed = factor * near.in[FUSED_TOKENS - 1];
            const float written = Rule::renews(decayed) ? 1.0f : 1.0f / decayed;
#pragma unroll
            for (int t = 0; t < FUSED_TOKENS; t++) {
                if (t >= count) d[t] = 0.0f;
                else d[t] = near.beta[t] * (d[t] - factor * near.in[t] * fused_sum(lds.of_k, t, lane, Rule::slices));
#pragma unroll
                for (int j = 0; j < t; j++) d[t] = fmaf(-near.l[t][j], d[j], d[t]);
                lds.vn[t][lane] = d[t];
                lds.write[t][lane] = written * near.after[t] * d[t];
            }
        } else if (role == 1) {
#pragma unroll
            for (int t = 0; t < FUSED_TOKENS; t++) {
                d[t] = t < count ? factor * near.in[t] * fused_sum(lds.of_q, t, lane, Rule::slices) : 0.0f;
            }
        } else if (left > 0) {
            const float* next = k + FUSED_TOKENS * (long)key_pitch;
            const float* rows = role == 3 ? q + FUSED_TOKENS * (long)key_pitch : next;
            const long at = (long)FUSED_TOKENS * x.HV;
            fused_relate<Rule, WHOLE>(x, lds.near[(begin / FUSED_TOKENS + 1) % 2], role == 3, rows, next, key_pitch, g + at,
                                      beta + at, Rule::tail(left, FUSED_TOKENS));
        }
        Rule::part();
        const float decayed = factor * near.in[FUSED_TOKENS - 1];
        if (role == 1) {
            float vn[FUSED_TOKENS];
#pragma unroll
            for (int t = 0; t < FUSED_TOKENS; t++) {
                vn[t] = lds.vn[t][lane];
#pragma unroll
                for (int j = 0; j <= t; j++) d[t] = fmaf(near.seen[t][j], vn[j], d[t]);
            }
            int of_o = col;
            settled(of_o);
            if (of_o < x.V) {
                float* row = o;
#pragma unroll
                for (int t = 0; t < FUSED_TOKENS; t++) {
                    if (t < count) gdn_at(row, 4u * of_o) = x.scale * d[t];
                    row = held(row + value_pitch);
                }
            }
        }
        factor = decayed;
        if (lanes_uniform(Rule::renews(decayed))) {
            factor = 1.0f;
#pragma unroll
            for (int j = 0; j < KEYS; j++) s[j] *= decayed;
        }
        slice.writes(k, key_pitch, count, s, [&](int t) { return lds.write[t][lane]; });
        q += FUSED_TOKENS * (long)key_pitch;
        k += FUSED_TOKENS * (long)key_pitch;
        v += FUSED_TOKENS * (long)value_pitch;
        o += FUSED_TOKENS * (long)value_pitch;
        g += FUSED_TOKENS * (long)x.HV;
        beta += FUSED_TOKENS * (long)x.HV;
    }
    int of_final = col;
    settled(of_final);
    const int of_head = held(hv), of_slice = held(wave);
    if (x.final && of_final < x.V) {
#pragma unroll
        for (int j = 0; j < KEYS; j++) s[j] *= factor;
        const Slice<KEYS, WHOLE> last = {of_slice * KEYS, x.K};
        last.store(x.final + (long)(b * x.HV + of_head) * x.K * x.V,
                   gdn_column(of_final, x.K, x.V, Rule::final_layout(x.state_layout)), s);
    }
}

// WHOLE: K is 128
template <class Rule, bool WHOLE>
static __device__ __forceinline__ void fused_body(const Fused& x) {
    __shared__ FusedLds lds;
    if (blockIdx.x * GROUP >= x.V || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
    if (WHOLE) {
        fused_sequence<Rule, 32, true>(x, lds);
        return;
    }
#define BODY(KEYS, WHOLE) fused_sequence<Rule, KEYS, WHOLE>(x, lds)
    FAST_WITH_SLICE(x.K, BODY);
#undef BODY
}
#define FUSED_KERNEL(NAME, RULE, WHOLE) \
    extern "C" __global__ __launch_bounds__(256, (WHOLE) ? 2 : 1) void NAME(Fused x) { fused_body<RULE, WHOLE>(x); }
