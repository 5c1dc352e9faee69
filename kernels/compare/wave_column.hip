// The geometry of llama.cpp's gated delta net on AMD cards: a wave has one value column of a head's state, each of its lanes a few of 128
// key channels, so that both sums of a token go through all lanes. A work-group is four such waves.
#pragma once
#include "../fast/lanes.hip"
#include "../gdn/common.hip"

#define WAVE_COLUMN_KEYS 128  // key channels: no more, no fewer
#define WAVE_COLUMN_WAVES 4   // waves of a work-group

struct WaveColumnRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ float scale(float scale) { return scale; }
    // lanes whose parts a sum has
    static constexpr int SUMMED = WAVE;
};

// The sum over lanes, by exchanges over ever smaller distances.
template <class Rule>
static __device__ __forceinline__ float wave_column_sum(float x) {
#pragma unroll
    for (int distance = Rule::SUMMED / 2; distance > 0; distance /= 2) x += __shfl_xor(x, distance, WAVE);
    return x;
}

// A launch: as of gdn_recurrent_f32.
struct WaveColumnCall {
    const float *q, *k, *v, *g, *beta, *initial;
    float *o, *final;
    int B, T, H, HV, V;
    float scale;
    int head_map, state_layout, gate_kind;
};

template <class Rule>
static __device__ __forceinline__ void wave_column_body(const WaveColumnCall& x) {
    constexpr int K = WAVE_COLUMN_KEYS, ROWS = K / WAVE;
    const int lane = threadIdx.x, hv = blockIdx.x, b = blockIdx.y;
    const int column = blockIdx.z * WAVE_COLUMN_WAVES + threadIdx.y;
    if (hv >= x.HV || b >= x.B || column >= x.V) return;
    const int h = Rule::head(hv, x.H, x.HV, x.head_map);
    const long place = ((long)b * x.HV + hv) * K * x.V;

    float s[ROWS];
    const ColumnPlace from = gdn_column(column, K, x.V, Rule::initial_layout(x.state_layout));
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        s[r] = x.initial ? gdn_at(x.initial + place, from.first + (lane + r * WAVE) * from.step) : 0.0f;
    }
    for (int token = 0; token < x.T; token++) {
        const long row = (long)b * x.T + token, value = row * x.HV + hv;
        const float *keys = x.k + (row * x.H + h) * K, *queries = x.q + (row * x.H + h) * K;
        const float alpha = gdn_decay(x.g[value], x.gate_kind);
        float k[ROWS], read = 0.0f, out = 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            k[r] = keys[lane + r * WAVE];
            read += s[r] * k[r];
        }
        // the sum is that over the state before its decay
        const float error = (x.v[value * x.V + column] - alpha * wave_column_sum<Rule>(read)) * x.beta[value];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            s[r] = alpha * s[r] + k[r] * error;
            out += s[r] * queries[lane + r * WAVE];
        }
        out = wave_column_sum<Rule>(out);
        if (lane == 0) x.o[value * x.V + column] = Rule::scale(x.scale) * out;
    }
    if (!x.final) return;
    const ColumnPlace to = gdn_column(column, K, x.V, Rule::final_layout(x.state_layout));
#pragma unroll
    for (int r = 0; r < ROWS; r++) gdn_at(x.final + place, to.first + (lane + r * WAVE) * to.step) = s[r];
}

#define WAVE_COLUMN_KERNEL(NAME, RULE)                                                                               \
    extern "C" __global__ __launch_bounds__(WAVE * WAVE_COLUMN_WAVES) void NAME(                                     \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* initial,     \
        float* o, float* final, int B, int T, int H, int HV, int V, float scale, int head_map, int state_layout,     \
        int gate_kind) {                                                                                             \
        wave_column_body<RULE>(                                                                                      \
            {q, k, v, g, beta, initial, o, final, B, T, H, HV, V, scale, head_map, state_layout, gate_kind});        \
    }
