// The document's solve, chunk and layer, optimised (section 10 of the document). The files in fast/ have the bodies; the names are here.
#include "fast/solve.hip"

SOLVE_TRI_KERNEL(fast_solve_tri_f32, SolveRule)
SOLVE_IDENTITY_KERNEL(fast_solve_identity_f32, SolveRule)
