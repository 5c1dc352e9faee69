// Forward substitution by whole waves: a lane has a column of X in its registers, and what a row takes of the rows above it are
// coefficients that all lanes share. Nothing is exchanged between lanes: no LDS, no barrier.
#pragma once
#include "uniform.hip"

#define SOLVE_ROWS 64   // rows of X in a lane's registers
#define SOLVE_PANEL 16  // coefficients of a row, and rows of an earlier block, at a time

// Points where the wrong variants in planted/ differ.
struct SolveRule {
    static __device__ float coefficient(float a) { return a; }
    static constexpr int products(int r) { return r; }            // of row r with rows of its block
    static __device__ int row_step(int n) { return n; }           // from a row of A to the next
    static __device__ int column_step(int n) { return 1; }
    static __device__ int rows_above(int top) { return top; }     // of earlier blocks that count
    static __device__ bool there(int col, int k) { return col < k; }
    static __device__ int rows_written(int rows) { return rows; }
    static __device__ float identity(int row, int col) { return row == col ? 1.0f : 0.0f; }
};

// The right-hand sides: a matrix of k columns, or the identity.
struct MatrixColumn {
    SharedRow next;
    int k;
    unsigned bytes;
    __device__ MatrixColumn(const float* B, int k, int col) : next((SharedRow)B), k(k), bytes(4u * col) {}
    __device__ __forceinline__ float take(int) {
        const float x = lane_load(next, bytes);
        next = held(next + k);
        return x;
    }
};
template <class Rule>
struct IdentityColumn {
    int col;
    __device__ __forceinline__ float take(int row) {
        float x = Rule::identity(row, col);
        settled(x);
        return x;
    }
};

// The rows of A one after the other, in memory.
template <class Rule>
struct MemoryRows {
    SharedNumbers next;
    int n;
    struct Row {
        SharedNumbers a;
        int step;
        __device__ __forceinline__ float coefficient(int j) const { return a[j * step]; }
    };
    __device__ __forceinline__ Row take() {
        const Row row = {next, Rule::column_step(n)};
        next = held(next + Rule::row_step(n));
        return row;
    }
};

// A block of rows of one column. Every index is known before anything is optimised, so that all of it stays in registers, and rows past
// the end cost one branch.
template <class Rule>
struct SolveBlock {
    float x[SOLVE_ROWS];  // those from `rows` on are never looked at

    template <class Column>
    __device__ __forceinline__ void load(Known<SOLVE_ROWS>, Column&, int, int) {}
    template <int R, class Column>
    __device__ __forceinline__ void load(Known<R>, Column& right, int top, int rows) {
        if (R >= rows) return;
        x[R] = right.take(top + R);
        load(Known<R + 1>(), right, top, rows);
    }

    // x[R] += a row's coefficients times solved rows, COUNT of them
    template <int R, int COUNT, class Row>
    __device__ __forceinline__ void products(Row row, const float* solved) {
#pragma unroll
        for (int j = 0; j < COUNT; j++) x[R] += Rule::coefficient(row.coefficient(j)) * solved[j];
        settled(x[R]);
    }

    // What rows of an earlier block add; A's rows from the block's first, each from the earlier row's column on.
    template <class Rows>
    __device__ __forceinline__ void add(Known<SOLVE_ROWS>, Rows&, int, const float*) {}
    template <int R, class Rows>
    __device__ __forceinline__ void add(Known<R>, Rows& A, int rows, const float* above) {
        if (R >= rows) return;
        products<R, SOLVE_PANEL>(A.take(), above);
        add(Known<R + 1>(), A, rows, above);
    }

    // What rows of the block add to each other; A's rows from the block's second, each from the block's first column on.
    template <class Rows>
    __device__ __forceinline__ void substitute(Known<SOLVE_ROWS>, Rows&, int) {}
    template <int R, class Rows>
    __device__ __forceinline__ void substitute(Known<R>, Rows& A, int rows) {
        if (R >= rows) return;
        products<R, Rule::products(R)>(A.take(), x);
        substitute(Known<R + 1>(), A, rows);
    }

    __device__ __forceinline__ void store(Known<SOLVE_ROWS>, SharedOutRow, int, unsigned&, int) const {}
    template <int R>
    __device__ __forceinline__ void store(Known<R>, SharedOutRow row, int k, unsigned& bytes, int rows) const {
        if (R >= rows) return;
        lane_store(row, bytes, x[R]);
        store(Known<R + 1>(), held(row + k), k, bytes, rows);
    }
};

// X of (I - A) X = B: A is n x n strictly lower, X n x k; any n and k. A product is one v_fmac_f32 with a coefficient in a scalar
// register. Rows go in blocks of 64 that stay in registers; those of earlier blocks are read back, by the lane that wrote them.
template <class Rule, class Column>
static __device__ __forceinline__ void solve_tri_body(const float* A, Column right, float* X, int n, int k, int col) {
    unsigned bytes = 4u * col;
    for (int top = 0; top < n; top += SOLVE_ROWS) {
        const int rows = n - top < SOLVE_ROWS ? n - top : SOLVE_ROWS;
        const SharedNumbers first = (SharedNumbers)A + (long)top * Rule::row_step(n);
        SolveBlock<Rule> block;
        block.load(Known<0>(), right, top, held(rows));
        for (int from = 0; from < Rule::rows_above(top); from += SOLVE_PANEL) {
            float above[SOLVE_PANEL];
            SharedRow solved = (SharedRow)X + (long)from * k;
#pragma unroll
            for (int j = 0; j < SOLVE_PANEL; j++) {
                above[j] = lane_load(solved, bytes);
                solved = held(solved + k);
            }
            MemoryRows<Rule> earlier = {held(first + (long)from * Rule::column_step(n)), n};
            block.add(Known<0>(), earlier, held(rows), above);
        }
        MemoryRows<Rule> own = {held(first + Rule::row_step(n) + (long)top * Rule::column_step(n)), n};
        block.substitute(Known<1>(), own, held(rows));
        block.store(Known<0>(), (SharedOutRow)X + (long)top * k, k, bytes, held(Rule::rows_written(rows)));
    }
}
#define SOLVE_TRI_KERNEL(NAME, RULE)                                                                          \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* A, const float* B, float* X, int n, int k) { \
        const int col = blockIdx.x * blockDim.x + threadIdx.x;                                                \
        if (RULE::there(col, k)) solve_tri_body<RULE>(A, MatrixColumn(B, k, col), X, n, k, col);              \
    }
// (I - A)^-1: the right-hand side is the identity, which nobody reads
#define SOLVE_IDENTITY_KERNEL(NAME, RULE)                                                                     \
    extern "C" __global__ __launch_bounds__(256) void NAME(const float* A, float* X, int n) {                 \
        const int col = blockIdx.x * blockDim.x + threadIdx.x;                                                \
        if (RULE::there(col, n)) solve_tri_body<RULE>(A, IdentityColumn<RULE>{col}, X, n, n, col);            \
    }
