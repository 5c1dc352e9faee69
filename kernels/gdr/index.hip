// index: where sequences of unequal length lie in a row of tokens. All i32; cu [N + 1] are the sequences' first tokens
// and, last, the number of tokens.
#pragma once
#include "common.hip"

struct IndexRule {
    static __device__ int chunks(int length, int C) { return (length + C - 1) / C; }
    static __device__ int carried(int total) { return total; }
    // the number of a token's sequence: among those with a token, not its place in cu
    static __device__ int number(int with_tokens, int place) { return with_tokens; }
    static __device__ int position(int token, int first) { return token - first; }
    // whether the sequence that begins here begins after the token
    static __device__ bool after(int first, int token) { return first > token; }
    static __device__ int2 pair(int sequence, int chunk) { return make_int2(sequence, chunk); }
};

// The last i of [0, count) with from[i] <= at: the sequence of a token, the sequence of a chunk. Of empty sequences at the
// same place it is the one after them that has the token.
template <class Rule>
static __device__ inline int gdr_owner(const int* from, int count, int at) {
    int low = 0, high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (Rule::after(from[middle], at)) high = middle;
        else low = middle;
    }
    return low;
}

// lens[s] = cu[s + 1] - cu[s]
template <class Rule>
static __device__ __forceinline__ void prepare_lens_body(const int* cu, int* lens, int N) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < N) lens[s] = Rule::position(cu[s + 1], cu[s]);
}
#define PREPARE_LENS_KERNEL(NAME, RULE) \
    extern "C" __global__ void NAME(const int* cu, int* lens, int N) { prepare_lens_body<RULE>(cu, lens, N); }

// The sum over the lanes up to this one.
static __device__ inline int gdr_wave_scan(int x) {
    const int lane = threadIdx.x % GDR_WAVE;
#pragma unroll
    for (int distance = 1; distance < GDR_WAVE; distance *= 2) {
        const int before = __shfl_up(x, distance);
        if (lane >= distance) x += before;
    }
    return x;
}

struct ScanPlaces {
    int x[GDR_BLOCK / GDR_WAVE];
};

// The sum over the work-items up to this one, and of all in `total`. All of the work-group must come here.
static __device__ inline int gdr_group_scan(int x, ScanPlaces& places, int& total) {
    const int wave = threadIdx.x / GDR_WAVE, waves = blockDim.x / GDR_WAVE;
    x = gdr_wave_scan(x);
    __syncthreads();  // an earlier scan is read out
    if (threadIdx.x % GDR_WAVE == GDR_WAVE - 1) places.x[wave] = x;
    __syncthreads();
    total = 0;
    for (int w = 0; w < waves; w++) {
        if (w < wave) x += places.x[w];
        total += places.x[w];
    }
    return x;
}

// sums[0] = 0, sums[s + 1] = value(0) + ... + value(s): one work-group, 256 values at a time
template <class Rule, class Value>
static __device__ __forceinline__ void running_sums(int* sums, int N, Value value) {
    __shared__ ScanPlaces places;
    if (blockIdx.x > 0) return;
    if (threadIdx.x == 0) sums[0] = 0;
    int before = 0;
    for (int from = 0; from < N; from += blockDim.x) {
        const int s = from + threadIdx.x;
        int total;
        const int sum = gdr_group_scan(s < N ? value(s) : 0, places, total);
        if (s < N) sums[s + 1] = before + sum;
        before += Rule::carried(total);
    }
}

// cu from the lengths
#define CU_SEQLENS_KERNEL(NAME, RULE)                                                                        \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const int* lens, int* cu, int N) {          \
        running_sums<RULE>(cu, N, [=](int s) { return lens[s]; });                                           \
    }

// offsets[s]: how many chunks of C tokens lie before sequence s
#define CHUNK_OFFSETS_KERNEL(NAME, RULE)                                                                          \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const int* cu, int* offsets, int N, int C) {     \
        running_sums<RULE>(offsets, N, [=](int s) { return RULE::chunks(cu[s + 1] - cu[s], C); });                \
    }

// ids[t]: the token's position in its sequence
template <class Rule>
static __device__ __forceinline__ void position_ids_body(const int* cu, int* ids, int N, int tokens) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < tokens) ids[t] = Rule::position(t, cu[gdr_owner<Rule>(cu, N, t)]);
}
#define POSITION_IDS_KERNEL(NAME, RULE) \
    extern "C" __global__ void NAME(const int* cu, int* ids, int N, int tokens) { position_ids_body<RULE>(cu, ids, N, tokens); }

// ids[t]: how many sequences with a token begin up to t, less one. A work-group counts those before its first token,
// and then those among its own tokens.
template <class Rule>
static __device__ __forceinline__ void sequence_ids_body(const int* cu, int* ids, int N, int tokens) {
    __shared__ ScanPlaces places;
    const int first = blockIdx.x * blockDim.x, t = first + threadIdx.x;
    if (first >= tokens) return;
    int before = 0;
    for (int s = threadIdx.x; s < N; s += blockDim.x) before += cu[s] < first && cu[s + 1] > cu[s];
    int earlier, own;
    gdr_group_scan(before, places, earlier);
    const int s = t < tokens ? gdr_owner<Rule>(cu, N, t) : 0;
    const int begin = t < tokens && cu[s] == t;
    const int sum = gdr_group_scan(begin, places, own);
    if (t < tokens) ids[t] = Rule::number(earlier + sum - 1, s);
}
#define SEQUENCE_IDS_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(GDR_BLOCK) void NAME(const int* cu, int* ids, int N, int tokens) {            \
        sequence_ids_body<RULE>(cu, ids, N, tokens);                                                                      \
    }

// indices[c] = (sequence, its chunk) of every chunk, from the offsets
template <class Rule>
static __device__ __forceinline__ void chunk_indices_body(const int* offsets, int* indices, int N, int chunks) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    const int s = gdr_owner<Rule>(offsets, N, c);
    const int2 pair = Rule::pair(s, Rule::position(c, offsets[s]));
    indices[2 * c] = pair.x;
    indices[2 * c + 1] = pair.y;
}
#define CHUNK_INDICES_KERNEL(NAME, RULE)                                                            \
    extern "C" __global__ void NAME(const int* offsets, int* indices, int N, int chunks) {          \
        chunk_indices_body<RULE>(offsets, indices, N, chunks);                                      \
    }
