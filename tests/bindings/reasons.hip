// A convolution of packed sequences, a norm of a sum in place, and the greatest of a row, with mistakes of the kinds that a layer's kernel may have.
#include <hip/hip_runtime.h>

static __device__ float bf16_to_float(unsigned short value) { return __uint_as_float((unsigned)value << 16); }

static __device__ unsigned short to_bf16(float value) {
    const unsigned bits = __float_as_uint(value);
    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

enum Taps { TAPS_RIGHT, REVERSED, SIGMOID, NO_SILU, GELU, BIAS_LAST, ROUNDED };

template <Taps mistake>
static __device__ void taps(const unsigned short *x, const float *w, const float *bias, const int *bounds, unsigned short *y, int N, int D) {
    const int d = blockIdx.x * 64 + threadIdx.x, t = blockIdx.y;
    if (d >= D) return;
    int begin = 0;
    for (int n = 0; n < N; n++)
        if (bounds[n] <= t) begin = bounds[n];
    float sum = mistake == BIAS_LAST ? 0 : bias[d];
    for (int k = 0; k < 4; k++)
        if (t - 3 + k >= begin) sum += w[d * 4 + (mistake == REVERSED ? 3 - k : k)] * bf16_to_float(x[(t - 3 + k) * D + d]);
    if (mistake == ROUNDED) sum = bf16_to_float(to_bf16(sum));
    const float sigmoid = 1 / (1 + expf(-sum));
    float out = sum * sigmoid;
    if (mistake == SIGMOID) out = sigmoid;
    if (mistake == NO_SILU) out = sum;
    if (mistake == GELU) out = 0.5f * sum * (1 + erff(sum * 0.70710678f));
    if (mistake == BIAS_LAST) out += bias[d];
    y[t * D + d] = to_bf16(out);
}

#define TAPS(name, mistake)                                                                                                                  \
    extern "C" __global__ void name(const unsigned short *x, const float *w, const float *bias, const int *bounds, unsigned short *y, int N, \
                                    int D) {                                                                                                 \
        taps<mistake>(x, w, bias, bounds, y, N, D);                                                                                          \
    }
TAPS(taps_right, TAPS_RIGHT)
TAPS(taps_reversed, REVERSED)
TAPS(taps_sigmoid, SIGMOID)
TAPS(taps_no_silu, NO_SILU)
TAPS(taps_gelu, GELU)
TAPS(taps_bias_last, BIAS_LAST)
TAPS(taps_rounded, ROUNDED)

enum Norm { NORM_RIGHT, STAYS, STAYS_IN_ROW_2, ONE_MORE, NO_MEAN, SUM_ROUNDED, NORM_ROUNDED, NO_BARRIER, THREE_WAVES };

template <Norm mistake>
static __device__ float sum_of_group(float value, float *shared) {
    for (int distance = 32; distance > 0; distance /= 2) value += __shfl_xor(value, distance);
    if (threadIdx.x % 64 == 0) shared[threadIdx.x / 64] = value;
    __syncthreads();
    value = 0;
    for (int wave = 0; wave < (mistake == THREE_WAVES ? 3 : 4); wave++) value += shared[wave];
    if (mistake != NO_BARRIER) __syncthreads();
    return value;
}

// Rows have at most 512 channels.
template <Norm mistake>
static __device__ void norm(const _Float16 *x, _Float16 *sum, const float *gamma, const float *beta, _Float16 *y, int D, float eps) {
    __shared__ float shared[4];
    const int row = blockIdx.x * D;
    float values[2], total = 0, squares = 0;
    for (int i = 0; i < 2; i++) {
        const int d = threadIdx.x + i * 256;
        values[i] = d < D ? (float)x[row + d] + (float)sum[row + d] : 0;
        if (mistake == SUM_ROUNDED) values[i] = (float)(_Float16)values[i];
        total += values[i];
    }
    const float mean = sum_of_group<mistake>(total, shared) / D;
    for (int i = 0; i < 2; i++)
        if (threadIdx.x + i * 256 < D) squares += (values[i] - mean) * (values[i] - mean);
    const float factor = 1 / sqrtf(sum_of_group<mistake>(squares, shared) / D + eps);
    for (int i = 0; i < 2; i++) {
        const int d = threadIdx.x + i * 256;
        if (d >= D) continue;
        if (mistake != STAYS && !(mistake == STAYS_IN_ROW_2 && blockIdx.x == 2)) sum[row + d] = (_Float16)values[i];
        float normed = (values[i] - (mistake == NO_MEAN ? 0 : mean)) * factor;
        if (mistake == NORM_ROUNDED) normed = (float)(_Float16)normed;
        y[row + d] = (_Float16)(normed * (mistake == ONE_MORE ? 1 + gamma[d] : gamma[d]) + beta[d]);
    }
}

#define NORM(name, mistake)                                                                                                                   \
    extern "C" __global__ void name(const _Float16 *x, _Float16 *sum, const float *gamma, const float *beta, _Float16 *y, int D, float eps) { \
        norm<mistake>(x, sum, gamma, beta, y, D, eps);                                                                                        \
    }
NORM(norm_right, NORM_RIGHT)
NORM(norm_stays, STAYS)
NORM(norm_stays_in_row_2, STAYS_IN_ROW_2)
NORM(norm_one_more, ONE_MORE)
NORM(norm_no_mean, NO_MEAN)
NORM(norm_sum_rounded, SUM_ROUNDED)
NORM(norm_rounded, NORM_ROUNDED)
NORM(norm_no_barrier, NO_BARRIER)
NORM(norm_three_waves, THREE_WAVES)

enum Best { BEST_RIGHT, LAST, HALF, EIGHT_BITS, MAXIMUM_LEFT, MORE, BASE_2, COOLER };

// A work-item computes a row.
template <Best mistake>
static __device__ void best(const float *logits, int *index, float *logprob, int V) {
    const float *row = logits + blockIdx.x * V;
    int at = 0;
    for (int v = 1; v < V; v++)
        if (row[v] > row[at] || (mistake == LAST && row[v] == row[at])) at = v;
    float sum = 0;
    for (int v = 0; v < V; v++) sum += expf((row[v] - row[at]) * (mistake == COOLER ? 0.5f : 1));
    index[blockIdx.x] = mistake == HALF ? at / 2 : mistake == EIGHT_BITS ? at & 255 : at;
    float out = -logf(sum);
    if (mistake == MAXIMUM_LEFT) out += row[at];
    if (mistake == MORE) out += 1e-3f;
    if (mistake == BASE_2) out = -log2f(sum);
    logprob[blockIdx.x] = out;
}

#define BEST(name, mistake)                                                                            \
    extern "C" __global__ void name(const float *logits, int *index, float *logprob, int V) { \
        best<mistake>(logits, index, logprob, V);                                                      \
    }
BEST(best_right, BEST_RIGHT)
BEST(best_last, LAST)
BEST(best_half, HALF)
BEST(best_eight_bits, EIGHT_BITS)
BEST(best_maximum_left, MAXIMUM_LEFT)
BEST(best_more, MORE)
BEST(best_base_2, BASE_2)
BEST(best_cooler, COOLER)

enum Ways { WAYS_RIGHT, PAIRS, HALVES, HALF_READ, REVERSED_IN_ONE };

// A work-item computes a channel of a row.
template <Ways mistake>
static __device__ void ways(const float *x, const float *w, float *y, float *z, float *c, int D) {
    const int d = blockIdx.x * 64 + threadIdx.x;
    if (d >= D) return;
    const float *row = x + blockIdx.y * D;
    const int at = blockIdx.y * D + d;
    float factor = mistake == REVERSED_IN_ONE ? w[D - 1 - d] : w[d];
    if (mistake == HALF_READ && d >= D / 2) factor = 0;
    const int pair = (d ^ 1) < D ? d ^ 1 : d, half = d < D / 2 ? d + D / 2 : d - D / 2;
    y[at] = row[d] * factor;
    z[at] = row[d] + w[d];
    c[at] = row[mistake == PAIRS ? pair : mistake == HALVES ? half : d];
}

#define WAYS(name, mistake)                                                                                    \
    extern "C" __global__ void name(const float *x, const float *w, float *y, float *z, float *c, int D) { \
        ways<mistake>(x, w, y, z, c, D);                                                                       \
    }
WAYS(ways_right, WAYS_RIGHT)
WAYS(ways_pairs, PAIRS)
WAYS(ways_halves, HALVES)
WAYS(ways_half, HALF_READ)
WAYS(ways_reversed, REVERSED_IN_ONE)
