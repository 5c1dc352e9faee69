// The gated delta rule by chunks, for speed. The files in fast/ have the bodies; the names are here. `k128` is for K = 128, the others are for any
// sizes.
#include "fast/chunk_fused.hip"

FUSED_KERNEL(fast_chunk_fused_f32, FastChunkRule, false)
FUSED_KERNEL(fast_chunk_fused_k128_f32, FastChunkRule, true)
