// A 64 x 64 tile of a product, by 256 work-items of 4 x 4 elements each: operands go through LDS, sixteen products deep at a time, in two
// buffers, so that the next part is on its way from memory while one is computed, and a part costs one barrier.
#pragma once
#include "uniform.hip"

#define TILE 64
#define TILE_DEPTH 16
#define TILE_ITEMS 256  // work-items that compute; more may be there, and meet at the barriers

// Rows of the pitch 64 would put what 16 neighbouring lanes write, one column each, into one bank; of 68 into eight.
template <int PITCH, int OPERANDS = 2>
struct __align__(16) TileLds {
    float part[OPERANDS][2][TILE_DEPTH][PITCH];
};
#define TILE_PITCH (TILE + 4)

// Points where the wrong variants in planted/ differ.
struct TileRule {
    static __device__ void meet() { __syncthreads(); }
    static __device__ int next_buffer(int buffer) { return 1 - buffer; }
    static __device__ int depth(int depth) { return depth; }
    static __device__ int width(int width) { return width; }
};

// `width` vectors of `depth` numbers: one behind the other (ALONG_DEPTH), or their first numbers, then their second ones.
template <bool ALONG_DEPTH>
struct Operand {
    const float* at;
    long pitch;
    int width, depth;

    // where a work-item's number i of a part stands: neighbouring lanes read neighbouring numbers
    static __device__ __forceinline__ int place_m(unsigned e) { return ALONG_DEPTH ? e / TILE_DEPTH : e % TILE; }
    static __device__ __forceinline__ int place_d(unsigned e) { return ALONG_DEPTH ? e % TILE_DEPTH : e / TILE; }

    template <class Rule>
    __device__ __forceinline__ void fetch(float (&part)[4], unsigned item, int from) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned e = item + TILE_ITEMS * i;
            const int m = place_m(e), d = from + place_d(e);
            const bool there = m < Rule::width(width) && d < depth;
            part[i] = there ? at[ALONG_DEPTH ? m * pitch + d : d * pitch + m] : 0.0f;
        }
    }
    template <int PITCH>
    __device__ __forceinline__ void put(const float (&part)[4], unsigned item, float (*lds)[PITCH]) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned e = item + TILE_ITEMS * i;
            lds[place_d(e)][place_m(e)] = part[i];
        }
    }
};

// The work-item's share: rows 4 y to 4 y + 3, columns 4 x to 4 x + 3.
static __device__ __forceinline__ int tile_x(unsigned item) { return item % (TILE / 4); }
static __device__ __forceinline__ int tile_y(unsigned item) { return item / (TILE / 4); }

static __device__ __forceinline__ void four(float (&to)[4], const float* lds) {
    const float4 v = *(const float4*)lds;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// sum[r][c] += <a_row, b_col>. Where there is one operand, b is a.
template <class Rule, int PITCH, int OPERANDS, class A, class B>
static __device__ __forceinline__ void tile_product(float (&sum)[4][4], const A a, const B b, TileLds<PITCH, OPERANDS>& lds) {
    const unsigned item = own_item();
    const int row = 4 * tile_y(item), col = 4 * tile_x(item);
    const bool computes = item < TILE_ITEMS;
    const int depth = Rule::depth(a.depth);
    float part_a[4], part_b[4];
    if (computes) {
        a.template fetch<Rule>(part_a, item, 0);
        if (OPERANDS == 2) b.template fetch<Rule>(part_b, item, 0);
    }
    __syncthreads();
    int buffer = 0;
    for (int from = 0; from < depth; from += TILE_DEPTH) {
        if (computes) {
            a.put(part_a, item, lds.part[0][buffer]);
            if (OPERANDS == 2) b.put(part_b, item, lds.part[OPERANDS - 1][buffer]);
        }
        Rule::meet();
        if (computes) {
            if (from + TILE_DEPTH < depth) {
                a.template fetch<Rule>(part_a, item, from + TILE_DEPTH);
                if (OPERANDS == 2) b.template fetch<Rule>(part_b, item, from + TILE_DEPTH);
            }
#pragma unroll
            for (int d = 0; d < TILE_DEPTH; d++) {
                float x[4], y[4];
                four(x, &lds.part[0][buffer][d][row]);
                four(y, &lds.part[OPERANDS - 1][buffer][d][col]);
#pragma unroll
                for (int r = 0; r < 4; r++) {
#pragma unroll
                    for (int c = 0; c < 4; c++) sum[r][c] += x[r] * y[c];
                }
            }
        }
        buffer = Rule::next_buffer(buffer);
    }
}
