// (I + A)^-1 of each chunk of BT = 16, 32 or 64 tokens, by forward substitution. A and Ai are [B,T,H,BT] and may be the same buffer; of A
// only the part strictly below the diagonal is used; Ai is written as a whole, zeros above the diagonal and past a short chunk's end.
#pragma once
#include "../gdn/chunk.hip"
#include "common.hip"

// Points where the wrong variants in planted/ differ. N is Ai - I: its diagonal is zero throughout, and the identity is added once, at
// the end.
struct GdrSolveRule {
    static constexpr int first_row = 1;                            // the first row that is solved for
    static __device__ float held(int i, int col) { return 0.0f; }  // N on and above the diagonal
    static __device__ bool used(int i, int col) { return col < i; }  // of A
    static __device__ float lower(float a) { return a; }
    static __device__ float diagonal(int i) { return 1.0f; }
    static __device__ bool writes(int i, int col) { return true; }
};

// One wave solves 64 / BT chunks of a head, a column each work-item: lanes of one chunk read the same element of A and a row of N.
template <class Rule, int BT>
static __device__ __forceinline__ void gdr_solve_tril(const float* A, float* Ai, int B, int T, int H, float* lds) {
    constexpr int CHUNKS = GDR_WAVE / BT, PITCH = BT * BT + 1;  // odd: the chunks' elements lie in different banks
    const int hv = blockIdx.y, b = blockIdx.z, part = threadIdx.x / BT, col = threadIdx.x % BT;
    float* lower = lds + part * PITCH;
    float* inverse = lds + (CHUNKS + part) * PITCH;
    const int begin = (blockIdx.x * CHUNKS + part) * BT;
    const int tokens = T - begin < BT ? T - begin : BT;  // none or less: no such chunk
    const long first = (((long)b * T + begin) * H + hv) * BT + col, pitch = (long)H * BT;

    for (int i = 0; i < BT; i++) lower[i * BT + col] = i < tokens && Rule::used(i, col) ? Rule::lower(A[first + i * pitch]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < BT; i++) {
        // N[i][col] = -(A[i][col] + sum_{j < i} A[i][j] N[j][col]); a lane reads its own column of N only
        float sum = lower[i * BT + col];
        if (i >= Rule::first_row) {
#pragma unroll 4
            for (int j = 0; j < i; j++) sum += lower[i * BT + j] * inverse[j * BT + col];
        }
        inverse[i * BT + col] = Rule::used(i, col) ? -sum : Rule::held(i, col);
    }
    for (int i = 0; i < tokens; i++) {
        if (!Rule::writes(i, col)) continue;
        Ai[first + i * pitch] = inverse[i * BT + col] + (i == col ? Rule::diagonal(i) : 0.0f);
    }
}

template <class Rule>
static __device__ __forceinline__ void gdr_solve_tril_body(const float* A, float* Ai, int B, int T, int H, int BT) {
    __shared__ float lds[2 * (GDN_MAX_CHUNK * GDN_MAX_CHUNK + 1)];
    if (blockIdx.y >= H || blockIdx.z >= B) return;
    if (BT == 16) gdr_solve_tril<Rule, 16>(A, Ai, B, T, H, lds);
    else if (BT == 32) gdr_solve_tril<Rule, 32>(A, Ai, B, T, H, lds);
    else if (BT == 64) gdr_solve_tril<Rule, 64>(A, Ai, B, T, H, lds);
}
#define GDR_SOLVE_TRIL_KERNEL(NAME, RULE)                                                                                   \
    extern "C" __global__ __launch_bounds__(64) void NAME(const float* A, float* Ai, int B, int T, int H, int BT) {        \
        gdr_solve_tril_body<RULE>(A, Ai, B, T, H, BT);                                                                     \
    }
#define GDR_SOLVE_TRIL_IN_PLACE_KERNEL(NAME, RULE)                                                                          \
    extern "C" __global__ __launch_bounds__(64) void NAME(float* A, int B, int T, int H, int BT) {                         \
        gdr_solve_tril_body<RULE>(A, A, B, T, H, BT);                                                                      \
    }
