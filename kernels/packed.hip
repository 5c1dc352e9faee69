// The gated delta rule over packed sequences, with gates per head or per key channel. The files in packed/ have the bodies; the names are here.
#include "packed/chunk.hip"
#include "packed/recurrent.hip"

PACKED_KERNEL(gdn_packed_f32, PackedRule)
SLOTS_KERNEL(gdn_slots_f32, PackedRule)
HALF_KERNEL(gdn_slots_half, PackedRule)
VERIFY_KERNEL(gdn_verify_f32, PackedRule)
TRANSITION_KERNEL(gdn_transition_f32, PackedRule)
MERGE_KERNEL(gdn_merge_f32, MergeRule)

PACKED_CUMSUM_KERNEL(gdn_packed_cumsum_f32, PackedChunkRule)
PACKED_L_KERNEL(gdn_packed_l_f32, PackedChunkRule)
PACKED_SOLVE_KERNEL(gdn_packed_solve_f32, PackedChunkRule)
PACKED_UW_KERNEL(gdn_packed_uw_f32, PackedChunkRule)
PACKED_STATES_KERNEL(gdn_packed_states_f32, PackedChunkRule)
PACKED_ATTENTION_KERNEL(gdn_packed_attention_f32, PackedChunkRule)
PACKED_OUTPUTS_KERNEL(gdn_packed_outputs_f32, PackedChunkRule)
