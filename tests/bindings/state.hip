// A token of the gated delta rule for each launch. The state of a head stays in memory: [value head][sequence][value channel][key channel].
// A work-item has a value channel.
#include <hip/hip_runtime.h>

typedef unsigned short bf16;

static __device__ float load(float x) { return x; }
static __device__ float load(bf16 x) { return __uint_as_float((unsigned)x << 16); }
static __device__ void store(float* to, float x) { *to = x; }
static __device__ void store(bf16* to, float x) {
    const unsigned bits = __float_as_uint(x);
    *to = (bf16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

struct Sizes {
    int B, T, H, HV, K, V;
};

template <class State>
static __device__ void token(Sizes n, int t, const float* q, const float* k, const float* v, const float* decay, const float* beta, State* state,
                             float* o) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y, sequence = blockIdx.z;
    if (column >= n.V) return;
    const size_t at = (size_t)sequence * n.T + t, key = (at * n.H + head / (n.HV / n.H)) * n.K, cell = at * n.HV + head;
    State* s = state + (((size_t)head * n.B + sequence) * n.V + column) * n.K;
    float expected = 0.0f, out = 0.0f;
    for (int i = 0; i < n.K; i++) expected += decay[cell] * load(s[i]) * k[key + i];
    const float change = beta[cell] * (v[cell * n.V + column] - expected);
    for (int i = 0; i < n.K; i++) {
        const float next = decay[cell] * load(s[i]) + k[key + i] * change;
        store(s + i, next);
        out += next * q[key + i];
    }
    o[cell * n.V + column] = out / sqrtf((float)n.K);
}

extern "C" __global__ void token_f32(Sizes n, int t, const float* q, const float* k, const float* v, const float* decay, const float* beta,
                                     float* state, float* o) {
    token<float>(n, t, q, k, v, decay, beta, state, o);
}

extern "C" __global__ void token_bf16(Sizes n, int t, const float* q, const float* k, const float* v, const float* decay, const float* beta,
                                      bf16* state, float* o) {
    token<bf16>(n, t, q, k, v, decay, beta, state, o);
}

// The state before the first token, or zeros.
extern "C" __global__ void begin(float* state, const float* initial, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) state[i] = initial ? initial[i] : 0.0f;
}
