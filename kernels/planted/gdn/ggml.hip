// Wrong variants of ggml's GATED_DELTA_NET.
#pragma once
#include "bounds.hip"
#include "../../gdn/ggml.hip"

// the output not scaled
struct GgmlNoScale : GgmlRule {
    static __device__ float scale(int S) { return 1.0f; }
};
GGML_KERNEL(planted_ggml_no_scale, GgmlNoScale)

// the block map of everyone else
struct GgmlBlockHeads : GgmlRule {
    static __device__ int head(int hv, int H, int Hk) { return gdn_head(hv, Hk, H, HEAD_BLOCK); }
};
GGML_KERNEL(planted_ggml_block_heads, GgmlBlockHeads)

// the snapshots with the oldest first
struct GgmlOldestFirst : GgmlRule {
    static __device__ int slot(int token, int T, int snapshots) {
        int kept = T < snapshots ? T : snapshots;
        return token - (T - kept);
    }
};
GGML_KERNEL(planted_ggml_oldest_first, GgmlOldestFirst)

// one gate for all key channels
struct GgmlScalarGate : GgmlRule {
    static __device__ int channel(int j) { return 0; }
};
GGML_KERNEL(planted_ggml_scalar_gate, GgmlScalarGate)

// the state with values innermost
struct GgmlTransposed : GgmlRule {
    static __device__ int layout() { return STATE_KEY_MAJOR; }
};
GGML_KERNEL(planted_ggml_state_transposed, GgmlTransposed)
