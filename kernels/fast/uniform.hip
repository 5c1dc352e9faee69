// What all lanes of a wave share, kept where the hardware has one of it: scalar registers. Elsewhere than on AMD's GPUs, and without
// optimisation, which knows no scalar registers for numbers of the program, these are plain pointers and numbers.
#pragma once
#include "lanes.hip"

#if defined(__AMDGCN__) && defined(__OPTIMIZE__)
// Numbers that nothing writes to while the kernel runs: scalar loads get them, where the address is shared.
typedef const float __attribute__((address_space(4)))* SharedNumbers;
// A row in memory whose beginning is shared: a load is that, and one register for the lane's place.
typedef const float __attribute__((address_space(1)))* SharedRow;
typedef float __attribute__((address_space(1)))* SharedOutRow;
typedef const char __attribute__((address_space(1)))* SharedBytes;
typedef char __attribute__((address_space(1)))* SharedOutBytes;
typedef float Four __attribute__((ext_vector_type(4)));
typedef Four __attribute__((address_space(1)))* SharedOutFour;

// The value, cut from what it was computed of: else the compiler computes the places of all rows in advance, and has not the registers.
template <class Uniform>
static __device__ __forceinline__ Uniform held(Uniform value) {
    asm volatile("" : "+s"(value));
    return value;
}
// A lane's number, computed here: not sunk to where it is used, away from the coefficients that it is computed of.
template <class Number>
static __device__ __forceinline__ void settled(Number& x) {
    asm volatile("" : "+v"(x));
}
#else
typedef const float* SharedNumbers;
typedef const float* SharedRow;
typedef float* SharedOutRow;
typedef const char* SharedBytes;
typedef char* SharedOutBytes;
struct alignas(16) Four {
    float x, y, z, w;
};
typedef Four* SharedOutFour;
template <class Uniform>
static __device__ __forceinline__ Uniform held(Uniform value) {
    return value;
}
template <class Number>
static __device__ __forceinline__ void settled(Number& x) {}
#endif

static __device__ __forceinline__ SharedNumbers shared_numbers(const float* numbers) { return (SharedNumbers)numbers; }

#ifdef __AMDGCN__
// The compiler moves nothing over this.
static __device__ __forceinline__ void in_order() { __builtin_amdgcn_sched_barrier(0); }
// What was loaded from memory has come.
static __device__ __forceinline__ void loads_arrived() { __builtin_amdgcn_s_waitcnt(0x0f70); }
#else
static __device__ __forceinline__ void in_order() {}
static __device__ __forceinline__ void loads_arrived() {}
#endif

// The lane's number of a row, `bytes` behind its beginning. That these are 32 bits is to be seen where the address is made, so that it is
// the row's in scalars and this register.
static __device__ __forceinline__ float lane_load(SharedRow row, unsigned& bytes) {
    settled(bytes);
    return *(SharedRow)((SharedBytes)row + bytes);
}
static __device__ __forceinline__ void lane_store(SharedOutRow row, unsigned& bytes, float x) {
    settled(bytes);
    *(SharedOutRow)((SharedOutBytes)row + bytes) = x;
}
// Four of them, where place and row are multiples of 16 bytes.
static __device__ __forceinline__ void lane_store4(SharedOutRow row, unsigned& bytes, float4 x) {
    settled(bytes);
    Four four = {x.x, x.y, x.z, x.w};
    *(SharedOutFour)((SharedOutBytes)row + bytes) = four;
}

// A number that the compiler knows: functions call themselves with the next one, so that what they index stays in registers. Those that move
// several numbers at a time are `inline`, not __forceinline__: inlined before arrays are split, they would leave vectors of four.
template <int N>
struct Known {};

// The work-item's number, found anew: what is computed of it inside a loop is not kept in registers from before the loop.
static __device__ __forceinline__ unsigned own_item() {
    unsigned item = threadIdx.x;
    settled(item);
    return item;
}
