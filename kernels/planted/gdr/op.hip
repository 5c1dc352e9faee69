// Wrong element-wise functions: one of the eight each.
#pragma once
#include "../../gdr/op.hip"

// e^x for 2^x
struct Exp2IsExp : OpRule {
    static __device__ float exp2(float x) { return expf(x); }
};
OP_KERNEL(planted_gdr_op_exp2_is_exp, Exp2IsExp)

// log2 for log
struct LogIsLog2 : OpRule {
    static __device__ float log(float x) { return log2f(x); }
};
OP_KERNEL(planted_gdr_op_log_is_log2, LogIsLog2)

// log for log2
struct Log2IsLog : OpRule {
    static __device__ float log2(float x) { return logf(x); }
};
OP_KERNEL(planted_gdr_op_log2_is_log, Log2IsLog)

// log and log2 without the 0.001
struct LogOfAbs : OpRule {
    static __device__ float log(float x) { return logf(x - 0.001f); }
};
OP_KERNEL(planted_gdr_op_log_without_offset, LogOfAbs)

// e^x above 0 too
struct SafeExpUnsafe : OpRule {
    static __device__ float safe_exp(float x) { return expf(x); }
};
OP_KERNEL(planted_gdr_op_safe_exp_unsafe, SafeExpUnsafe)

// 1 above 0, as min(x, 0) under the exponential gives it
struct SafeExpClamps : OpRule {
    static __device__ float safe_exp(float x) { return expf(fminf(x, 0.0f)); }
};
OP_KERNEL(planted_gdr_op_safe_exp_clamps, SafeExpClamps)

// no threshold: e^x overflows
struct SoftplusOverflows : OpRule {
    static __device__ float softplus(float x) { return logf(1.0f + expf(x)); }
};
OP_KERNEL(planted_gdr_op_softplus_overflows, SoftplusOverflows)

// e^x for e^-x: 1 - sigmoid
struct SigmoidNotNegated : OpRule {
    static __device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(x)); }
};
OP_KERNEL(planted_gdr_op_sigmoid_no_negation, SigmoidNotNegated)

// sigmoid for silu
struct SiluIsSigmoid : OpRule {
    static __device__ float silu(float x) { return sigmoid(x); }
};
OP_KERNEL(planted_gdr_op_silu_is_sigmoid, SiluIsSigmoid)

// x e^x / (1 + e^x): no number where e^x overflows
struct SiluOverflows : OpRule {
    static __device__ float silu(float x) { return x * expf(x) / (1.0f + expf(x)); }
};
OP_KERNEL(planted_gdr_op_silu_overflows, SiluOverflows)
