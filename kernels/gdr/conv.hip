// The causal convolution of each feature over its tokens, split into q, k and v: a step of decoding with the state of
// running sequences, and the prefill of whole sequences.
#pragma once
#include "common.hip"

#define CONV_MAX_WIDTH 4

struct ConvRule {
    static __device__ float bias(float bias) { return bias; }
    static __device__ float activated(float y, int silu) { return silu ? y / (1.0f + expf(-y)) : y; }
    // the weight on the element that is `back` tokens before the newest
    static __device__ int weight(int back, int W) { return W - 1 - back; }
    static __device__ int line(const int* indices, int row) { return indices[row]; }
    static __device__ bool pads(int line) { return line < 0; }
    // what the state keeps of the window, oldest first; window[0] is the oldest, W of them
    static __device__ float kept(const float* window, int j) { return window[j + 1]; }
    static __device__ bool keeps(int feature) { return true; }
    static __device__ Bf16 rounded(float y) { return gdr_bf16(y); }
    // the first token that a token may look back to
    static __device__ int begin(const int* starts, int sequence) { return starts[sequence]; }
    static __device__ int value_begin(int kd) { return 2 * kd; }
};

// Which of q, k and v a feature goes to, and as which of its features.
template <class Rule, class Element>
struct ConvSplit {
    Element* to;
    int width, feature;

    __device__ ConvSplit(Element* q, Element* k, Element* v, int feature, int kd, int vd) {
        const int part = feature < kd ? 0 : (feature < 2 * kd ? 1 : 2);
        to = part == 0 ? q : (part == 1 ? k : v);
        width = part == 2 ? vd : kd;
        this->feature = feature - (part == 0 ? 0 : (part == 1 ? kd : Rule::value_begin(kd)));
    }
};

// Decoding. x [batch,dim,seqlen], dim = 2 kd + vd; w [dim,W]; bias [dim] or null; conv_state [lines,dim,W-1], the newest
// element last; indices [batch] the line of each row of the batch, negative for padding: nothing read, nothing written.
// q, k [batch,kd,seqlen], v [batch,vd,seqlen]. A work-item a feature: its window stays in registers.
struct ConvUpdate {
    const Bf16 *x, *w, *bias;
    Bf16* conv_state;
    const int* indices;
    Bf16 *q, *k, *v;
    int batch, kd, vd, W, seqlen, silu;
};

template <class Rule, int W>
static __device__ __forceinline__ void conv_update_feature(const ConvUpdate& c, int row, int feature, int line) {
    const int dim = 2 * c.kd + c.vd;
    float window[W], weights[W];
#pragma unroll
    for (int j = 0; j < W; j++) weights[j] = gdr_float(c.w[feature * W + Rule::weight(W - 1 - j, W)]);
    const float bias = c.bias ? Rule::bias(gdr_float(c.bias[feature])) : 0.0f;
    Bf16* state = c.conv_state + ((long)line * dim + feature) * (W - 1);
#pragma unroll
    for (int j = 1; j < W; j++) window[j] = gdr_float(state[j - 1]);
    window[0] = 0.0f;
    const Bf16* x = c.x + ((long)row * dim + feature) * c.seqlen;
    const ConvSplit<Rule, Bf16> split(c.q, c.k, c.v, feature, c.kd, c.vd);
    Bf16* y = split.to + ((long)row * split.width + split.feature) * c.seqlen;
    for (int t = 0; t < c.seqlen; t++) {
#pragma unroll
        for (int j = 1; j < W; j++) window[j - 1] = window[j];
        window[W - 1] = gdr_float(x[t]);
        float sum = bias;
#pragma unroll
        for (int j = 0; j < W; j++) sum += weights[j] * window[j];
        y[t] = Rule::rounded(Rule::activated(sum, c.silu));
    }
    if (!Rule::keeps(feature)) return;
    // numbers of bf16 came in, so they go out as they were
#pragma unroll
    for (int j = 0; j < W - 1; j++) state[j] = gdr_bf16(Rule::kept(window, j));
}

template <class Rule>
static __device__ __forceinline__ void conv_update_body(const ConvUpdate& c) {
    const int row = blockIdx.y, feature = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= c.batch || feature >= 2 * c.kd + c.vd) return;
    const int line = Rule::line(c.indices, row);
    if (Rule::pads(line)) return;
    if (c.W == 2) conv_update_feature<Rule, 2>(c, row, feature, line);
    else if (c.W == 3) conv_update_feature<Rule, 3>(c, row, feature, line);
    else if (c.W == 4) conv_update_feature<Rule, 4>(c, row, feature, line);
}
#define CONV_UPDATE_KERNEL(NAME, RULE)                                                                                    \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(                                                         \
        const Bf16* x, const Bf16* w, const Bf16* bias, Bf16* conv_state, const int* indices, Bf16* q, Bf16* k, Bf16* v,  \
        int batch, int kd, int vd, int W, int seqlen, int silu) {                                                         \
        conv_update_body<RULE>({x, w, bias, conv_state, indices, q, k, v, batch, kd, vd, W, seqlen, silu});               \
    }

// Prefill. x [dim,tokens]; w [dim,W]; bias [dim] or null; starts [N+1] the first token of each sequence and the number of
// tokens; q, k [tokens,kd], v [tokens,vd], token-major. A tile of 32 features by 32 tokens goes through LDS, so that x
// is read and y is written along its rows.
struct ConvPrefill {
    const float *x, *w, *bias;
    const int* starts;
    float *q, *k, *v;
    int kd, vd, tokens, N, W, silu;
};

#define CONV_TILE 32

// The last sequence that begins at or before the token: with empty ones at the same place, the one that has it.
static __device__ inline int conv_sequence(const int* starts, int N, int token) {
    int low = 0, high = N;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (starts[middle] > token) high = middle;
        else low = middle;
    }
    return low;
}

template <class Rule>
static __device__ __forceinline__ void conv_prefill_body(const ConvPrefill& c) {
    __shared__ float tile[CONV_TILE][CONV_TILE + CONV_MAX_WIDTH];  // a feature's tokens, the history before the tile first
    const int dim = 2 * c.kd + c.vd, history = c.W - 1;
    const int first_token = blockIdx.x * CONV_TILE, first_feature = blockIdx.y * CONV_TILE;
    if (first_token >= c.tokens || first_feature >= dim || c.W < 1 || c.W > CONV_MAX_WIDTH) return;
    const int span = CONV_TILE + history;
    for (int e = threadIdx.x; e < CONV_TILE * span; e += blockDim.x) {
        const int row = e / span, column = e % span;
        const int feature = first_feature + row, token = first_token + column - history;
        const bool there = feature < dim && token >= 0 && token < c.tokens;
        tile[row][column] = there ? c.x[(long)feature * c.tokens + token] : 0.0f;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < CONV_TILE * CONV_TILE; e += blockDim.x) {
        const int feature = first_feature + e % CONV_TILE, token = first_token + e / CONV_TILE;
        if (feature >= dim || token >= c.tokens) continue;
        const int begin = Rule::begin(c.starts, conv_sequence(c.starts, c.N, token));
        float sum = c.bias ? Rule::bias(c.bias[feature]) : 0.0f;
        for (int j = 0; j < c.W; j++) {
            const int back = history - j;
            if (token - back >= begin) sum += c.w[feature * c.W + Rule::weight(back, c.W)] * tile[e % CONV_TILE][e / CONV_TILE + j];
        }
        const ConvSplit<Rule, float> split(c.q, c.k, c.v, feature, c.kd, c.vd);
        split.to[(long)token * split.width + split.feature] = Rule::activated(sum, c.silu);
    }
}
#define CONV_PREFILL_KERNEL(NAME, RULE)                                                                                \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(                                                      \
        const float* x, const float* w, const float* bias, const int* starts, float* q, float* k, float* v, int kd,    \
        int vd, int tokens, int N, int W, int silu) {                                                                  \
        conv_prefill_body<RULE>({x, w, bias, starts, q, k, v, kd, vd, tokens, N, W, silu});                            \
    }
