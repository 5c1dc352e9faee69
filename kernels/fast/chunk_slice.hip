// What the fast chunk kernels share: rows that a whole wave reads as scalars, and a slice of a state column in registers.
//
// A lane has one value column, a wave KEYS of its key channels; the waves of a group have one slice each. Rows of k and q
// are the same for all lanes of a wave: they come as scalar loads and are operands of the fused multiply-adds as they are,
// so that no lane needs another's value but for the sums over the slices.
//
// A wave, here and where chunks are solved for, is GROUP lanes: on a GPU whose waves have 32, two waves.
#pragma once
#include "../gdn/common.hip"
#include "uniform.hip"

static __device__ __forceinline__ int fast_min(int a, int b) { return a < b ? a : b; }

#define FAST_PIECE 16  // channels of a row that are in scalars at a time

// Key channels first .. first + KEYS of rows of K. WHOLE: all of them are there. Else those past K read as zeros.
template <int KEYS, bool WHOLE>
struct Slice {
    int first, K;

    __device__ __forceinline__ void piece(float to[FAST_PIECE], SharedNumbers row, int at) const {
#pragma unroll
        for (int j = 0; j < FAST_PIECE; j++) {
            const int channel = first + at + j;
            if (WHOLE) to[j] = row[channel];
            else to[j] = channel < K ? row[fast_min(channel, K - 1)] : 0.0f;
        }
    }

    // Calls use(at, piece, from, to) for the pieces of a row, each in two parts: elements from .. to of the piece at channel `at`. The next piece is
    // on its way meanwhile.
    template <class Use>
    __device__ __forceinline__ void pieces(const float* row, Use use) const {
        constexpr int PIECES = KEYS / FAST_PIECE;
        float x[2][FAST_PIECE];
        piece(x[0], shared_numbers(row), 0);
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            const int at = p * FAST_PIECE;
            use(at, x[p % 2], 0, 1);  // the piece is there
            in_order();
            if (p + 1 < PIECES) piece(x[(p + 1) % 2], shared_numbers(row), at + FAST_PIECE);
            in_order();
            use(at, x[p % 2], 1, FAST_PIECE);
        }
    }

    // The same for `count` rows one by one, and the row's number first.
    template <class Use>
    __device__ __forceinline__ void walk(const float* rows, int pitch, int count, Use use) const {
#pragma unroll 1
        for (int t = 0; t < count; t++) {
            pieces(rows, [&](int at, const float* x, int from, int to) { use(t, at, x, from, to); });
            rows += pitch;
        }
    }

    // store(t, <row t, s>) for each row
    template <class Store>
    __device__ __forceinline__ void dots(const float* rows, int pitch, int count, const float s[KEYS], Store store) const {
        float sum = 0.0f;
        walk(rows, pitch, count, [&](int t, int at, const float* x, int from, int to) {
            if (at + from == 0) sum = x[0] * s[0];
#pragma unroll
            for (int j = at + from == 0 ? 1 : from; j < to; j++) sum = fmaf(x[j], s[at + j], sum);
            if (at + to == KEYS) store(t, sum);
        });
    }

    // s += sum_t row t * of(t)
    template <class Of>
    __device__ __forceinline__ void writes(const float* rows, int pitch, int count, float s[KEYS], Of of) const {
        float d = 0.0f;
        walk(rows, pitch, count, [&](int t, int at, const float* x, int from, int to) {
            if (at + from == 0) d = of(t);
#pragma unroll
            for (int j = from; j < to; j++) s[at + j] = fmaf(x[j], d, s[at + j]);
        });
    }

    __device__ __forceinline__ void load(float s[KEYS], const float* state, ColumnPlace at) const {
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            const bool there = WHOLE || first + j < K;
            s[j] = there ? gdn_at(state, at.first + at.step * (unsigned)(first + j)) : 0.0f;
        }
        loads_arrived();
    }

    __device__ __forceinline__ void store(float* state, ColumnPlace at, const float s[KEYS]) const {
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            if (WHOLE || first + j < K) gdn_at(state, at.first + at.step * (unsigned)(first + j)) = s[j];
        }
    }
};

// Calls BODY(keys of a slice, whether all are there) for four slices of any K.
#ifndef FAST_WITH_SLICE
#define FAST_WITH_SLICE(K, BODY)            \
    do {                                    \
        if ((K) <= 64) BODY(16, false);     \
        else if ((K) <= 128) BODY(32, false); \
        else BODY(64, false);               \
    } while (0)
#endif

// Points where the wrong variants in planted/fast/ differ.
struct FastChunkRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, head_map); }
    static __device__ int initial_layout(int layout) { return layout; }
    static __device__ int final_layout(int layout) { return layout; }
    static __device__ int first_column(int tile) { return tile; }    // the column that a tile begins with
    static __device__ void meet() { __syncthreads(); }               // before parts of sums are read
    static __device__ void part() { __syncthreads(); }               // before what was made of them is
    static constexpr int slices = 4;                                 // that are summed
    static __device__ bool sees(int i, int j) { return j <= i; }
    static __device__ int tail(int left, int size) { return left < size ? left : size; }  // tokens of a ragged end
    static __device__ float row_beta(float beta_i, float beta_j) { return beta_i; }
    static __device__ float decay(float g, int kind) { return gdn_decay(g, kind); }
    // whether the factor of a state is so far from 1 that the registers have to take it
    static __device__ bool renews(float factor) { return !(fabsf(factor) >= 0x1p-40f && fabsf(factor) <= 0x1p40f); }
    static __device__ bool forgets_before(int chunk) { return false; }
    static __device__ float in(float decay) { return decay; }
    static __device__ float after(float decay) { return decay; }
};
