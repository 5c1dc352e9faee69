// Wrong chunk operators up to L.
#pragma once
#include "../../gdr/kkt.hip"

// the scan's last step left out: sums within each half of the wave
struct GdrHalfScan : GdrChunkRule {
    static constexpr int scan_end = 32;
};
// of the passes before, only the last one is carried on
struct GdrCarryLost : GdrChunkRule {
    static __device__ double carried(double before, double sum) { return sum; }
};
GDR_CUMSUM_KERNEL(planted_gdr_chunk_cumsum_carry_lost, GdrCarryLost)

GDR_CUMSUM_KERNEL(planted_gdr_chunk_cumsum_half_wave, GdrHalfScan)
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_half_wave, GdrHalfScan)

// sums from the chunk's end
struct GdrReversedScan : GdrChunkRule {
    static __device__ int gate_token(int i, int tokens) { return tokens - 1 - i; }
};
GDR_CUMSUM_KERNEL(planted_gdr_chunk_cumsum_reversed, GdrReversedScan)

// the sign of the gate flipped
struct GdrCumsumSign : GdrChunkRule {
    static __device__ double log_gate(float g) { return -g; }
};
GDR_CUMSUM_KERNEL(planted_gdr_chunk_cumsum_sign, GdrCumsumSign)
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_sign, GdrCumsumSign)

// beta of the column
struct GdrColumnBeta : GdrChunkRule {
    static __device__ float row_beta(const float* beta, int i, int j) { return beta[j]; }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_beta_of_column, GdrColumnBeta)
GDR_KKT_KERNEL(planted_gdr_kkt_beta_of_column, GdrColumnBeta)

// no beta
struct GdrNoBeta : GdrChunkRule {
    static __device__ float row_beta(const float* beta, int i, int j) { return 1.0f; }
};
GDR_KKT_KERNEL(planted_gdr_kkt_no_beta, GdrNoBeta)

// e^(G_j - G_i), in L and in the outputs; the guard against positive exponents makes zeros of it
struct GdrBetweenSign : GdrChunkRule {
    static __device__ float between(float between) { return -between; }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_gate_sign, GdrBetweenSign)
GDR_KKT_KERNEL(planted_gdr_kkt_gate_sign, GdrBetweenSign)

// the mask applied after the exponential: inf times 0 above the diagonal
struct GdrMaskedLater : GdrChunkRule {
    template <class Rule>
    static __device__ float l(float product, const float* beta, double G_i, double G_j, int i, int j) {
        return beta[i] * product * expf((float)(G_i - G_j)) * (j < i ? 1.0f : 0.0f);
    }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_masked_later, GdrMaskedLater)
GDR_KKT_KERNEL(planted_gdr_kkt_masked_later, GdrMaskedLater)

// positive exponents taken too
struct GdrUnsafeExp : GdrChunkRule {
    static __device__ float safe_exp(float x) { return expf(x); }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_unsafe_exp, GdrUnsafeExp)
GDR_KKT_KERNEL(planted_gdr_kkt_unsafe_exp, GdrUnsafeExp)

// base 2 where the sums are natural logarithms
struct GdrBaseTwo : GdrChunkRule {
    static __device__ float safe_exp(float x) { return x <= 0.0f ? exp2f(x) : 0.0f; }
};
GDR_KKT_KERNEL(planted_gdr_kkt_base_2, GdrBaseTwo)

// the diagonal in L
struct GdrWithDiagonal : GdrChunkRule {
    static __device__ bool below(int i, int j) { return j <= i; }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_with_diagonal, GdrWithDiagonal)
GDR_KKT_KERNEL(planted_gdr_kkt_with_diagonal, GdrWithDiagonal)

// zeros unwritten
struct GdrNoZeros : GdrChunkRule {
    static __device__ bool writes_l(int i, int j) { return j < i; }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_no_zeros, GdrNoZeros)
GDR_KKT_KERNEL(planted_gdr_kkt_no_zeros, GdrNoZeros)

// the other head map
struct GdrChunkOtherHeads : GdrChunkRule {
    static __device__ int head(int hv, int H, int HV) { return hv % H; }
};
GDR_CUMSUM_KKT_KERNEL(planted_gdr_cumsum_kkt_other_heads, GdrChunkOtherHeads)
GDR_KKT_KERNEL(planted_gdr_kkt_other_heads, GdrChunkOtherHeads)
