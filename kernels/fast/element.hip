// Elements as tensors hold them: f32, f16 or bf16, one or four at once. Arithmetic is f32.
#pragma once
#include "../gdr/common.hip"

static __device__ inline float gdr_float(_Float16 x) { return (float)x; }
static __device__ inline void gdr_store(_Float16* to, float x) { *to = (_Float16)x; }

// Four elements that stand beside each other, at a multiple of their size.
template <class E>
struct alignas(4 * sizeof(E)) ElementFour {
    E x[4];
};

// Their values in f32, and the elements nearest to four values: halves of a register at a time for bf16.
template <class E>
static __device__ __forceinline__ void element_values(const ElementFour<E>& four, float* x) {
#pragma unroll
    for (int c = 0; c < 4; c++) x[c] = gdr_float(four.x[c]);
}
template <class E>
static __device__ __forceinline__ ElementFour<E> element_nearest(const float* x) {
    ElementFour<E> four;
#pragma unroll
    for (int c = 0; c < 4; c++) gdr_store(&four.x[c], x[c]);
    return four;
}
struct ElementWords {
    unsigned x[2];
};
static __device__ __forceinline__ void element_values(const ElementFour<Bf16>& four, float* x) {
    const ElementWords words = __builtin_bit_cast(ElementWords, four);
#pragma unroll
    for (int c = 0; c < 2; c++) {
        x[2 * c] = __uint_as_float(words.x[c] << 16);
        x[2 * c + 1] = __uint_as_float(words.x[c] & 0xffff0000u);
    }
}
// To nearest, ties to even. The carry would make a number of a NaN with many bits set, so every NaN becomes the same one.
static __device__ __forceinline__ unsigned element_carried(float x) {
    const unsigned bits = __float_as_uint(x), carried = bits + (bits >> 16 & 1) + 0x7fffu;
    return x != x ? 0x7fc00000u : carried;
}
// The upper half of `low`, with that of `high` above it.
static __device__ __forceinline__ unsigned element_upper_halves(unsigned low, unsigned high) {
#ifdef __AMDGCN__
    return __builtin_amdgcn_perm(high, low, 0x07060302);
#else
    return (high & 0xffff0000u) | low >> 16;
#endif
}
template <>
__device__ __forceinline__ ElementFour<Bf16> element_nearest<Bf16>(const float* x) {
    ElementWords words;
#pragma unroll
    for (int c = 0; c < 2; c++) words.x[c] = element_upper_halves(element_carried(x[2 * c]), element_carried(x[2 * c + 1]));
    return __builtin_bit_cast(ElementFour<Bf16>, words);
}

// A number that the compiler is to have here, in a register of each lane, and to know nothing about. Offsets of 32 bits that are kept so
// where they are used, inside of a loop, make an access out of a pointer that all lanes share and the offset, without an addition; and
// what is kept has arrived from memory.
template <class N>
static __device__ __forceinline__ void element_keep(N& number) {
#ifdef __AMDGCN__
    asm volatile("" : "+v"(number));
#endif
}

// An element so many bytes behind a place that all lanes share.
template <class E>
static __device__ __forceinline__ const E& element_at(const void* base, unsigned bytes) {
    return *(const E*)((const char*)base + bytes);
}
template <class E>
static __device__ __forceinline__ E& element_at(void* base, unsigned bytes) {
    return *(E*)((char*)base + bytes);
}
