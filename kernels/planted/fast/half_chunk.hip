// Wrong kernels of the chunks with products in f16.
#include "../../fast/half_prepare.hip"
#include "../../fast/half_scan.hip"

// beta of the column
struct HalfColumnBeta : HalfRule {
    static __device__ float row_beta(float beta_i, float beta_j) { return beta_j; }
};
HALF_PREPARE_KERNEL(planted_half_prepare_beta_of_column, HalfColumnBeta)

// a token does not see itself
struct HalfBlind : HalfRule {
    static __device__ float seen(float of_itself) { return 0.0f; }
};
HALF_PREPARE_KERNEL(planted_half_prepare_no_diagonal, HalfBlind)

// the last token of a ragged end left out
struct HalfShortTail : HalfRule {
    static __device__ int tokens(int left) { return left < HALF_TOKENS && left > 1 ? left - 1 : min(left, HALF_TOKENS); }
};
HALF_PREPARE_KERNEL(planted_half_prepare_short_tail, HalfShortTail)

// the gate's sign
struct HalfGateSign : HalfRule {
    static __device__ float decay(float g, int gate_kind) { return 1.0f / gdn_decay(g, gate_kind); }
};
HALF_PREPARE_KERNEL(planted_half_prepare_gate_sign, HalfGateSign)

// no scale
struct HalfNoScale : HalfRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
HALF_PREPARE_KERNEL(planted_half_prepare_no_scale, HalfNoScale)

// the tokens of a pair in each other's place
struct HalfPairSwapped : HalfRule {
    static __device__ unsigned pair(unsigned early, unsigned late) { return HalfRule::pair(late, early); }
};
HALF_PREPARE_KERNEL(planted_half_prepare_pairs_swapped, HalfPairSwapped)

// the other head map
struct HalfOtherHeads : HalfRule {
    static __device__ int key_head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, !head_map); }
};
HALF_SCAN_KERNEL(planted_half_scan_other_heads, HalfOtherHeads)

// the last column is not written
struct HalfLastColumn : HalfRule {
    static __device__ int columns(int V) { return V - 1; }
};
HALF_SCAN_KERNEL(planted_half_scan_last_column, HalfLastColumn)

// initial state transposed
struct HalfInitialTransposed : HalfRule {
    static __device__ int initial_layout(int layout) { return !layout; }
};
HALF_SCAN_KERNEL(planted_half_scan_initial_transposed, HalfInitialTransposed)

// final state transposed
struct HalfFinalTransposed : HalfRule {
    static __device__ int final_layout(int layout) { return !layout; }
};
HALF_SCAN_KERNEL(planted_half_scan_final_transposed, HalfFinalTransposed)

// a chunk is read before it lies in LDS
struct HalfNoMeeting : HalfRule {
    static __device__ void meet() {}
};
HALF_SCAN_KERNEL(planted_half_scan_no_barrier, HalfNoMeeting)

// the state dropped at the end of a chunk
struct HalfDropped : HalfRule {
    static __device__ float carried(float decay) { return 0.0f; }
};
HALF_SCAN_KERNEL(planted_half_scan_state_dropped, HalfDropped)

// the state of a chunk not decayed for the next
struct HalfNotDecayed : HalfRule {
    static __device__ float carried(float decay) { return 1.0f; }
};
HALF_SCAN_KERNEL(planted_half_scan_not_decayed, HalfNotDecayed)

// sums of the first half of the parts lost
struct HalfPartsLost : HalfRule {
    static __device__ float handed_on(float sum, int step) { return step / 4 == HALF_PARTS / 2 ? 0.0f : sum; }
};
HALF_SCAN_KERNEL(planted_half_scan_parts_lost, HalfPartsLost)
