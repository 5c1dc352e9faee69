// The GDR operators: what a model computes around the gated delta rule, and the rule in its layouts. The files in gdr/
// have the bodies; the names are here.
#include "gdr/chunk_delta_h.hip"
#include "gdr/chunk_o.hip"
#include "gdr/conv.hip"
#include "gdr/cumsum.hip"
#include "gdr/gating.hip"
#include "gdr/index.hip"
#include "gdr/kkt.hip"
#include "gdr/l2norm.hip"
#include "gdr/op.hip"
#include "gdr/recurrent.hip"
#include "gdr/solve_tril.hip"
#include "gdr/split.hip"
#include "gdr/utils.hip"
#include "gdr/wy.hip"

ABS_DIFF_KERNEL(gdr_abs_diff_f32, UtilsRule)
SQUARED_DIFF_KERNEL(gdr_squared_diff_f32, UtilsRule)
MAX_REDUCE_KERNEL(gdr_max_reduce_f32, UtilsRule)
SUM_REDUCE_KERNEL(gdr_sum_reduce_f32, UtilsRule)
BF16_TO_FLOAT_KERNEL(gdr_bf16_to_float, UtilsRule)
FLOAT_TO_BF16_KERNEL(gdr_float_to_bf16, UtilsRule)
L2_NORMALIZE_KERNEL(gdr_l2_normalize_f32, UtilsRule, float)
L2_NORMALIZE_KERNEL(gdr_l2_normalize_bf16, UtilsRule, Bf16)

L2NORM_FWD_KERNEL(gdr_l2norm_fwd_f32, L2NormRule)
L2NORM_BWD_KERNEL(gdr_l2norm_bwd_f32, L2NormRule)
OP_KERNEL(gdr_op_f32, OpRule)
CUMSUM_SCALAR_KERNEL(gdr_cumsum_scalar_f32, CumsumRule)
CUMSUM_VECTOR_KERNEL(gdr_cumsum_vector_f32, CumsumRule)

PREPARE_LENS_KERNEL(gdr_prepare_lens_i32, IndexRule)
CU_SEQLENS_KERNEL(gdr_cu_seqlens_from_lens_i32, IndexRule)
POSITION_IDS_KERNEL(gdr_prepare_position_ids_i32, IndexRule)
SEQUENCE_IDS_KERNEL(gdr_prepare_sequence_ids_i32, IndexRule)
CHUNK_OFFSETS_KERNEL(gdr_prepare_chunk_offsets_i32, IndexRule)
CHUNK_INDICES_KERNEL(gdr_prepare_chunk_indices_i32, IndexRule)

QKVZBA_SPLIT_KERNEL(gdr_qkvzba_split_bf16, SplitRule)
CONV_UPDATE_KERNEL(gdr_causal_conv1d_update_bf16, ConvRule)
CONV_PREFILL_KERNEL(gdr_causal_conv1d_fwd_f32, ConvRule)
GDN_GATING_KERNEL(gdr_fused_gdn_gating_f32, GatingRule)

GDR_FUSED_RECURRENT_KERNEL(gdr_fused_recurrent_bf16, GdrRecurrentRule)
GDR_SIGMOID_GATING_KERNEL(gdr_sigmoid_gating_update_bf16, GdrRecurrentRule)

GDR_CUMSUM_KKT_KERNEL(gdr_cumsum_kkt_f32, GdrChunkRule)
GDR_CUMSUM_KERNEL(gdr_chunk_cumsum_f32, GdrChunkRule)
GDR_KKT_KERNEL(gdr_compute_a_f32, GdrChunkRule)
GDR_KKT_KERNEL(gdr_wy_kkt_f32, GdrChunkRule)
GDR_SOLVE_TRIL_IN_PLACE_KERNEL(gdr_chunk_solve_tril_f32, GdrSolveRule)
GDR_SOLVE_TRIL_KERNEL(gdr_solve_tril_f32, GdrSolveRule)
GDR_RECOMPUTE_W_U_KERNEL(gdr_recompute_w_u_f32, GdrChunkRule)
GDR_CHUNK_DELTA_H_KERNEL(gdr_chunk_delta_h_f32, GdrChunkRule)
GDR_CHUNK_O_KERNEL(gdr_chunk_o_f32, GdrChunkRule)
