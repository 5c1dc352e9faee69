// Columns of the state in the registers of a wave: LANES neighbouring lanes have a column, each of them BOUND / LANES of its key
// channels, four beside each other: lane p has channels 4 p .. 4 p + 3, then those 4 LANES further on. So the lanes of a column read a
// vector of key channels in whole lines, and sums over key channels are a few additions, then log2(LANES) between lanes.
#pragma once
#include "../gdn/common.hip"
#include "element.hip"
#include "lanes.hip"

template <int BOUND_, int LANES_, int COLUMNS_>
struct Tile {
    static constexpr int BOUND = BOUND_;      // key channels, at most
    static constexpr int LANES = LANES_;      // lanes that share a column
    static constexpr int COLUMNS = COLUMNS_;  // columns that a lane has a part of
    static constexpr int ROWS = BOUND / LANES;
    static constexpr int APART = WAVE / LANES;  // from one of a lane's columns to the next
    static constexpr int WIDTH = APART * COLUMNS;  // columns of a wave

    // The first key channel of a lane's four number i.
    static __device__ __forceinline__ int channel(int part, int i) { return 4 * (part + LANES * i); }
};

// A lane's part of a vector of key channels; zeros behind the last. WHOLE: there are BOUND of them, at a multiple of four elements.
template <class T, bool WHOLE>
struct KeyPart {
    float x[T::ROWS];

    // `place` is that of the lane's first key channel, in bytes.
    template <class E>
    __device__ __forceinline__ void load(const E* vector, int K, unsigned place) {
        const int last = (K - 1) * sizeof(E);
#pragma unroll
        for (int i = 0; i < T::ROWS / 4; i++) {
            if (WHOLE) {
                element_values(element_at<ElementFour<E>>(vector + T::channel(0, i), place), x + 4 * i);
            } else {
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    // behind the end the last one is read again and not used: a load without a branch
                    const int further = (T::channel(0, i) + c) * (int)sizeof(E);
                    const float read = gdr_float(element_at<E>(vector, min((int)place + further, last)));
                    x[4 * i + c] = (int)place <= last - further ? read : 0.0f;
                }
            }
        }
    }

    // The sum of the products, over all lanes of the column. Where an instruction of a wave of 32 lanes may wait for the one before, there
    // are two sums at a time.
    __device__ __forceinline__ float dot(const float* s) const {
        constexpr int SUMS = WAVE == 64 ? 1 : 2;
        float sum[SUMS];
#pragma unroll
        for (int j = 0; j < T::ROWS; j++) sum[j % SUMS] = j < SUMS ? s[j] * x[j] : sum[j % SUMS] + s[j] * x[j];
        return lanes_sum<T::LANES>(SUMS == 1 ? sum[0] : sum[0] + sum[SUMS - 1]);
    }
};

// What `norm` makes of the sums of the squares of two vectors of key channels, for all lanes, each of which has read a few of them for it.
// `place` is that of the channel with the lane's number, in bytes.
template <class T, bool WHOLE, class E, class Norm>
static __device__ __forceinline__ void key_norms(const E* first, const E* second, int K, unsigned place, Norm norm, float& of_first, float& of_second) {
    if (WHOLE) {
        // a vector for each half of the wave
        constexpr int HALF = WAVE / 2;
        const bool is_first = lanes_own() < HALF;
        const E* vector = (is_first ? first : second) + lanes_own() % HALF;
        float sum = 0.0f;
#pragma unroll
        for (int from = 0; from < T::BOUND; from += HALF) {
            const float x = gdr_float(vector[from]);
            sum += x * x;
        }
        const float norms = norm(lanes_sum_halves(sum));
        of_first = lanes_read(norms, HALF - 1), of_second = lanes_read(norms, WAVE - 1);
    } else {
        const unsigned last = (K - 1) * sizeof(E);
        float sum_first = 0.0f, sum_second = 0.0f;
#pragma unroll
        for (int from = 0; from < T::BOUND; from += WAVE) {
            const unsigned there = place + from * (unsigned)sizeof(E);
            const float x = gdr_float(element_at<E>(first, min(there, last))), y = gdr_float(element_at<E>(second, min(there, last)));
            sum_first += there <= last ? x * x : 0.0f;
            sum_second += there <= last ? y * y : 0.0f;
        }
        of_first = lanes_read(norm(lanes_sum_all(sum_first)), WAVE - 1);
        of_second = lanes_read(norm(lanes_sum_all(sum_second)), WAVE - 1);
    }
}

// The place of a column in a head's state of elements S, in bytes: its beginning, and the distance of its key channels.
template <class S>
static __device__ __forceinline__ ColumnPlace column_place(int col, int K, int V, int layout) {
    const unsigned size = sizeof(S);
    if (layout == STATE_KEY_MAJOR) return {size * col, size * V};
    return {size * col * K, size};
}

// A lane's part of its columns. In memory, elements of states are f32, f16 or bf16; the latter two are rounded to nearest, ties to even.
template <class T, bool WHOLE>
struct ColumnParts {
    float s[T::COLUMNS][T::ROWS];

    __device__ __forceinline__ void zero() {
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++)
#pragma unroll
            for (int j = 0; j < T::ROWS; j++) {
                s[n][j] = 0.0f;
                element_keep(s[n][j]);  // here, not where states are loaded too
            }
    }

    // From a head's state: its column `column`, and those APART from it. Behind the last column the last is read again.
    template <class S>
    __device__ __forceinline__ void load(const S* state, int column, int part, int K, int V, int layout) {
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++) {
            const ColumnPlace place = column_place<S>(min(column + n * T::APART, V - 1), K, V, layout);
            if (WHOLE && layout == STATE_VALUE_MAJOR) {
                KeyPart<T, WHOLE> whole;
                whole.load(state, K, place.first + (unsigned)sizeof(S) * T::channel(part, 0));
#pragma unroll
                for (int j = 0; j < T::ROWS; j++) s[n][j] = whole.x[j];
                continue;
            }
#pragma unroll
            for (int j = 0; j < T::ROWS; j++) {
                const int channel = T::channel(part, j / 4) + j % 4;
                const float last = gdr_float(element_at<S>(state, place.first + min(channel, K - 1) * place.step));
                s[n][j] = channel < K ? last : 0.0f;
            }
        }
    }

    // times `by`
    template <class S>
    __device__ __forceinline__ void store(S* state, float by, int column, int part, int K, int V, int layout) const {
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++) {
            if (column + n * T::APART >= V) continue;
            const ColumnPlace place = column_place<S>(min(column + n * T::APART, V - 1), K, V, layout);
            if (WHOLE && layout == STATE_VALUE_MAJOR) {
                unsigned offset = place.first + (unsigned)sizeof(S) * T::channel(part, 0);
                element_keep(offset);
#pragma unroll
                for (int i = 0; i < T::ROWS / 4; i++) {
                    const float values[4] = {s[n][4 * i] * by, s[n][4 * i + 1] * by, s[n][4 * i + 2] * by, s[n][4 * i + 3] * by};
                    element_at<ElementFour<S>>(state + T::channel(0, i), offset) = element_nearest<S>(values);
                }
                continue;
            }
#pragma unroll
            for (int j = 0; j < T::ROWS; j++) {
                const int channel = T::channel(part, j / 4) + j % 4;
                if (channel < K) gdr_store(&element_at<S>(state, place.first + channel * place.step), s[n][j] * by);
            }
        }
    }

    __device__ __forceinline__ void decay(float alpha) {
#pragma unroll
        for (int n = 0; n < T::COLUMNS; n++)
#pragma unroll
            for (int j = 0; j < T::ROWS; j++) s[n][j] *= alpha;
    }

    // by a factor of its own for each key channel, which `factor` makes of its gate
    template <class F>
    __device__ __forceinline__ void decay(const KeyPart<T, WHOLE>& gates, F factor) {
#pragma unroll
        for (int j = 0; j < T::ROWS; j++) {
            const float alpha = factor(gates.x[j]);
#pragma unroll
            for (int n = 0; n < T::COLUMNS; n++) s[n][j] *= alpha;
        }
    }

    // s[n][j] += k[j] d: the rank-1 write of column n
    __device__ __forceinline__ void write(int n, const KeyPart<T, WHOLE>& k, float d) {
#pragma unroll
        for (int j = 0; j < T::ROWS; j++) s[n][j] += k.x[j] * d;
    }

    // the same with the decay of column n before it
    __device__ __forceinline__ void decay_and_write(int n, float alpha, const KeyPart<T, WHOLE>& k, float d) {
#pragma unroll
        for (int j = 0; j < T::ROWS; j++) s[n][j] = k.x[j] * d + alpha * s[n][j];
    }
};
