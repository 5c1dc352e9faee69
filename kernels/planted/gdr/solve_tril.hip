// Wrong triangular inverses.
#pragma once
#include "../../gdr/solve_tril.hip"

// As published: the identity stands on the diagonal from the start, rows 0 and 1 are used with it, and every row from 2 on is overwritten
// as a whole, diagonal and all.
struct GdrSolvePublished : GdrSolveRule {
    static constexpr int first_row = 2;
    static __device__ float held(int i, int col) { return i == col && i < 2 ? 1.0f : 0.0f; }
    static __device__ float diagonal(int i) { return 0.0f; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_published, GdrSolvePublished)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(planted_gdr_chunk_solve_tril_published, GdrSolvePublished)

// Its published cure: the identity added at the end, to a diagonal of which the first two elements still held it.
struct GdrSolveCured : GdrSolvePublished {
    static __device__ float diagonal(int i) { return 1.0f; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_cured, GdrSolveCured)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(planted_gdr_chunk_solve_tril_cured, GdrSolveCured)

// everything right but the diagonal, which rows from 2 on have lost
struct GdrSolveIdentityLost : GdrSolveRule {
    static __device__ float diagonal(int i) { return i < 2 ? 1.0f : 0.0f; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_identity_lost, GdrSolveIdentityLost)

// the identity added to the first two rows twice
struct GdrSolveIdentityTwice : GdrSolveRule {
    static __device__ float diagonal(int i) { return i < 2 ? 2.0f : 1.0f; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_identity_twice, GdrSolveIdentityTwice)

// (I - A)^-1
struct GdrSolveSign : GdrSolveRule {
    static __device__ float lower(float a) { return -a; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_sign, GdrSolveSign)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(planted_gdr_chunk_solve_tril_sign, GdrSolveSign)

// what stands on A's diagonal is used
struct GdrSolveDiagonalUsed : GdrSolveRule {
    static __device__ bool used(int i, int col) { return col <= i; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_diagonal_used, GdrSolveDiagonalUsed)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(planted_gdr_chunk_solve_tril_diagonal_used, GdrSolveDiagonalUsed)

// what lies above the diagonal is left to the caller
struct GdrSolveNoZeros : GdrSolveRule {
    static __device__ bool writes(int i, int col) { return col <= i; }
};
GDR_SOLVE_TRIL_KERNEL(planted_gdr_solve_tril_no_zeros, GdrSolveNoZeros)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(planted_gdr_chunk_solve_tril_no_zeros, GdrSolveNoZeros)
