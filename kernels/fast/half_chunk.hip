// The gated delta rule by chunks of sixteen tokens, with products of f16 pairs that are summed in f32 (v_dot2_f32_f16), in two launches. Keys have
// 128 channels.
//
// The first launch (half_prepare.hip) rounds q and k to f16, and computes two matrices of 16 x 16 for each chunk and value head, W and M. The inverse of
// the chunk form is a factor of both. The second launch (half_scan.hip) has the state h in f32 in registers, and does this for each chunk:
//
//     x_t  = v_t - in_t (k_t h)
//     y    = W x               the corrected values, decayed to the end of the chunk
//     o_t  = scale in_t (q_t h) + (M x)_t
//     h   <- in_last h + sum_t k_t y_t
//
// with W_ij = after_i Ai_ij beta_j and M = A Ai beta, A_ij = scale <q_i, k_j> between_ij for j <= i (docs/the-rule.md). in_t, after_t and between_ij are
// products of the tokens' decays up to t, after t, and from behind j to i.
//
// A pair is two f16 in a register, whose products one instruction adds to a sum. Products with h have pairs of neighbouring key channels. Those with
// k_t, W and M have pairs of the tokens t and t + 8. Eight lanes share a value column, and each of them has sixteen key channels of it.
#pragma once
#include "../gdn/common.hip"
#include "element.hip"
#include "uniform.hip"

#define HALF_TOKENS 16              // of a chunk
#define HALF_BACK 8                 // tokens of a pair are so far apart
#define HALF_KEYS 128               // key channels
#define HALF_PARTS 8                // lanes of a column
#define HALF_ROWS 16                // key channels of a lane
#define HALF_COLUMNS 16             // columns of a work-group of the scan
#define HALF_ITEMS 128              // its work-items
#define HALF_PREPARE_ITEMS 64       // of the preparation: one group of lanes
#define HALF_PASS 4                 // value heads that it works on at once

typedef unsigned HalfFour __attribute__((ext_vector_type(4)));
typedef float FloatTwo __attribute__((ext_vector_type(2)));
typedef unsigned HalfTwo __attribute__((ext_vector_type(2)));
typedef _Float16 HalfPair __attribute__((ext_vector_type(2)));
#if defined(__AMDGCN__) && defined(__OPTIMIZE__)
typedef const HalfFour __attribute__((address_space(1)))* SharedHalves;
typedef const HalfTwo __attribute__((address_space(1)))* SharedTwo;
typedef const FloatTwo __attribute__((address_space(1)))* SharedFloatTwo;
#else
typedef const HalfFour* SharedHalves;
typedef const HalfTwo* SharedTwo;
typedef const FloatTwo* SharedFloatTwo;
#endif

// Operands of the scan, of a chunk and key head: q and k as pairs of channels, and k as pairs of tokens. In step s the lane of part p works on the
// tokens half_token(p, s) and eight behind, or on the tokens half_pair(p, s) and eight behind, so that sums and operands can go from lane to lane.
struct HalfKeys {
    HalfFour k[HALF_PARTS][2][2][HALF_PARTS];  // step, half of the chunk, half of a part's channels, part
    HalfFour q[HALF_PARTS][2][2][HALF_PARTS];
    HalfFour pairs[HALF_PARTS][4][HALF_PARTS];  // step, four channels of a part, part
};
// Operands of the scan, of a chunk and value head.
struct HalfHead {
    HalfFour rows[HALF_PARTS][HALF_PARTS];  // step, part p: pairs of the rows p and p + 8 of W, then of M
    float4 decays[HALF_PARTS];              // in_p, in_(p + 8), scale in_p, scale in_(p + 8)
};

static __device__ __forceinline__ int half_token(int part, int step) { return (part - step - 1) & (HALF_PARTS - 1); }
static __device__ __forceinline__ int half_pair(int part, int step) { return (part - step) & (HALF_PARTS - 1); }

// Two numbers rounded to nearest. The compiler would take three instructions.
static __device__ __forceinline__ unsigned half_pack(float low, float high) {
#ifdef __GFX9__
    unsigned pair;
    asm("v_cvt_f16_f32_e32 %0, %1\n\tv_cvt_f16_f32_sdwa %0, %2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD" : "=&v"(pair) : "v"(low), "v"(high));
    return pair;
#else
    const HalfPair pair = {(_Float16)low, (_Float16)high};
    return __builtin_bit_cast(unsigned, pair);
#endif
}

// The sum plus the products of two pairs.
static __device__ __forceinline__ float half_dot(unsigned a, unsigned b, float sum) {
    const HalfPair x = __builtin_bit_cast(HalfPair, a), y = __builtin_bit_cast(HalfPair, b);
#ifdef __gfx906__
    return __builtin_amdgcn_fdot2(x, y, sum, false);
#else
    return fmaf((float)x.y, (float)y.y, fmaf((float)x.x, (float)y.x, sum));
#endif
}
static __device__ __forceinline__ float half_dots(HalfFour a, const unsigned* b, float sum) {
#pragma unroll
    for (int i = 0; i < 4; i++) sum = half_dot(a[i], b[i], sum);
    return sum;
}

// The value of the lane two before, of sixteen that go round: of the part before, in the same column.
static __device__ __forceinline__ float lanes_from_part(float x) {
    lanes_meet();
#ifdef __AMDGCN__
    return __int_as_float(__builtin_amdgcn_mov_dpp(__float_as_int(x), 0x122, 0xf, 0xf, true));  // row_ror:2
#else
    return __shfl(x, (threadIdx.x - 2) % 16, 16);
#endif
}
static __device__ __forceinline__ unsigned lanes_from_part(unsigned x) { return __float_as_uint(lanes_from_part(__uint_as_float(x))); }
// The value of the lane eight away, of sixteen that go round.
static __device__ __forceinline__ float lanes_eight_away(float x) {
    lanes_meet();
#ifdef __AMDGCN__
    return __int_as_float(__builtin_amdgcn_mov_dpp(__float_as_int(x), 0x128, 0xf, 0xf, true));  // row_ror:8
#else
    return __shfl_xor(x, 8, 16);
#endif
}

// Sixteen bytes of memory, `bytes` behind a place that all lanes share.
static __device__ __forceinline__ HalfFour half_load(SharedBytes base, unsigned bytes, int further) {
    return *(SharedHalves)(base + bytes + further);
}

// Points where the wrong variants in planted/ differ.
struct HalfRule {
    // value head r of those that read the key head h; and the key head that a value head reads
    static __device__ int value_head(int r, int h, int H, int HV, int head_map) { return head_map == HEAD_BLOCK ? h * (HV / H) + r : h + r * H; }
    static __device__ int key_head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ float decay(float g, int gate_kind) { return gdn_decay(g, gate_kind); }
    static __device__ float scale(float scale) { return scale; }
    static __device__ int tokens(int left) { return min(left, HALF_TOKENS); }
    static __device__ float row_beta(float beta_i, float beta_j) { return beta_i; }
    static __device__ float seen(float of_itself) { return of_itself; }  // of the token's own key
    static __device__ unsigned pair(unsigned early, unsigned late) { return (early & 0xffffu) | late << 16; }

    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ int columns(int V) { return V; }
    static __device__ void leave() { __syncthreads(); }  // before what lies in LDS is written over
    static __device__ void meet() { __syncthreads(); }   // before it is read
    static __device__ float carried(float decay) { return decay; }
    static __device__ float handed_on(float sum, int step) { return sum; }
};
