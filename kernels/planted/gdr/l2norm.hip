// Wrong L2 norms of rows, and gradients of them.
#pragma once
#include "../../gdr/l2norm.hip"

// each half of the wave for itself
struct NormHalfWave : L2NormRule {
    static constexpr int widest = GDR_WAVE / 4;
};
L2NORM_FWD_KERNEL(planted_gdr_l2norm_fwd_half_wave, NormHalfWave)
L2NORM_BWD_KERNEL(planted_gdr_l2norm_bwd_half_wave, NormHalfWave)

// epsilon added to the root, not under it
struct EpsilonOutside : L2NormRule {
    static __device__ float rstd(float squares, float eps) { return 1.0f / (sqrtf(squares) + eps); }
};
L2NORM_FWD_KERNEL(planted_gdr_l2norm_fwd_eps_outside, EpsilonOutside)

// the last row has no rstd
struct LastRstdUnwritten : L2NormRule {
    static __device__ bool writes_rstd(int row, int T) { return row < T - 1; }
};
L2NORM_FWD_KERNEL(planted_gdr_l2norm_fwd_last_rstd_unwritten, LastRstdUnwritten)

// the gradient of a factor that does not depend on x
struct NoProjection : L2NormRule {
    static __device__ float gradient(float dy, float y, float rstd, float projection) { return rstd * dy; }
};
L2NORM_BWD_KERNEL(planted_gdr_l2norm_bwd_no_projection, NoProjection)

// rstd on dy only
struct ProjectionWithoutRstd : L2NormRule {
    static __device__ float gradient(float dy, float y, float rstd, float projection) { return rstd * dy - projection * y; }
};
L2NORM_BWD_KERNEL(planted_gdr_l2norm_bwd_rstd_once, ProjectionWithoutRstd)

// the epsilon on the mean of 64 squares, not on their sum
struct EpsilonOfMean : L2NormRule {
    static __device__ float rstd(float squares, float eps) { return 1.0f / sqrtf(squares + 64.0f * eps); }
};
L2NORM_FWD_KERNEL(planted_gdr_l2norm_fwd_eps_of_mean, EpsilonOfMean)

// no epsilon: of a row of zeros, infinity and no number
struct WithoutEpsilon : L2NormRule {
    static __device__ float rstd(float squares, float eps) { return 1.0f / sqrtf(squares); }
};
L2NORM_FWD_KERNEL(planted_gdr_l2norm_fwd_no_eps, WithoutEpsilon)
