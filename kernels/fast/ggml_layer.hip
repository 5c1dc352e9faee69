// The layer between its projections (docs/the-rule.md) in one launch: convolution, gates, norms of q and k, the rule, the gated norm of the output. A
// work-group has a value head of a sequence, since that norm needs all columns of the head. A wave has sixteen columns of the state (columns.hip).
#pragma once
#include "columns.hip"
#include "uniform.hip"

#define GGML_LAYER_SIZE 128  // channels of a head
#define GGML_LAYER_ITEMS 512
#define GGML_LAYER_WIDTH 4  // tokens that the convolution sees
using GgmlLayerTile = Tile<GGML_LAYER_SIZE, 8, 2>;

struct GgmlLayerRule {
    static __device__ int head(int hv, int Hk, int H, int head_map) { return gdn_head(hv, Hk, H, head_map); }
    static __device__ int initial_layout() { return STATE_VALUE_MAJOR; }
    static __device__ int final_layout() { return STATE_VALUE_MAJOR; }
    // the activation after the convolution, and the one of the output's gate
    static __device__ float mixed(float x) { return silu(x); }
    static __device__ float gate(float z) { return silu(z); }
    static __device__ float silu(float x) { return x * lanes_reciprocal(1.0f + lanes_exp(-x)); }
    // the element of [history | token] that place p of the next history gets
    static __device__ int kept(int p) { return p + 1; }
    // the weight of the j-th oldest element
    static __device__ int weight(int j) { return j; }
    // `a` is -e^A_log
    static __device__ float decay(float a, float alpha, float dt) { return lanes_exp(a * softplus(alpha + dt)); }
    static __device__ float softplus(float x) { return x > 20.0f ? x : lanes_log(1.0f + lanes_exp(x)); }
    static __device__ float strength(float beta) { return lanes_reciprocal(1.0f + lanes_exp(-beta)); }
    // the reciprocals of the norms, from the sum of squares: of q and k, and of the output
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal(fmaxf(sqrtf(squares), eps)); }
    static __device__ float output_norm(float squares, float eps) { return lanes_reciprocal_root(squares * (1.0f / GGML_LAYER_SIZE) + eps); }
    static __device__ float scale() { return 0.08838834764831845f; }  // 1 / sqrt(GGML_LAYER_SIZE)
    static __device__ void meet() { __syncthreads(); }
    // the value head that writes the history of its key head's channels
    static __device__ bool writes_keys(int hv, int Hk, int H, int head_map) { return head_map == HEAD_BLOCK ? hv % (H / Hk) == 0 : hv < Hk; }
};

// A launch, innermost axis first: qkv [(2 Hk + H) 128,T,N]; z, out [128,H,T,N]; alpha, beta [H,T,N]; conv_states, new_conv_states
// [3,(2 Hk + H) 128,N]; weights [4,(2 Hk + H) 128]; dt, a [H]; norm_weights [128]; state, new_state [128,128,H,N] with keys innermost, may be the same.
struct GgmlLayerCall {
    const float *qkv, *z, *alpha, *beta, *conv_states, *state, *weights, *dt, *a, *norm_weights;
    float *out, *new_conv_states, *new_state;
    int Hk, H, T, N, head_map;
    float eps;
};

struct __align__(16) GgmlLayerLds {
    float mixed[3][GGML_LAYER_SIZE];  // q, k and v of the head after the convolution
    float o[GGML_LAYER_SIZE];
};

// What a work-item knows of a channel of the convolution.
struct GgmlLayerHistory {
    float x[GGML_LAYER_WIDTH - 1];
};

template <class Rule>
static __device__ __forceinline__ void ggml_layer_body(const GgmlLayerCall& x) {
    using T = GgmlLayerTile;
    __shared__ GgmlLayerLds lds;
    const int item = threadIdx.x, lane = item % WAVE, part = lane % T::LANES, hv = blockIdx.x, n = blockIdx.y;
    if (hv >= x.H || n >= x.N) return;
    const int h = Rule::head(hv, x.Hk, x.H, x.head_map), channels = (2 * x.Hk + x.H) * GGML_LAYER_SIZE;
    const int column = lanes_uniform(item / WAVE) * T::WIDTH + lane / T::LANES, own = item % GGML_LAYER_SIZE;
    // the channel that the work-item convolves; a fourth of them have one of v a second time, and leave it to the others
    const int vector = lanes_uniform(min(item / GGML_LAYER_SIZE, 2));
    const bool convolves = item < 3 * GGML_LAYER_SIZE;
    const int channel = (vector == 0 ? h : vector == 1 ? x.Hk + h : 2 * x.Hk + hv) * GGML_LAYER_SIZE + own;
    const float* tokens = x.qkv + (long)n * x.T * channels;
    const unsigned token_place = 4u * channel, state_place = (GGML_LAYER_WIDTH - 1) * token_place;
    GgmlLayerHistory history = element_at<GgmlLayerHistory>(x.conv_states + (long)n * channels * (GGML_LAYER_WIDTH - 1), state_place);
    const ElementFour<float> weights = element_at<ElementFour<float>>(x.weights, GGML_LAYER_WIDTH * token_place);
    float newest = element_at<float>(tokens, token_place);
    in_order();
    const long head = (long)n * x.H + hv;
    const float norm_weight = x.norm_weights[own];
    ColumnParts<T, true> state;
    state.load(x.state + head * GGML_LAYER_SIZE * GGML_LAYER_SIZE, column, part, GGML_LAYER_SIZE, GGML_LAYER_SIZE, Rule::initial_layout());
    for (int t = 0; t < x.T; t++) {
        const long row = (long)n * x.T * x.H + t * x.H + hv;
        const float z = x.z[row * GGML_LAYER_SIZE + own];
        const float alpha = Rule::decay(x.a[hv], x.alpha[row], x.dt[hv]), strength = Rule::strength(x.beta[row]);
        const float line[GGML_LAYER_WIDTH] = {history.x[0], history.x[1], history.x[2], newest};
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < GGML_LAYER_WIDTH; j++) sum += weights.x[Rule::weight(j)] * line[j];
#pragma unroll
        for (int p = 0; p < GGML_LAYER_WIDTH - 1; p++) history.x[p] = line[Rule::kept(p)];
        if (convolves) lds.mixed[vector][own] = Rule::mixed(sum);
        tokens += channels;
        if (t + 1 < x.T) newest = element_at<float>(tokens, token_place);
        Rule::meet();
        KeyPart<T, true> q, k;
        q.load(lds.mixed[0], GGML_LAYER_SIZE, 4u * T::channel(part, 0));
        k.load(lds.mixed[1], GGML_LAYER_SIZE, 4u * T::channel(part, 0));
        const float key = Rule::norm(k.dot(k.x), x.eps), query = Rule::norm(q.dot(q.x), x.eps) * Rule::scale();
#pragma unroll
        for (int c = 0; c < T::COLUMNS; c++) {
            const int there = column + c * T::APART;
            const float error = lds.mixed[2][there] - alpha * key * k.dot(state.s[c]);
            state.decay_and_write(c, alpha, k, strength * key * error);
            const float read = q.dot(state.s[c]);
            if (part == 0) lds.o[there] = query * read;
        }
        if (t + 1 == x.T) {
            state.store(x.new_state + head * GGML_LAYER_SIZE * GGML_LAYER_SIZE, 1.0f, column, part, GGML_LAYER_SIZE, GGML_LAYER_SIZE, Rule::final_layout());
        }
        Rule::meet();
        if (item < GGML_LAYER_SIZE) {
            float squares = 0.0f;
#pragma unroll
            for (int from = 0; from < GGML_LAYER_SIZE; from += WAVE) {
                const float o = lds.o[from + lane];
                squares += o * o;
            }
            const float norm = Rule::output_norm(lanes_read(lanes_sum_all(squares), WAVE - 1), x.eps);
            x.out[row * GGML_LAYER_SIZE + own] = lds.o[own] * norm * norm_weight * Rule::gate(z);
        }
    }
    if (convolves && (vector == 2 || Rule::writes_keys(hv, x.Hk, x.H, x.head_map))) {
        element_at<GgmlLayerHistory>(x.new_conv_states + (long)n * channels * (GGML_LAYER_WIDTH - 1), state_place) = history;
    }
}

#define GGML_LAYER_KERNEL(NAME, RULE)                                                                                                \
    extern "C" __global__ __launch_bounds__(GGML_LAYER_ITEMS) void NAME(                                                                  \
        const float* __restrict__ qkv, const float* __restrict__ z, const float* __restrict__ alpha, const float* __restrict__ beta, \
        const float* __restrict__ conv_states, const float* state, const float* __restrict__ weights,                                \
        const float* __restrict__ dt, const float* __restrict__ a, const float* __restrict__ norm_weights,                           \
        float* __restrict__ out, float* __restrict__ new_conv_states, float* new_state, int Hk, int H, int T, int N, int head_map,   \
        float eps) {                                                                                                                 \
        ggml_layer_body<RULE>({qkv, z, alpha, beta, conv_states, state, weights, dt, a, norm_weights, out, new_conv_states, new_state,    \
                          Hk, H, T, N, head_map, eps});                                                                              \
    }
