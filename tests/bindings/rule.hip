// The gated delta rule as strangers write it: strides, divisions by multiplication, template instances and one buffer for all results; value-major
// states of bf16, token by token; a pipeline of three launches with scratch of its own.
#include <hip/hip_runtime.h>

typedef unsigned short bf16;

__device__ float widened(bf16 x) { return __uint_as_float((unsigned)x << 16); }

// To the nearest, ties to even.
__device__ bf16 narrowed(float x) {
    const unsigned bits = __float_as_uint(x);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

struct fast_division {
    unsigned multiplier, shift, divisor;
};

__device__ unsigned divided(unsigned n, fast_division d) { return (__umulhi(n, d.multiplier) + n) >> d.shift; }

struct strides {
    long long token, head;
};

// A group for each value head and sequence, a work-item for each value channel. The state after the last token stands behind the outputs.
template <int K, bool Tiled, int Mistake>
__global__ void fused_rule(const float *q, const float *k, const float *v, const float *g, const float *beta, const float *initial, float *results,
                           long long state_offset, strides keys, strides values, int tokens, int heads, int value_heads, int value_size,
                           fast_division group, float scale) {
    const int hv = blockIdx.x, b = blockIdx.y, column = threadIdx.x;
    if (column >= value_size) return;
    const int h = Tiled ? hv % heads : (int)divided(hv, group);
    float state[K];
    float *left = results + state_offset + ((long long)b * value_heads + hv) * K * value_size;
    for (int i = 0; i < K; i++)
        state[i] = initial ? initial[(((long long)b * value_heads + hv) * K + i) * value_size + column] : 0.0f;
    for (int t = 0; t < tokens; t++) {
        const long long token = (long long)b * tokens + t;
        const float *key = k + token * keys.token + h * keys.head, *query = q + token * keys.token + h * keys.head;
        const float decay = expf(g[token * value_heads + hv]);
        float predicted = 0.0f, output = 0.0f;
        for (int i = 0; i < K; i++) {
            state[i] *= decay;
            predicted += state[i] * key[i];
        }
        const float strength = beta[token * value_heads + hv];
        const float error = (v[token * values.token + hv * values.head + column] - predicted) * (Mistake == 1 ? 1.0f : strength);
        for (int i = 0; i < K; i++) {
            state[i] += key[i] * error;
            output += state[i] * query[i];
        }
        results[token * value_heads * value_size + (long long)hv * value_size + column] = output * scale;
    }
    for (int i = 0; i < K; i++) left[(long long)i * value_size + column] = state[i];
}

template __global__ void fused_rule<64, false, 0>(const float *, const float *, const float *, const float *, const float *, const float *, float *,
                                                  long long, strides, strides, int, int, int, int, fast_division, float);
template __global__ void fused_rule<64, true, 0>(const float *, const float *, const float *, const float *, const float *, const float *, float *,
                                                 long long, strides, strides, int, int, int, int, fast_division, float);
template __global__ void fused_rule<64, false, 1>(const float *, const float *, const float *, const float *, const float *, const float *, float *,
                                                  long long, strides, strides, int, int, int, int, fast_division, float);

// Token by token: q, k, v and o of bf16, heads outermost, states value-major.
extern "C" __global__ void decode_bf16(const bf16 *q, const bf16 *k, const bf16 *v, const float *g2, const float *beta,
                                       float *state, bf16 *o, unsigned heads, unsigned value_heads, unsigned tokens, unsigned token,
                                       unsigned keys, unsigned values, int fresh) {
    const unsigned hv = blockIdx.x, row = threadIdx.x, h = hv / (value_heads / heads);
    if (row >= values) return;
    float *mine = state + ((size_t)hv * values + row) * keys;
    const bf16 *key = k + ((size_t)h * tokens + token) * keys, *query = q + ((size_t)h * tokens + token) * keys;
    const float decay = exp2f(g2[(size_t)token * value_heads + hv]);
    float predicted = 0.0f, output = 0.0f;
    for (unsigned i = 0; i < keys; i++) {
        const float before = fresh && token == 0 ? 0.0f : mine[i] * decay;
        mine[i] = before;
        predicted += before * widened(key[i]);
    }
    const float error = (widened(v[((size_t)hv * tokens + token) * values + row]) - predicted) * beta[(size_t)token * value_heads + hv];
    for (unsigned i = 0; i < keys; i++) {
        mine[i] += widened(key[i]) * error;
        output += mine[i] * widened(query[i]);
    }
    o[((size_t)hv * tokens + token) * values + row] = narrowed(output * rsqrtf((float)keys));
}

// Three launches: attention scores, their decay, the strictly lower part of them with its sign.
extern "C" __global__ void scores(const float *k, const float *k_beta, float *out, int s, int c) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= c * c) return;
    float sum = 0.0f;
    for (int i = 0; i < s; i++) sum += k[i * c + at / c] * k_beta[i * c + at % c];
    out[at] = sum;
}

extern "C" __global__ void decayed(const float *scores, const float *decay, float *out, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) out[at] = scores[at] * decay[at];
}

extern "C" __global__ void negative_lower(const float *in, float *out, int c) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < c * c) out[at] = at % c < at / c ? -in[at] : -0.0f;
}

// Forgets the sign.
extern "C" __global__ void lower(const float *in, float *out, int c) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < c * c) out[at] = at % c < at / c ? in[at] : 0.0f;
}
