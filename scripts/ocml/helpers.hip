// What the kernels of functions.txt call that is no plain function of HIP's headers: operators, macros, arrays and strings.

#include <hip/hip_runtime.h>

#define PRIVATE __attribute__((address_space(5)))

// Clang's headers say that the exponents are shorts; the bitcode takes ints.
typedef int __2i32 __attribute__((ext_vector_type(2)));
extern "C" __device__ __2f16 here_pown_2f16(__2f16, __2i32) __asm__("__ocml_pown_2f16");

__device__ float here_divide(float x, float y) { return x / y; }
__device__ double here_divide(double x, double y) { return x / y; }

__device__ int here_finite(float x) { return __finitef(x); }
__device__ int here_finite(double x) { return __finite(x); }
__device__ int here_infinite(float x) { return __isinff(x); }
__device__ int here_infinite(double x) { return __isinf(x); }
__device__ int here_not_a_number(float x) { return __isnanf(x); }
__device__ int here_not_a_number(double x) { return __isnan(x); }
__device__ int here_sign(float x) { return __signbitf(x); }
__device__ int here_sign(double x) { return __signbit(x); }

__device__ float here_norm3(float x, float y, float z) {
    float v[3] = {x, y, z};
    return normf(3, v);
}
__device__ double here_norm3(double x, double y, double z) {
    double v[3] = {x, y, z};
    return norm(3, v);
}
__device__ float here_rnorm3(float x, float y, float z) {
    float v[3] = {x, y, z};
    return rnormf(3, v);
}
__device__ double here_rnorm3(double x, double y, double z) {
    double v[3] = {x, y, z};
    return rnorm(3, v);
}

// The bits of a NaN made from each kind of string: empty, decimal, octal, hexadecimal, no number. As an integer: a NaN's
// bits in a float are the hardware's to change.
__device__ const char *nan_text(int n) {
    switch (n) {
        case 0: return "";
        case 1: return "1";
        case 2: return "123456";
        case 3: return "017";
        case 4: return "0x2aF";
        case 5: return "09";
        case 6: return "12z";
        default: return "4194303";
    }
}
__device__ long here_nan_bits(float, int n) { return __float_as_uint(nanf(nan_text(n))); }
__device__ long here_nan_bits(double, int n) { return __double_as_longlong(nan(nan_text(n))); }
