// The gradients of the convolution: one work-item a channel of a sequence, and then the sums over the sequences. A Rule names the
// points where the wrong variants in planted/ differ.
#pragma once
#include "common.hip"

struct ConvGradientRule {
    static constexpr bool reversed = false;  // the weights, in the gradient by the elements
    static __device__ float bias(float bias) { return bias; }
    // the derivative of x s(x), with the sigmoid s
    static __device__ float slope(float s, float x) { return s * (1.0f + x * (1.0f - s)); }
    static __device__ float by_bias(float by_sum, float dy) { return by_sum; }
    static __device__ float initial(float element) { return element; }
    static __device__ float last(float dfinal) { return dfinal; }
    // the gradient by an element of the final history that is one of the history before, of a short sequence
    static __device__ float passed_on(float dfinal) { return dfinal; }
    static __device__ bool writes(int channel) { return true; }
};

// x, dy, dx [tokens,D]; w [D,W]; bias [D] or null; initial, dfinal, dinitial [N,D,W-1]. Scratch: dw_parts [N,D,W], dbias_parts [N,D]
// are those of each sequence.
struct ConvGradient {
    const float *x, *w, *bias, *initial, *dy, *dfinal;
    float *dx, *dinitial, *dw_parts, *dbias_parts;
    const int* cu;
    int N, T, D, W, silu;
};

template <class Rule>
static __device__ __forceinline__ void conv_gradient_body(const ConvGradient& c) {
    const int channel = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    if (channel >= c.D || n >= c.N) return;
    const PackedTokens tokens = packed_tokens(c.cu, n, c.T);
    const int past = c.W - 1;
    const long row = (long)n * c.D + channel;
    ConvWeights weights, backwards;
    weights.load(c.w + (long)channel * c.W, c.W, false);
    backwards.load(c.w + (long)channel * c.W, c.W, Rule::reversed);
    const float bias = c.bias ? Rule::bias(c.bias[channel]) : 0.0f;

    // element i of the history and the tokens behind it
    auto element = [&](int i) {
        if (i < past) return c.initial ? Rule::initial(c.initial[row * past + i]) : 0.0f;
        return c.x[(long)(tokens.first + i - past) * c.D + channel];
    };
    // Gradients by the elements of a token's window, which moves towards the first token. Behind the last token it has those of the
    // final history.
    float ds[PACKED_CONV_MAX], dw[PACKED_CONV_MAX], by_bias = 0.0f;
#pragma unroll
    for (int j = 0; j < PACKED_CONV_MAX; j++) {
        const int own = j - (PACKED_CONV_MAX - past);
        float last = own < 0 ? 0.0f : Rule::last(c.dfinal[row * past + own]);
        if (own + tokens.count < past) last = Rule::passed_on(last);
        ds[j] = last;
        dw[j] = 0.0f;
    }
    for (int t = tokens.count - 1; t >= 0; t--) {
        ConvWindow window;
        window.zero();
        for (int j = 0; j < c.W; j++) window.push(element(t + j));
        const long at = (long)(tokens.first + t) * c.D + channel;
        const float sum = window.sum(weights, bias), dy = c.dy[at];
        const float by_sum = c.silu ? dy * Rule::slope(1.0f / (1.0f + expf(-sum)), sum) : dy;
        by_bias += Rule::by_bias(by_sum, dy);
#pragma unroll
        for (int j = 0; j < PACKED_CONV_MAX; j++) {
            ds[j] += backwards.w[j] * by_sum;
            dw[j] += by_sum * window.s[j];
        }
        // no token before this one has the window's newest element
        if (Rule::writes(channel)) c.dx[at] = ds[PACKED_CONV_MAX - 1];
#pragma unroll
        for (int j = PACKED_CONV_MAX - 1; j > 0; j--) ds[j] = ds[j - 1];
        ds[0] = 0.0f;
    }
#pragma unroll
    for (int j = 0; j < PACKED_CONV_MAX; j++) {
        const int own = j - (PACKED_CONV_MAX - past), weight = j - (PACKED_CONV_MAX - c.W);
        if (own >= 0) c.dinitial[row * past + own] = ds[j];
        if (weight >= 0) c.dw_parts[row * c.W + weight] = dw[j];
    }
    c.dbias_parts[row] = by_bias;
}

#define CONV_GRADIENT_KERNEL(NAME, RULE)                                                                                     \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                  \
        const float* x, const float* w, const float* bias, const float* initial, const float* dy, const float* dfinal,       \
        float* dx, float* dinitial, float* dw_parts, float* dbias_parts, const int* cu_seqlens, int N, int T, int D, int W,  \
        int silu) {                                                                                                          \
        conv_gradient_body<RULE>(                                                                                            \
            {x, w, bias, initial, dy, dfinal, dx, dinitial, dw_parts, dbias_parts, cu_seqlens, N, T, D, W, silu});           \
    }

struct ConvSumRule {
    static __device__ int first(int N) { return 0; }
};

// dw [D,W], dbias [D]: the sums over the sequences. One work-item an element of dw.
template <class Rule>
static __device__ __forceinline__ void conv_sum_body(const float* dw_parts, const float* dbias_parts, float* dw, float* dbias,
                                                     int N, int D, int W) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= D * W) return;
    float by_weight = 0.0f, by_bias = 0.0f;
    for (int n = Rule::first(N); n < N; n++) {
        by_weight += dw_parts[(long)n * D * W + at];
        by_bias += dbias_parts[(long)n * D + at / W];
    }
    dw[at] = by_weight;
    if (at % W == 0) dbias[at / W] = by_bias;
}

#define CONV_SUM_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* dw_parts, const float* dbias_parts, float* dw,       \
                                                           float* dbias, int N, int D, int W) {                              \
        conv_sum_body<RULE>(dw_parts, dbias_parts, dw, dbias, N, D, W);                                                      \
    }
