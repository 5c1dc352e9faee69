// The convolution: one work-item a channel of a sequence. A Rule names the points where the wrong variants in planted/ differ.
#pragma once
#include "common.hip"

struct PackedConvRule {
    static constexpr bool reversed = false;  // the weights
    static __device__ float bias(float bias) { return bias; }
    static __device__ float activated(float y, int silu) { return silu ? y / (1.0f + expf(-y)) : y; }
    static __device__ int read(const int* read, int n) { return read[n]; }
    static __device__ int written(const int* written, const int* read, int n) { return written[n]; }
    static __device__ bool initial(const int* has_initial, int n) { return has_initial[n] != 0; }
    // the first tokens look back into the sequence before
    static constexpr bool across = false;
    // an element that a short sequence leaves of the history before: `moved` towards the oldest place, or as it stood there
    static __device__ float left(float moved, float stood) { return moved; }
    static __device__ bool keeps(int channel) { return true; }
};

// y [tokens,D] = act(bias + sum_j w[j] s[t+j]), where s is the history of W - 1 elements and then x [tokens,D]. w [D,W]; bias [D] or
// null; cache [lines,D,W-1]; read, written, has_initial [N]. Sequence n has its history in line read[n], or zeros before it where
// has_initial[n] is 0, and leaves it in line written[n], if that is not negative. Nothing is done where read[n] is negative.
struct PackedConv {
    const float *x, *w, *bias;
    float *cache, *y;
    const int *cu, *read, *written, *has_initial;
    int N, T, D, W, silu;
};

template <class Rule>
static __device__ __forceinline__ void packed_conv_body(const PackedConv& c) {
    const int channel = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    if (channel >= c.D || n >= c.N) return;
    const int read = Rule::read(c.read, n), written = Rule::written(c.written, c.read, n);
    if (read < 0) return;
    const PackedTokens tokens = packed_tokens(c.cu, n, c.T);
    const int past = c.W - 1;
    const float* history = c.cache + ((long)read * c.D + channel) * past;
    const bool initial = Rule::initial(c.has_initial, n);
    ConvWeights weights;
    weights.load(c.w + (long)channel * c.W, c.W, Rule::reversed);
    const float bias = c.bias ? Rule::bias(c.bias[channel]) : 0.0f;
    ConvWindow window;
    window.zero();
    for (int j = 0; j < past; j++) {
        const int before = tokens.first - past + j;
        if (Rule::across) window.push(before < 0 ? 0.0f : c.x[(long)before * c.D + channel]);
        else window.push(initial ? history[j] : 0.0f);
    }
    const ConvWindow old = window;
    for (int t = 0; t < tokens.count; t++) {
        const long at = (long)(tokens.first + t) * c.D + channel;
        window.push(c.x[at]);
        c.y[at] = Rule::activated(window.sum(weights, bias), c.silu);
    }
    if (written < 0 || !Rule::keeps(channel)) return;
    float* after = c.cache + ((long)written * c.D + channel) * past;
#pragma unroll
    for (int j = 0; j < PACKED_CONV_MAX; j++) {
        const int own = j - (PACKED_CONV_MAX - past);
        if (own < 0) continue;
        const float kept = own + tokens.count < past ? Rule::left(window.s[j], old.s[j]) : window.s[j];
        after[own] = kept;
    }
}

#define PACKED_CONV_KERNEL(NAME, RULE)                                                                                       \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                                  \
        const float* x, const float* w, const float* bias, float* cache, const int* cu_seqlens, const int* read,             \
        const int* written, const int* has_initial, float* y, int N, int T, int D, int W, int silu) {                        \
        packed_conv_body<RULE>({x, w, bias, cache, y, cu_seqlens, read, written, has_initial, N, T, D, W, silu});            \
    }
