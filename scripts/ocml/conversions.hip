// Conversions of narrow floats, one kernel each: bits in, bits out. conversions.py knows what must come out.

#include <hip/hip_bfloat16.h>
#include <hip/hip_runtime.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;

__device__ _Float16 half(u16 bits) { return __builtin_bit_cast(_Float16, bits); }
__device__ float single(u32 bits) { return __builtin_bit_cast(float, bits); }
__device__ double twice(u64 bits) { return __builtin_bit_cast(double, bits); }
__device__ u16 bits(_Float16 x) { return __builtin_bit_cast(u16, x); }
__device__ u16 bits(__bf16 x) { return __builtin_bit_cast(u16, x); }
__device__ u32 bits(float x) { return __builtin_bit_cast(u32, x); }
__device__ u64 bits(double x) { return __builtin_bit_cast(u64, x); }

// v_cvt_f16_f32 in a rounding mode of f16 and f64 (bits 2 and 3 of MODE): 1 up, 2 down, 3 toward zero
#define IN_MODE(mode)                                                                                                              \
    __device__ u32 in_mode_##mode(float x) {                                                                                       \
        u32 result;                                                                                                                \
        asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), " #mode "\n\ts_nop 1\n\tv_cvt_f16_f32 %0, %1\n\t"               \
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0"                                                              \
                     : "=v"(result)                                                                                                \
                     : "v"(x));                                                                                                    \
        return result;                                                                                                             \
    }
IN_MODE(1)
IN_MODE(2)
IN_MODE(3)

#define CONVERT(name, In, Out, result)                                                                                             \
    extern "C" __global__ void name(const In *in, Out *out) {                                                                      \
        u32 i = blockIdx.x * blockDim.x + threadIdx.x;                                                                             \
        In x = in[i];                                                                                                              \
        out[i] = result;                                                                                                           \
    }

CONVERT(f16_f32, u16, u32, bits((float)half(x)))
CONVERT(f16_f64, u16, u64, bits((double)half(x)))
CONVERT(f16_f32_f16, u16, u16, bits((_Float16)(float)half(x)))
CONVERT(f16_f64_f16, u16, u16, bits((_Float16)(double)half(x)))
CONVERT(f32_f16, u32, u16, bits((_Float16)single(x)))
CONVERT(f32_f16_up, u32, u16, in_mode_1(single(x)))
CONVERT(f32_f16_down, u32, u16, in_mode_2(single(x)))
CONVERT(f32_f16_zero, u32, u16, in_mode_3(single(x)))
CONVERT(f32_pkrtz, u32, u32, __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pkrtz(single(x), -single(x))))
CONVERT(f64_f16, u64, u16, bits((_Float16)twice(x)))
CONVERT(f64_f32, u64, u32, bits((float)twice(x)))
CONVERT(f32_f64, u32, u64, bits((double)single(x)))

// By the instruction: what a C cast leaves undefined saturates, and NaN is 0.
#define INSTRUCTION(name, mnemonic, In, Out)                                                                                       \
    extern "C" __global__ void name(const In *in, Out *out) {                                                                      \
        u32 i = blockIdx.x * blockDim.x + threadIdx.x;                                                                             \
        u32 result;                                                                                                                \
        asm volatile(mnemonic " %0, %1" : "=v"(result) : "v"(in[i]));                                                              \
        out[i] = result;                                                                                                           \
    }
INSTRUCTION(cvt_i16_f16, "v_cvt_i16_f16", u16, u16)
INSTRUCTION(cvt_u16_f16, "v_cvt_u16_f16", u16, u16)
INSTRUCTION(cvt_i32_f32, "v_cvt_i32_f32", u32, u32)
INSTRUCTION(cvt_u32_f32, "v_cvt_u32_f32", u32, u32)
INSTRUCTION(cvt_flr_i32_f32, "v_cvt_flr_i32_f32", u32, u32)
INSTRUCTION(cvt_i32_f64, "v_cvt_i32_f64", u64, u32)
INSTRUCTION(cvt_u32_f64, "v_cvt_u32_f64", u64, u32)

CONVERT(f16_i8, u16, u8, (signed char)half(x))
CONVERT(f16_u8, u16, u8, (u8)half(x))
CONVERT(f16_i16, u16, u16, (short)half(x))
CONVERT(f16_u16, u16, u16, (u16)half(x))
CONVERT(f16_i32, u16, u32, (int)half(x))
CONVERT(f16_u32, u16, u32, (u32)half(x))
CONVERT(f16_i64, u16, u64, (long)half(x))
CONVERT(f16_u64, u16, u64, (u64)half(x))

CONVERT(u8_f16, u8, u16, bits((_Float16)x))
CONVERT(i16_f16, u16, u16, bits((_Float16)(short)x))
CONVERT(u16_f16, u16, u16, bits((_Float16)x))
CONVERT(i32_f16, u32, u16, bits((_Float16)(int)x))
CONVERT(u32_f16, u32, u16, bits((_Float16)x))
CONVERT(i64_f16, u64, u16, bits((_Float16)(long)x))
CONVERT(u64_f16, u64, u16, bits((_Float16)x))
CONVERT(i32_f32, u32, u32, bits((float)(int)x))
CONVERT(u32_f32, u32, u32, bits((float)x))
CONVERT(i64_f32, u64, u32, bits((float)(long)x))
CONVERT(u64_f32, u64, u32, bits((float)x))
CONVERT(i64_f64, u64, u64, bits((double)(long)x))
CONVERT(u64_f64, u64, u64, bits((double)x))
CONVERT(byte0_f32, u32, u32, bits((float)(x & 0xff)))
CONVERT(byte1_f32, u32, u32, bits((float)(x >> 8 & 0xff)))
CONVERT(byte2_f32, u32, u32, bits((float)(x >> 16 & 0xff)))
CONVERT(byte3_f32, u32, u32, bits((float)(x >> 24)))

__device__ float brain(u16 bits) {
    hip_bfloat16 x;
    x.data = bits;
    return x;
}

CONVERT(bf16_f32, u16, u32, bits(brain(x)))
CONVERT(bf16_f32_bf16, u16, u16, hip_bfloat16(brain(x)).data)
CONVERT(f32_bf16, u32, u16, hip_bfloat16(single(x)).data)
CONVERT(f32_bf16_truncate, u32, u16, hip_bfloat16(single(x), hip_bfloat16::truncate).data)
CONVERT(compiler_bf16_f32, u16, u32, bits((float)__builtin_bit_cast(__bf16, x)))
CONVERT(compiler_f32_bf16, u32, u16, bits((__bf16)single(x)))

// a and b in the low halves, c in the high word: v_fma_mix_f32 and v_fma_mixlo_f16
CONVERT(fma_mix, u64, u32, bits(__builtin_fmaf((float)half((u16)x), (float)half((u16)(x >> 16)), single((u32)(x >> 32)))))
CONVERT(fma_mixlo, u64, u16,
        bits((_Float16)__builtin_fmaf((float)half((u16)x), (float)half((u16)(x >> 16)), (float)half((u16)(x >> 32)))))
