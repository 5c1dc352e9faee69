// The gated delta rule by chunks, with products in f16 that are summed in f32, for 128 key channels (fast/half_chunk.hip).
#include "fast/half_prepare.hip"
#include "fast/half_scan.hip"

HALF_PREPARE_KERNEL(fast_half_prepare_128, HalfRule)
HALF_SCAN_KERNEL(fast_half_scan_128, HalfRule)
