// ggml's SSM_CONV, one work-item a channel and token. A Rule names the points where the wrong variants in planted/ differ.
#pragma once
#include <hip/hip_runtime.h>

// x / (1 + e^-x)
static __device__ inline float ggml_silu(float x) { return x / (1.0f + expf(-x)); }

struct GgmlConvRule {
    static __device__ float activation(float sum) { return ggml_silu(sum); }
    // the weight that the j-th oldest element of a window has
    static __device__ int weight(int j, int W) { return j; }
    // the element of [state | tokens] that place p of the new state gets; the state has W - 1 places, the line T more
    static __device__ int kept(int p, int T, int W) { return T + p; }
    // whether an element of [state | tokens] is there at all
    static __device__ bool there(int element, int W) { return true; }
};

// A launch, innermost axis first: joined [W-1+T,D,N], or null and its parts: states [W-1,D,N], tokens [D,T,N]; weights [W,D];
// y [D,T,N]; left, the new states, [W-1,D,N] or null.
struct GgmlConv {
    const float *joined, *states, *tokens, *weights;
    float *y, *left;
    int D, W, T, N, activated;
};

// The element of [state | tokens] of a channel.
static __device__ inline float ggml_conv_element(const GgmlConv& x, int n, int c, int element) {
    const long line = (long)n * x.D + c;
    if (x.joined) return x.joined[line * (x.W - 1 + x.T) + element];
    const int token = element - (x.W - 1);
    return token < 0 ? x.states[line * (x.W - 1) + element] : x.tokens[((long)n * x.T + token) * x.D + c];
}

// y[t] = sum_j w[j] x[t + j]
template <class Rule>
static __device__ __forceinline__ void ggml_conv_body(const GgmlConv& x) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y, n = blockIdx.z;
    if (c >= x.D || t >= x.T || n >= x.N) return;
    float sum = 0.0f;
    for (int j = 0; j < x.W; j++) {
        sum += x.weights[c * x.W + Rule::weight(j, x.W)] * ggml_conv_element(x, n, c, t + j);
    }
    x.y[((long)n * x.T + t) * x.D + c] = x.activated ? Rule::activation(sum) : sum;
    if (t > 0 || !x.left) return;
    for (int p = 0; p < x.W - 1; p++) {
        const int element = Rule::kept(p, x.T, x.W);
        x.left[((long)n * x.D + c) * (x.W - 1) + p] = Rule::there(element, x.W) ? ggml_conv_element(x, n, c, element) : 0.0f;
    }
}

#define GGML_CONV_KERNEL(NAME, RULE)                                                                                  \
    extern "C" __global__ __launch_bounds__(256) void NAME(                                                           \
        const float* joined, const float* states, const float* tokens, const float* weights, float* y, float* left,  \
        int D, int W, int T, int N, int activated) {                                                                  \
        ggml_conv_body<RULE>({joined, states, tokens, weights, y, left, D, W, T, N, activated});                      \
    }
