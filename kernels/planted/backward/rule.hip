// Wrong gradients of the gated delta rule.
#pragma once
#include "../../backward/rule.hip"

// dq without the scale of the output
struct QueryUnscaled : BackwardRule {
    static __device__ float query_scale(float scale) { return 1.0f; }
};
BACKWARD_KERNEL(planted_gdn_backward_query_unscaled, QueryUnscaled)

// dq reads the state before the token is written
struct QueryBeforeWrite : BackwardRule {
    static __device__ float read_by_query(float after, float decayed) { return decayed; }
};
BACKWARD_KERNEL(planted_gdn_backward_query_before_write, QueryBeforeWrite)

// dk of the read alone: the write's part is missing
struct KeyWithoutWrite : BackwardRule {
    static __device__ float key(float written, float read) { return -read; }
};
BACKWARD_KERNEL(planted_gdn_backward_key_without_write, KeyWithoutWrite)

// dk of the write alone: the part of the read through the error is missing
struct KeyWithoutRead : BackwardRule {
    static __device__ float key(float written, float read) { return written; }
};
BACKWARD_KERNEL(planted_gdn_backward_key_without_read, KeyWithoutRead)

// dg without the decay's part through the error
struct GateWithoutError : BackwardRule {
    static __device__ float gate(float by_state, float by_decayed) { return by_state; }
};
BACKWARD_KERNEL(planted_gdn_backward_gate_without_error, GateWithoutError)

// the gradient by the state without the part through the error
struct StateWithoutError : BackwardRule {
    static __device__ float through_error(float by_state, float part) { return by_state; }
};
BACKWARD_KERNEL(planted_gdn_backward_state_without_error, StateWithoutError)

// dbeta multiplies the value and not the error
struct StrengthByValue : BackwardRule {
    static __device__ float strength(float error, float v) { return v; }
};
BACKWARD_KERNEL(planted_gdn_backward_strength_by_value, StrengthByValue)

// dv without the write strength
struct ValueWithoutStrength : BackwardRule {
    static __device__ float value(float by_d, float beta) { return by_d; }
};
BACKWARD_KERNEL(planted_gdn_backward_value_without_strength, ValueWithoutStrength)

// the gradient by the initial state without the decay of the first token
struct InitialUndecayed : BackwardRule {
    static __device__ float decay(float alpha, int token) { return token == 0 ? 1.0f : alpha; }
};
BACKWARD_KERNEL(planted_gdn_backward_initial_undecayed, InitialUndecayed)

// the gradient by the state dropped at every boundary of a segment
struct SegmentDropped : BackwardRule {
    static __device__ bool carries_to_segment() { return false; }
};
BACKWARD_KERNEL(planted_gdn_backward_segment_dropped, SegmentDropped)

// the gradient by the final state left out
struct LastIgnored : BackwardRule {
    static __device__ bool forgets_after(int token, int T) { return token == T - 1; }
};
BACKWARD_KERNEL(planted_gdn_backward_last_ignored, LastIgnored)

// the gradient by the final state read in the other layout
struct LastTransposed : BackwardRule {
    static __device__ int last_layout(int layout) { return 1 - layout; }
};
BACKWARD_KERNEL(planted_gdn_backward_last_transposed, LastTransposed)

// the gradient by the initial state written in the other layout
struct FirstTransposed : BackwardRule {
    static __device__ int first_layout(int layout) { return 1 - layout; }
};
BACKWARD_KERNEL(planted_gdn_backward_first_transposed, FirstTransposed)

// the other head map
struct BackwardOtherHeads : BackwardRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, 1 - head_map); }
};
BACKWARD_KERNEL(planted_gdn_backward_other_heads, BackwardOtherHeads)

// only column 0 of dv written
struct FirstValue : BackwardRule {
    static __device__ bool writes(int col) { return col == 0; }
};
BACKWARD_KERNEL(planted_gdn_backward_first_value, FirstValue)

// dq and dk of the last value head alone
struct LastOfGroup : GroupSumRule {
    static __device__ int first(int group) { return group - 1; }
};
GROUP_SUM_KERNEL(planted_gdn_backward_last_of_group, LastOfGroup)

// sums of the value heads of the other map
struct GroupOfOtherMap : GroupSumRule {
    static __device__ int value_head(int n, int h, int H, int HV, int head_map) {
        return GroupSumRule::value_head(n, h, H, HV, 1 - head_map);
    }
};
GROUP_SUM_KERNEL(planted_gdn_backward_group_of_other_map, GroupOfOtherMap)
