// What a wave's lanes do together: sums over neighbouring lanes, a lane's value for all, their numbers. No exchange is wider than it says,
// and WAVE is the one place that knows how many lanes a wave has: for a GPU of 32 (AMD's from gfx10 on, and others') it is 32, and the same
// sources hold.
#pragma once
#include <hip/hip_runtime.h>

#ifndef WAVE
#ifdef __GFX9__
#define WAVE 64
#else
#define WAVE 32
#endif
#endif

// Lanes that work on one thing: a wave, or two of 32. An exchange stays within WAVE lanes; what a group's lanes hand each other beyond that goes
// through LDS, with a barrier of all waves between who writes and who reads. A group's number and its lanes' numbers do not depend on WAVE.
#define GROUP 64

// A number that all lanes have, as a scalar: a branch on it is one for the whole wave.
#ifdef __AMDGCN__
static __device__ __forceinline__ unsigned lanes_uniform(unsigned x) { return __builtin_amdgcn_readfirstlane(x); }
static __device__ __forceinline__ int lanes_uniform(int x) { return __builtin_amdgcn_readfirstlane(x); }
#else
static __device__ __forceinline__ unsigned lanes_uniform(unsigned x) { return x; }
static __device__ __forceinline__ int lanes_uniform(int x) { return x; }
#endif

// The work-item's lane in its wave; its group of the work-group, as a scalar, and its lane there.
static __device__ __forceinline__ int lanes_own() { return threadIdx.x % WAVE; }
static __device__ __forceinline__ int lanes_group() { return lanes_uniform(threadIdx.x / GROUP); }
static __device__ __forceinline__ int lanes_in_group() { return threadIdx.x % GROUP; }
// The lane in its wave of a lane in its group.
static __device__ __forceinline__ int lanes_of_wave(int in_group) { return WAVE < GROUP ? in_group % WAVE : in_group; }

// All lanes of the wave take part in an exchange: one in a branch that only a part of them takes is defined on gfx9 alone. A build with
// LANES_CHECKED stops there.
static __device__ __forceinline__ void lanes_meet() {
#if defined(LANES_CHECKED) && defined(__GFX9__)
    if (__builtin_amdgcn_read_exec() != ~0ull) __builtin_trap();
#endif
}

// The value of the lane whose number differs in the bits of MASK, which is 1, 2, 4 or 8. For 4 and 8 the lanes differ in the lower bits
// too: every lane of a group must already have the same value, as a sum that begins with 1 and 2 leaves them.
template <int MASK>
static __device__ __forceinline__ float lanes_partner(float x) {
    lanes_meet();
#ifdef __AMDGCN__
    // quad_perm [1,0,3,2], quad_perm [2,3,0,1], row_half_mirror, row_mirror
    constexpr int control = MASK == 1 ? 0xb1 : MASK == 2 ? 0x4e : MASK == 4 ? 0x141 : 0x140;
    return __int_as_float(__builtin_amdgcn_update_dpp(0, __float_as_int(x), control, 0xf, 0xf, true));
#else
    return __shfl_xor(x, MASK, WAVE);
#endif
}

// The value of the lane whose number differs in the bits of MASK, which is 1, 2 or 7.
template <int MASK>
static __device__ __forceinline__ float lanes_across(float x) {
    lanes_meet();
#ifdef __AMDGCN__
    constexpr int control = MASK == 1 ? 0xb1 : MASK == 2 ? 0x4e : 0x141;  // quad_perm, quad_perm, row_half_mirror
    return __int_as_float(__builtin_amdgcn_mov_dpp(__float_as_int(x), control, 0xf, 0xf, true));
#else
    return __shfl_xor(x, MASK, WAVE);
#endif
}

// The value of the lane DISTANCE before, of 16 neighbouring ones; 1 where there is none.
template <int DISTANCE>
static __device__ __forceinline__ float lanes_before_or_1(float x) {
    lanes_meet();
#ifdef __AMDGCN__
    const int one = __float_as_int(1.0f);
    return __int_as_float(__builtin_amdgcn_update_dpp(one, __float_as_int(x), 0x110 + DISTANCE, 0xf, 0xf, false));
#else
    const float before = __shfl_up(x, DISTANCE, 16);
    return threadIdx.x % 16 >= DISTANCE ? before : 1.0f;
#endif
}

// The sum over LANES (1, 2, 4, 8, 16) neighbouring lanes, for each of them: the same bits.
template <int LANES>
static __device__ __forceinline__ float lanes_sum(float x) {
    if (LANES > 1) x += lanes_partner<1>(x);
    if (LANES > 2) x += lanes_partner<2>(x);
    if (LANES > 4) x += lanes_partner<4>(x);
    if (LANES > 8) x += lanes_partner<8>(x);
    return x;
}

// The sum over each half of the wave, for its last lane.
static __device__ __forceinline__ float lanes_sum_halves(float x) {
    lanes_meet();
    x = lanes_sum<16>(x);
#if defined(__GFX9__) && WAVE == 64
    // rows of 16 lanes: the last lane of one is added to the next; row_bcast:15
    x += __int_as_float(__builtin_amdgcn_update_dpp(0, __float_as_int(x), 0x142, 0xa, 0xf, false));
#else
#pragma unroll
    for (int distance = 16; distance < WAVE / 2; distance *= 2) x += __shfl_xor(x, distance, WAVE);
#endif
    return x;
}
// The sum over the whole wave, for its last lane.
static __device__ __forceinline__ float lanes_sum_all(float x) {
    lanes_meet();
    x = lanes_sum_halves(x);
#if defined(__GFX9__) && WAVE == 64
    // the last lane of the first half is added to the second; row_bcast:31
    x += __int_as_float(__builtin_amdgcn_update_dpp(0, __float_as_int(x), 0x143, 0xc, 0xf, false));
#else
    x += __shfl_xor(x, WAVE / 2, WAVE);
#endif
    return x;
}

// What the lanes up to each have together, by `op` from the first on: `none` is what changes nothing.
template <class T, class Op>
static __device__ __forceinline__ T lanes_running(T x, T none, Op op) {
    lanes_meet();
#if defined(__GFX9__) && WAVE == 64
#define LANES_BEFORE(CONTROL, ROWS) \
    __builtin_bit_cast(T, __builtin_amdgcn_update_dpp(__builtin_bit_cast(int, none), __builtin_bit_cast(int, x), CONTROL, ROWS, 0xf, false))
    // within rows of 16 lanes: row_shr; then the last of a row for the next, and of the second for the last two: row_bcast:15, row_bcast:31
    x = op(LANES_BEFORE(0x111, 0xf), x);
    x = op(LANES_BEFORE(0x112, 0xf), x);
    x = op(LANES_BEFORE(0x114, 0xf), x);
    x = op(LANES_BEFORE(0x118, 0xf), x);
    x = op(LANES_BEFORE(0x142, 0xa), x);
    x = op(LANES_BEFORE(0x143, 0xc), x);
#undef LANES_BEFORE
#else
#pragma unroll
    for (int distance = 1; distance < WAVE; distance *= 2) {
        const T before = __builtin_bit_cast(T, __shfl_up(__builtin_bit_cast(float, x), distance, WAVE));
        x = op(lanes_own() >= distance ? before : none, x);
    }
#endif
    return x;
}

// The first lane that says so, for all lanes; WAVE where none does.
static __device__ __forceinline__ int lanes_first(bool says) {
    lanes_meet();
    const unsigned long long those = __ballot(says);
    return those ? __builtin_ctzll(those) : WAVE;
}

// A lane's value, for all lanes: `lane` is the same for all.
static __device__ __forceinline__ float lanes_read(float x, int lane) {
    lanes_meet();
#ifdef __AMDGCN__
    return __int_as_float(__builtin_amdgcn_readlane(__float_as_int(x), lane));
#else
    return __shfl(x, lane, WAVE);
#endif
}
static __device__ __forceinline__ int lanes_read(int x, int lane) {
    return __float_as_int(lanes_read(__int_as_float(x), lane));
}

// The value of a lane that each lane chooses, of its wave.
static __device__ __forceinline__ float lanes_at(float x, int lane) {
    lanes_meet();
    return __shfl(x, lane, WAVE);
}

// 1 / x, 1 / sqrt(x), e^x and ln x to the last bit or two, of numbers that are neither subnormal nor give such; e^x of a large x to as many
// bits less as x has before its point. What is below the smallest normal number may be 0.
#ifdef __AMDGCN__
static __device__ __forceinline__ float lanes_reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
static __device__ __forceinline__ float lanes_reciprocal_root(float x) { return __builtin_amdgcn_rsqf(x); }
#else
static __device__ __forceinline__ float lanes_reciprocal(float x) { return 1.0f / x; }
static __device__ __forceinline__ float lanes_reciprocal_root(float x) { return rsqrtf(x); }
#endif
#if defined(__AMDGCN__) && __has_builtin(__builtin_amdgcn_exp2f) && __has_builtin(__builtin_amdgcn_logf)
static __device__ __forceinline__ float lanes_exp(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504f); }
static __device__ __forceinline__ float lanes_log(float x) { return __builtin_amdgcn_logf(x) * 0.693147181f; }
#else
static __device__ __forceinline__ float lanes_exp(float x) { return expf(x); }
static __device__ __forceinline__ float lanes_log(float x) { return logf(x); }
#endif

// x as a fraction from 1/2 to 1 and an exponent of 2, and what they make.
#ifdef __AMDGCN__
static __device__ __forceinline__ float lanes_fraction(float x) { return __builtin_amdgcn_frexp_mantf(x); }
static __device__ __forceinline__ int lanes_exponent(float x) { return __builtin_amdgcn_frexp_expf(x); }
static __device__ __forceinline__ float lanes_scaled(float fraction, int exponent) { return __builtin_amdgcn_ldexpf(fraction, exponent); }
#else
static __device__ __forceinline__ float lanes_fraction(float x) {
    int exponent;
    return frexpf(x, &exponent);
}
static __device__ __forceinline__ int lanes_exponent(float x) {
    int exponent;
    frexpf(x, &exponent);
    return exponent;
}
static __device__ __forceinline__ float lanes_scaled(float fraction, int exponent) { return ldexpf(fraction, exponent); }
#endif

// n / d for 0 <= n < 2^20 and 0 < d < 2^20 that are the same for all lanes: (n + 1/2) / d is 1 / (2 d) or more from any whole number, which
// is more than the rounding.
static __device__ __forceinline__ int lanes_quotient(int n, int d) {
    return lanes_uniform((unsigned)((float)(2 * n + 1) * lanes_reciprocal((float)(2 * d))));
}
