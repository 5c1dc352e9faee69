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
