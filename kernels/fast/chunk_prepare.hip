// Chunks made ready in one launch: cumulated gates, L, its inverse, u and w, and what tokens of a step see of each other.
// L and (I + L)^-1 stay in LDS.
//
//     u_i = sum_j Ai_ij beta_j v_j        w_i = sum_j Ai_ij beta_j e^G_j k_j        Ai = (I + L)^-1
//     seen_ij = <q_i, k_j> e^(G_i - G_j) for j <= i of a step of 16 tokens, else 0
//     decays_i = e^(G_i - G before the step), e^(G of the step's last token - G_i)
//
// A group has 64 tokens where chunks of 16 or 32 fill them, else one chunk. Tokens of different chunks do not meet: their
// elements of L are zeros, and so are those of the inverse.
#pragma once
#include "chunk_slice.hip"

#define PREPARE_TOKENS 64
#define PREPARE_STRIP 16  // key channels in LDS at a time
#define PREPARE_PITCH (PREPARE_STRIP + 4)
#define PREPARE_STRIPS (PREPARE_TOKENS * PREPARE_PITCH + 3 * 16)
#define PREPARE_ROW (PREPARE_TOKENS + 4)
#define FAST_STEP 16  // tokens of a step of the scan, and of a block of the inverse

struct Prepare {
    const float *q, *k, *v, *g, *beta;
    float *u, *w, *seen, *decays;
    int B, T, H, HV, K, V, C, head_map, gate_kind;
};

struct __align__(16) PrepareLds {
    union {
        struct {
            float k[PREPARE_STRIPS], q[PREPARE_STRIPS];
        } strip;
        float product[PREPARE_TOKENS / 2][PREPARE_TOKENS / 2 + 4];
    };
    float l[PREPARE_TOKENS][PREPARE_ROW];  // L, then its inverse in its place
    double G[PREPARE_TOKENS];
    float beta[PREPARE_TOKENS], of_key[PREPARE_TOKENS];
};

// Where a row of a strip is. Eight lanes read rows 0 to 3 and 16 to 19 of 32 at a time: all 32 banks.
static __device__ __forceinline__ int strip_row(int row) { return row * PREPARE_PITCH + row / 16 * 16; }

// Four channels of a row; those past `bound` are zeros.
template <bool WHOLE>
static __device__ __forceinline__ float4 four_of(const float* row, int at, int bound) {
    if (WHOLE) return *(const float4*)(row + at);
    float x[4];
#pragma unroll
    for (int c = 0; c < 4; c++) x[c] = at + c < bound ? row[at + c] : 0.0f;
    return make_float4(x[0], x[1], x[2], x[3]);
}
template <bool WHOLE>
static __device__ __forceinline__ float2 two_of(const float* row, int at, int bound) {
    if (WHOLE) return *(const float2*)(row + at);
    return make_float2(at < bound ? row[at] : 0.0f, at + 1 < bound ? row[at + 1] : 0.0f);
}
template <bool WHOLE>
static __device__ __forceinline__ void put_two(float* row, int at, int bound, float a, float b) {
    if (WHOLE) *(float2*)(row + at) = make_float2(a, b);
    else {
        if (at < bound) row[at] = a;
        if (at + 1 < bound) row[at + 1] = b;
    }
}

// The first row of a work-item's 4 x 4 elements, which are 4 apart: its wave has a quarter of all products, 32 x 32 of L or
// the four steps' 16 x 16 of q and k.
struct PrepareShare {
    int row, col;
    bool of_q;
    __device__ __forceinline__ PrepareShare(int wave, int lane) {
        of_q = wave == 3;
        const int r = lane / 8, c = lane % 8, step = lane / 16;
        row = of_q ? FAST_STEP * step + lane / 4 % 4 : (wave == 0 ? 0 : 32) + r / 4 * 16 + r % 4;
        col = of_q ? FAST_STEP * step + lane % 4 : (wave == 2 ? 32 : 0) + c / 4 * 16 + c % 4;
    }
};

// sum[c] = sum_k a[row][k] b[k][col + c] over SIZE: SHARE elements of a product
template <int SIZE, int SHARE>
static __device__ __forceinline__ void square_product(float sum[SHARE], const float* a, int a_pitch, const float* b, int b_pitch,
                                                      int row, int col) {
#pragma unroll
    for (int c = 0; c < SHARE; c++) sum[c] = 0.0f;
#pragma unroll 2
    for (int k = 0; k < SIZE; k += 4) {
        const float4 x = *(const float4*)(a + row * a_pitch + k);
        const float of_a[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (int kk = 0; kk < 4; kk++) {
#pragma unroll
            for (int c = 0; c < SHARE; c++) sum[c] = fmaf(of_a[kk], b[(k + kk) * b_pitch + col + c], sum[c]);
        }
    }
}

// The lower left block of the inverse of two inverted blocks of SIZE: -Ai_22 L_21 Ai_11, for all such pairs at once
template <int SIZE>
static __device__ __forceinline__ void merge_blocks(PrepareLds& lds) {
    constexpr int PAIRS = PREPARE_TOKENS / (2 * SIZE), SHARE = PAIRS * SIZE * SIZE / 256;
    const int pair = threadIdx.x / (256 / PAIRS), item = threadIdx.x % (256 / PAIRS);
    const int row = item / (SIZE / SHARE), col = item % (SIZE / SHARE) * SHARE;
    float* corner = &lds.l[2 * SIZE * pair][2 * SIZE * pair];
    float* lower = corner + SIZE * PREPARE_ROW;
    constexpr int PITCH = SIZE + 4;
    float* product = &lds.product[0][0] + pair * SIZE * PITCH;
    float sum[SHARE];
    square_product<SIZE, SHARE>(sum, lower, PREPARE_ROW, corner, PREPARE_ROW, row, col);
#pragma unroll
    for (int c = 0; c < SHARE; c++) product[row * PITCH + col + c] = sum[c];
    __syncthreads();
    square_product<SIZE, SHARE>(sum, lower + SIZE, PREPARE_ROW, product, PITCH, row, col);
#pragma unroll
    for (int c = 0; c < SHARE; c++) lower[row * PREPARE_ROW + col + c] = -sum[c];
    __syncthreads();
}

// (I + L)^-1 in the place of L: blocks of 16 by substitution, a column a lane, then merged
template <class Rule>
static __device__ __forceinline__ void invert_in_place(PrepareLds& lds, int C) {
    float x[FAST_STEP];
    const int lane = lanes_in_group(), block = lane / FAST_STEP * FAST_STEP, col = lane % FAST_STEP;
    const bool mine = lanes_group() == 0;
    if (mine) {
#pragma unroll
        for (int i = 0; i < FAST_STEP; i++) {
            float sum = i == col ? -1.0f : 0.0f;
#pragma unroll
            for (int j = 0; j < i; j++) sum = fmaf(lds.l[block + i][block + j], x[j], sum);
            x[i] = -sum;
        }
    }
    __syncthreads();
    if (mine) {
#pragma unroll
        for (int i = 0; i < FAST_STEP; i++) lds.l[block + i][block + col] = x[i];
    }
    __syncthreads();
    if (Rule::merges_16 && FAST_STEP % C != 0) merge_blocks<FAST_STEP>(lds);
    if (Rule::merges_32 && 2 * FAST_STEP % C != 0) merge_blocks<2 * FAST_STEP>(lds);
}

// A token's log gate, summed from its chunk's first token on, or from the first that its wave has: by doubling distance.
template <class Rule>
static __device__ __forceinline__ double wave_sums(double sum, int lane, int C) {
    const int own = lanes_of_wave(lane);
#pragma unroll
    for (int distance = 1; distance < WAVE; distance *= 2) {
        const double before = lanes_up(sum, distance);
        if (own >= distance) sum += Rule::in_chunk(before, lane, distance, C);
    }
    return sum;
}
// Where waves have fewer lanes than there are tokens, each adds what those before have of its tokens' chunks.
template <class Rule>
static __device__ __forceinline__ void join_sums(PrepareLds& lds, int C) {
    const int token = threadIdx.x;
    for (int first = 0; first < PREPARE_TOKENS; first += WAVE) {
        __syncthreads();
        if (token < first || token >= first + WAVE) continue;
        if (first > 0) lds.G[token] += Rule::in_chunk(lds.G[first - 1], token, token - first + 1, C);
        lds.of_key[token] = Rule::of_key(lds.G[token]);
    }
}

template <class Rule, bool WHOLE>
static __device__ __forceinline__ void prepare_span(const Prepare& x, PrepareLds& lds, int first, int tokens) {
    const int hv = blockIdx.y, b = blockIdx.z, wave = lanes_group(), lane = lanes_in_group();
    const int head = Rule::head(hv, x.H, x.HV, x.head_map);
    const long token = (long)b * x.T + first;
    const float* k_rows = x.k + (token * x.H + head) * x.K;
    const float* q_rows = x.q + (token * x.H + head) * x.K;
    const int k_pitch = x.H * x.K;

    // gates: each chunk's sums by doubling distance, in double
    if (wave == 0) {
        const bool there = lane < tokens;
        const unsigned bytes = 4u * lane * x.HV;  // from the first token's
        const double sum = wave_sums<Rule>(there ? Rule::log_gate(gdn_at(x.g + token * x.HV + hv, bytes), x.gate_kind) : 0.0, lane, x.C);
        lds.G[lane] = sum;
        lds.beta[lane] = there ? gdn_at(x.beta + token * x.HV + hv, bytes) : 0.0f;
        if (WAVE == PREPARE_TOKENS) lds.of_key[lane] = Rule::of_key(sum);
    }
    if (WAVE < PREPARE_TOKENS) join_sums<Rule>(lds, x.C);

    // products of rows, a strip of channels after the other
    const PrepareShare share(wave, lane);
    const float* a = (share.of_q ? lds.strip.q : lds.strip.k) + strip_row(share.row);
    const float* c = lds.strip.k + strip_row(share.col);
    float product[4][4] = {};
    const int stage_row = threadIdx.x / 4, stage_at = threadIdx.x % 4 * 4;
    const int safe_row = fast_min(stage_row, tokens - 1);
    for (int from = 0; from < (WHOLE ? 128 : x.K); from += PREPARE_STRIP) {
        const float4 k4 = four_of<WHOLE>(k_rows + (long)safe_row * k_pitch, from + stage_at, x.K);
        const float4 q4 = four_of<WHOLE>(q_rows + (long)safe_row * k_pitch, from + stage_at, x.K);
        __syncthreads();
        *(float4*)(lds.strip.k + strip_row(stage_row) + stage_at) = k4;
        *(float4*)(lds.strip.q + strip_row(stage_row) + stage_at) = q4;
        __syncthreads();
#pragma unroll
        for (int s = 0; s < PREPARE_STRIP; s += 4) {
            float4 rows[4], cols[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                rows[i] = *(const float4*)(a + i * 4 * PREPARE_PITCH + s);
                cols[i] = *(const float4*)(c + i * 4 * PREPARE_PITCH + s);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    product[i][j] = fmaf(rows[i].x, cols[j].x, product[i][j]);
                    product[i][j] = fmaf(rows[i].y, cols[j].y, product[i][j]);
                    product[i][j] = fmaf(rows[i].z, cols[j].z, product[i][j]);
                    product[i][j] = fmaf(rows[i].w, cols[j].w, product[i][j]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = share.row + 4 * i;
        const double G_row = lds.G[row];
        const float beta_row = lds.beta[row];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int col = share.col + 4 * j;
            const bool together = row < tokens && row / x.C == col / x.C;
            const bool counts = together && (share.of_q ? Rule::sees(row, col) : col < row);
            // above the diagonal the exponent is positive, and its exponential may be inf
            const float gated = counts ? product[i][j] * Rule::between(G_row, lds.G[col]) : 0.0f;
            if (!share.of_q) lds.l[row][col] = gated * Rule::row_beta(beta_row, lds.beta[col]);
            else if (row < tokens) x.seen[((token + row) * x.HV + hv) * FAST_STEP + col % FAST_STEP] = gated;
        }
    }
    __syncthreads();
    // a wave that the inverse leaves idle
    if (wave == 1 && lane < tokens) {
        const int in_chunk = lane % x.C, begin = lane - in_chunk % FAST_STEP;
        const int end = fast_min(fast_min(begin + FAST_STEP, lane - in_chunk + x.C), tokens) - 1;
        const double sum = lds.G[lane];
        const float in = Rule::between(sum, in_chunk < FAST_STEP ? 0.0 : lds.G[begin - 1]), after = Rule::between(lds.G[end], sum);
        put_two<true>(&gdn_at(x.decays + 2 * (token * x.HV + hv), 8u * lane * x.HV), 0, 2, in, after);
    }
    invert_in_place<Rule>(lds, x.C);

    // the columns of the inverse by beta
    {
        const int row = threadIdx.x / 4, from = threadIdx.x % 4 * FAST_STEP;
        if (from <= row) {
#pragma unroll
            for (int e = 0; e < FAST_STEP; e++) lds.l[row][from + e] *= lds.beta[from + e];
        }
    }
    __syncthreads();

    // u and w: eight rows and two columns of each at a time; a wave's two blocks of rows are together as long as any other's
    for (int tile = 0; WHOLE ? tile < 128 : tile < x.V || tile < x.K; tile += 2 * GROUP) {
        const int at = tile + 2 * lane;
        for (int half = 0; half < 2; half++) {
            const int row = 8 * (half ? 7 - wave : wave);
            if (row >= tokens) continue;
            float u[8][2] = {}, w[8][2] = {};
            const float* v_rows = x.v + (token * x.HV + hv) * x.V;
            const long v_pitch = (long)x.HV * x.V;
            for (int j = row / x.C * x.C & ~3; j < row + 8; j += 4) {
                float2 of_v[4], of_k[4];
#pragma unroll
                for (int jj = 0; jj < 4; jj++) {
                    const int from = fast_min(j + jj, tokens - 1);
                    of_v[jj] = two_of<WHOLE>(v_rows + from * v_pitch, at, x.V);
                    of_k[jj] = two_of<WHOLE>(k_rows + (long)from * k_pitch, at, x.K);
                    const float factor = lds.of_key[j + jj];
                    of_k[jj].x *= factor;
                    of_k[jj].y *= factor;
                }
#pragma unroll
                for (int r = 0; r < 8; r++) {
                    const float4 t4 = *(const float4*)&lds.l[row + r][j];
                    const float t[4] = {t4.x, t4.y, t4.z, t4.w};
#pragma unroll
                    for (int jj = 0; jj < 4; jj++) {
                        u[r][0] = fmaf(t[jj], of_v[jj].x, u[r][0]);
                        u[r][1] = fmaf(t[jj], of_v[jj].y, u[r][1]);
                        w[r][0] = fmaf(t[jj], of_k[jj].x, w[r][0]);
                        w[r][1] = fmaf(t[jj], of_k[jj].y, w[r][1]);
                    }
                }
            }
#pragma unroll
            for (int r = 0; r < 8; r++) {
                if (row + r >= tokens) continue;
                const long value = (token + row + r) * x.HV + hv;
                put_two<WHOLE>(x.u + value * x.V, at, x.V, u[r][0], u[r][1]);
                put_two<WHOLE>(x.w + value * x.K, at, x.K, w[r][0], w[r][1]);
            }
        }
    }
}

// WHOLE: K and V are 128
template <class Rule, bool WHOLE>
static __device__ __forceinline__ void prepare_body(const Prepare& x) {
    __shared__ PrepareLds lds;
    const int span = x.C == 16 || x.C == 32 ? PREPARE_TOKENS : x.C;
    const int first = blockIdx.x * span;
    if (first >= x.T || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
    const int tokens = fast_min(span, x.T - first);
    prepare_span<Rule, WHOLE>(x, lds, first, tokens);
}
#define PREPARE_KERNEL(NAME, RULE, WHOLE)                                                                                   \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                 \
        const float* q, const float* k, const float* v, const float* g, const float* beta, float* u, float* w, float* seen, \
        float* decays, int B, int T, int H, int HV, int K, int V, int C, int head_map, int gate_kind) {                     \
        prepare_body<RULE, WHOLE>({q, k, v, g, beta, u, w, seen, decays, B, T, H, HV, K, V, C, head_map, gate_kind});              \
    }
