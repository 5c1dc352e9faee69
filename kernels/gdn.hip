// The true gated delta rule: producers, recurrences, chunk pipeline. The files in gdn/ have the bodies; the names are here.
#include "gdn/chunk_inverse.hip"
#include "gdn/chunk_state.hip"
#include "gdn/ggml.hip"
#include "gdn/long_chunk.hip"
#include "gdn/producers.hip"
#include "gdn/recurrent.hip"

GATE_KERNEL(gdn_gate_f32, ProducerRule)
BETA_KERNEL(gdn_beta_f32, ProducerRule)
L2NORM_KERNEL(gdn_l2norm_f32, ProducerRule)

RECURRENT_KERNEL(gdn_recurrent_f32, DeltaRule)
SEQUENTIAL_KERNEL(gdn_sequential_f32, NotebookRule)
GGML_KERNEL(ggml_gated_delta_net_f32, GgmlRule)

CUMSUM_KERNEL(gdn_chunk_cumsum_f32, ChunkRule)
L_KERNEL(gdn_chunk_l_f32, ChunkRule)
SOLVE_KERNEL(gdn_chunk_solve_f32, ChunkRule)
UW_KERNEL(gdn_chunk_uw_f32, ChunkRule)
STATES_KERNEL(gdn_chunk_states_f32, ChunkRule)
OUTPUTS_KERNEL(gdn_chunk_outputs_f32, ChunkRule)

LONG_L_KERNEL(gdn_long_l_f32, ChunkRule)
LONG_SOLVE_KERNEL(gdn_long_solve_f32, ChunkRule)
LONG_UW_KERNEL(gdn_long_uw_f32, ChunkRule)
LONG_OUTPUTS_KERNEL(gdn_long_outputs_f32, ChunkRule)
