// The gated delta rule by chunks, for speed. The files in fast/ have the bodies; the names are here. `k128` is for K = 128
// (and V = 128 of those that have to do with v), the others are for any sizes.
#include "fast/chunk_fused.hip"
#include "fast/chunk_prepare.hip"
#include "fast/chunk_scan.hip"

PREPARE_KERNEL(fast_chunk_prepare_f32, FastChunkRule, false)
PREPARE_KERNEL(fast_chunk_prepare_k128_f32, FastChunkRule, true)
SCAN_KERNEL(fast_chunk_scan_out_f32, FastChunkRule, false)
SCAN_KERNEL(fast_chunk_scan_out_k128_f32, FastChunkRule, true)

FUSED_KERNEL(fast_chunk_fused_f32, FastChunkRule, false)
FUSED_KERNEL(fast_chunk_fused_k128_f32, FastChunkRule, true)
