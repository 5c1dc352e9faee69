// The first launch of half_chunk.hip. A work-group has a chunk and key head, and works on its value heads four at a time.
#pragma once
#include "half_chunk.hip"

#define HALF_PITCH 68  // registers of a row of 128 channels in LDS: rows begin in other banks

struct HalfPrepareCall {
    const float *q, *k, *g, *beta;
    HalfKeys* keys;   // [B, chunks, H]
    HalfHead* heads;  // [B, chunks, HV]
    int B, T, H, HV;
    float scale;
    int head_map, gate_kind;
};

struct __align__(16) HalfPrepareLds {
    HalfFour q[HALF_TOKENS][HALF_PITCH / 4], k[HALF_TOKENS][HALF_PITCH / 4];
    float of_k[HALF_TOKENS][HALF_TOKENS], of_q[HALF_TOKENS][HALF_TOKENS];  // <k_i, k_j>, <q_i, k_j>
    float decay[HALF_PASS][HALF_TOKENS], beta[HALF_PASS][HALF_TOKENS];
};

// Rows of f32 become rows of pairs; those behind the last token are zeros.
static __device__ __forceinline__ void half_round(HalfFour (&rows)[HALF_TOKENS][HALF_PITCH / 4], const float* from, long pitch, int count) {
    const int lane = lanes_in_group();
#pragma unroll
    for (int n = 0; n < HALF_TOKENS * HALF_KEYS / 8 / GROUP; n++) {
        const int token = n * (GROUP / 16) + lane / 16, eight = lane % 16;
        const float4* at = (const float4*)(from + min(token, count - 1) * pitch + 8 * eight);
        const float4 a = at[0], b = at[1];
        HalfFour to = {half_pack(a.x, a.y), half_pack(a.z, a.w), half_pack(b.x, b.y), half_pack(b.z, b.w)};
        if (token >= count) to = HalfFour{};
        rows[token][eight] = to;
    }
}

// The pair of the columns j and j + 8, of the row `early` in the lane of j, and of the row `late` in the one of j + 8.
static __device__ __forceinline__ unsigned half_exchange(float early, float late, bool back) {
    settled(early), settled(late);  // else the compiler would choose where to read, in an array with a register for each element
    const float kept = back ? late : early, got = lanes_eight_away(back ? early : late);
    return half_pack(back ? got : kept, back ? kept : got);
}

// Operands of a row of both matrices, up to its diagonal. `place` is 0, which the compiler does not know: else it would read all rows at once, and keep
// them for the next heads.
struct HalfRow {
    float of_k[HALF_TOKENS], of_q[HALF_TOKENS], decay, beta;

    __device__ __forceinline__ void read(const HalfPrepareLds& lds, int i, int pass, unsigned& place) {
        element_keep(place);
        const HalfPrepareLds& at = element_at<HalfPrepareLds>(&lds, place);
#pragma unroll
        for (int n = 0; n < HALF_TOKENS; n += 4) {
            if (n > i) continue;
            const float4 k = *(const float4*)&at.of_k[i][n], q = *(const float4*)&at.of_q[i][n];
            of_k[n] = k.x, of_k[n + 1] = k.y, of_k[n + 2] = k.z, of_k[n + 3] = k.w;
            of_q[n] = q.x, of_q[n + 1] = q.y, of_q[n + 2] = q.z, of_q[n + 3] = q.w;
        }
        decay = at.decay[pass][i];
        beta = at.beta[pass][i];
    }
};

// A lane has the column j of W and M of one head: the column of the inverse by substitution from the first row down, with each element decayed to
// the row that is being solved for.
template <class Rule>
static __device__ __forceinline__ void half_matrices(const HalfPrepareCall& x, const HalfPrepareLds& lds, HalfHead* heads, int h, int first) {
    const int lane = lanes_in_group(), pass = lane / HALF_TOKENS, j = lane % HALF_TOKENS;
    const bool there = first + pass < x.HV / x.H;
    float column[HALF_TOKENS], m[HALF_TOKENS], in = 1.0f, own_in = 1.0f;
    const float beta_j = lds.beta[pass][j];
    HalfRow read[2];
    unsigned place = 0;
    read[0].read(lds, 0, pass, place);
#pragma unroll
    for (int i = 0; i < HALF_TOKENS; i++) {
        const HalfRow& row = read[i % 2];
        if (i + 1 < HALF_TOKENS) read[(i + 1) % 2].read(lds, i + 1, pass, place);
        float corrected = 0.0f, seen = 0.0f;
#pragma unroll
        for (int n = 0; n < i; n++) {
            column[n] *= row.decay;
            corrected = fmaf(row.of_k[n], column[n], corrected);
            seen = fmaf(row.of_q[n], column[n], seen);
        }
        column[i] = fmaf(-Rule::row_beta(row.beta, beta_j), corrected, i == j ? beta_j : 0.0f);  // above the diagonal nothing is corrected
        m[i] = x.scale * fmaf(Rule::seen(row.of_q[i]), column[i], seen);
        in *= row.decay;
        own_in = i == j ? in : own_in;
        settled(column[i]), settled(m[i]);
    }
    // A pair has the columns j and j + 8: each lane of the two makes eight rows.
    const bool back = j >= HALF_BACK;
    const int pair = j % HALF_BACK;
    HalfHead& head = heads[there ? Rule::value_head(first + pass, h, x.H, x.HV, x.head_map) : 0];
    unsigned* rows = (unsigned*)head.rows;
#pragma unroll
    for (int i = 0; i < HALF_BACK; i++) {
        const unsigned of_w = half_exchange(column[i], column[i + HALF_BACK], back), of_m = half_exchange(m[i], m[i + HALF_BACK], back);
        unsigned* to = rows + 4 * (((i - pair) & (HALF_PARTS - 1)) * HALF_PARTS + i) + back;
        if (there) {
            to[0] = of_w;
            to[2] = of_m;
        }
    }
    float* decays = (float*)&head.decays[pair] + back;
    if (there) {
        decays[0] = own_in;
        decays[2] = x.scale * own_in;
    }
}

template <class Rule>
static __device__ __forceinline__ void half_prepare_body(const HalfPrepareCall& x) {
    __shared__ HalfPrepareLds lds;
    const int chunk = blockIdx.x, h = blockIdx.y, b = blockIdx.z, chunks = (x.T + HALF_TOKENS - 1) / HALF_TOKENS;
    if (chunk >= chunks || h >= x.H || b >= x.B) return;
    const int lane = lanes_in_group(), begin = chunk * HALF_TOKENS, count = Rule::tokens(x.T - begin);
    const long row = (long)b * x.T + begin, pitch = (long)x.H * HALF_KEYS;
    half_round(lds.q, x.q + (row * x.H + h) * HALF_KEYS, pitch, count);
    half_round(lds.k, x.k + (row * x.H + h) * HALF_KEYS, pitch, count);
    __syncthreads();

    HalfKeys& keys = x.keys[((long)b * chunks + chunk) * x.H + h];
    constexpr int PIECES = HALF_TOKENS * HALF_KEYS / 8 / GROUP;
#pragma unroll
    for (int n = 0; n < PIECES; n++) {
        const int piece = n * GROUP + lane, part = piece % 8, step = piece / 32;
        const int token = HALF_BACK * (piece / 16 % 2) + half_token(part, step), eight = 2 * part + piece / 8 % 2;
        ((HalfFour*)keys.k)[piece] = lds.k[token][eight];
        ((HalfFour*)keys.q)[piece] = lds.q[token][eight];
        const unsigned* early = (const unsigned*)lds.k[half_pair(part, step)] + 8 * part + 2 * (piece / 8 % 4);
        const unsigned* late = early + HALF_BACK * HALF_PITCH;
        const HalfFour pairs = {Rule::pair(early[0], late[0]), Rule::pair(early[0] >> 16, late[0] >> 16), Rule::pair(early[1], late[1]),
                                Rule::pair(early[1] >> 16, late[1] >> 16)};
        ((HalfFour*)keys.pairs)[piece] = pairs;
    }

    // Row lane / 4 of both products, every fourth column of each.
    const int i = lane / 4, four = lane % 4;
    float of_k[4] = {}, of_q[4] = {};
#pragma unroll 4
    for (int n = 0; n < HALF_KEYS / 8; n++) {
        const HalfFour k = lds.k[i][n], q = lds.q[i][n];
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const HalfFour other = lds.k[four + 4 * c][n];
            const unsigned words[4] = {other.x, other.y, other.z, other.w};
            of_k[c] = half_dots(k, words, of_k[c]);
            of_q[c] = half_dots(q, words, of_q[c]);
        }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        lds.of_k[i][four + 4 * c] = of_k[c];
        lds.of_q[i][four + 4 * c] = of_q[c];
    }
    HalfHead* heads = x.heads + ((long)b * chunks + chunk) * x.HV;
    const int R = x.HV / x.H, t = lane % HALF_TOKENS;
    for (int first = 0; first < R; first += HALF_PASS) {
        const int hv = Rule::value_head(min(first + lane / HALF_TOKENS, R - 1), h, x.H, x.HV, x.head_map);
        const long gate = (row + min(t, count - 1)) * x.HV + hv;
        if (first) __syncthreads();
        lds.decay[lane / HALF_TOKENS][t] = t < count ? Rule::decay(x.g[gate], x.gate_kind) : 1.0f;
        lds.beta[lane / HALF_TOKENS][t] = t < count ? x.beta[gate] : 0.0f;
        __syncthreads();
        half_matrices<Rule>(x, lds, heads, h, first);
    }
}
#define HALF_PREPARE_KERNEL(NAME, RULE)                                                                                       \
    extern "C" __global__ __launch_bounds__(HALF_PREPARE_ITEMS) void NAME(                                                    \
        const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ g,                               \
        const float* __restrict__ beta, HalfKeys* __restrict__ keys, HalfHead* __restrict__ heads, int B, int T, int H,       \
        int HV, float scale, int head_map, int gate_kind) {                                                                  \
        half_prepare_body<RULE>({q, k, g, beta, keys, heads, B, T, H, HV, RULE::scale(scale), head_map, gate_kind});          \
    }
