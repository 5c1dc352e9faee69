// l2norm, forwards and backwards: one wave a row, four rows a work-group.
#pragma once
#include "common.hip"

struct L2NormRule {
    static constexpr int widest = GDR_WAVE / 2;
    static __device__ float rstd(float squares, float eps) { return 1.0f / sqrtf(squares + eps); }
    static __device__ bool writes_rstd(int row, int T) { return true; }
    // dx from the projection of dy on y
    static __device__ float gradient(float dy, float y, float rstd, float projection) { return rstd * dy - projection * y * rstd; }
};

static __device__ inline int gdr_wave_row() { return blockIdx.x * (blockDim.x / GDR_WAVE) + threadIdx.x / GDR_WAVE; }

// y = x rstd, rstd = 1 / sqrt(sum x^2 + eps)
template <class Rule>
static __device__ __forceinline__ void l2norm_fwd_body(const float* x, float* y, float* rstd, int T, int D, float eps) {
    const int row = gdr_wave_row(), lane = threadIdx.x % GDR_WAVE;
    if (row >= T) return;
    const float* from = x + (long)row * D;
    float squares = 0.0f;
    for (int d = lane; d < D; d += GDR_WAVE) squares += from[d] * from[d];
    squares = gdr_wave_sum<Rule::widest>(squares);
    const float factor = Rule::rstd(squares, eps);
    for (int d = lane; d < D; d += GDR_WAVE) y[(long)row * D + d] = from[d] * factor;
    if (lane == 0 && Rule::writes_rstd(row, T)) rstd[row] = factor;
}
#define L2NORM_FWD_KERNEL(NAME, RULE)                                                                                  \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const float* x, float* y, float* rstd, int T, int D,  \
                                                                 float eps) {                                          \
        l2norm_fwd_body<RULE>(x, y, rstd, T, D, eps);                                                                  \
    }

// dx = rstd dy - (sum dy y) y rstd
template <class Rule>
static __device__ __forceinline__ void l2norm_bwd_body(const float* y, const float* rstd, const float* dy, float* dx, int T,
                                                       int D) {
    const int row = gdr_wave_row(), lane = threadIdx.x % GDR_WAVE;
    if (row >= T) return;
    const long first = (long)row * D;
    float projection = 0.0f;
    for (int d = lane; d < D; d += GDR_WAVE) projection += dy[first + d] * y[first + d];
    projection = gdr_wave_sum<Rule::widest>(projection);
    const float factor = rstd[row];
    for (int d = lane; d < D; d += GDR_WAVE) {
        dx[first + d] = Rule::gradient(dy[first + d], y[first + d], factor, projection);
    }
}
#define L2NORM_BWD_KERNEL(NAME, RULE)                                                                                \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const float* y, const float* rstd, const float* dy, \
                                                                 float* dx, int T, int D) {                          \
        l2norm_bwd_body<RULE>(y, rstd, dy, dx, T, D);                                                                \
    }
