// The gated delta net layer as llama.cpp's graph has it: convolution, operator with raw gates, gated norm. The files in ggml/ have the
// bodies; the names are here.
#include "ggml/conv.hip"
#include "ggml/gated_norm.hip"
#include "ggml/raw.hip"

GGML_CONV_KERNEL(ggml_ssm_conv_f32, GgmlConvRule)
GGML_GATED_NORM_KERNEL(ggml_gated_norm_f32, GgmlGatedNormRule)
GGML_RAW_KERNEL(ggml_gated_delta_net_raw_f32, GgmlRawRule)
