// The document's solve, chunk and layer, optimised (section 10 of the document). The files in fast/ have the bodies; the names are here.
#include "fast/intra_chunk.hip"
#include "fast/layer.hip"
#include "fast/solve.hip"
#include "fast/state.hip"

SOLVE_TRI_KERNEL(fast_solve_tri_f32, SolveRule)
SOLVE_IDENTITY_KERNEL(fast_solve_identity_f32, SolveRule)

STATE_UPDATE_KERNEL(fast_state_update_f32, StateRule)
OUTPUT_KERNEL(fast_output_with_state_f32, StateRule)

INTRA_CHUNK_KERNEL(fast_intra_chunk_f32, DocumentRule)
LAYER_KERNEL(fast_layer_f32, DocumentRule, 128)
LAYER_KERNEL(fast_layer_narrow_f32, DocumentRule, 32)
STATES_SCAN_KERNEL(fast_layer_scan_f32, DocumentRule)
