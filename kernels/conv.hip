// The causal convolution over packed sequences with histories in lines of a cache, and its gradients. The files in conv/ have the
// bodies; the names are here.
#include "conv/gradient.hip"
#include "conv/packed.hip"

PACKED_CONV_KERNEL(gdn_conv_f32, PackedConvRule)
CONV_GRADIENT_KERNEL(gdn_conv_backward_f32, ConvGradientRule)
CONV_SUM_KERNEL(gdn_conv_backward_sum_f32, ConvSumRule)
