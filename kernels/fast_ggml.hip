// The gated delta net layer in ggml's layouts, in one launch (fast/ggml_layer.hip): heads of 128 channels, a convolution over 4 tokens.
#include "fast/ggml_layer.hip"

GGML_LAYER_KERNEL(ggml_delta_net_layer_f32_128, GgmlLayerRule)
