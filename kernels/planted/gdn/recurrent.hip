// Wrong recurrences of the gated delta rule.
#pragma once
#include "bounds.hip"
#include "../../gdn/recurrent.hip"

// the error taken from the state before the decay
struct UndecayedError : DeltaRule {
    static constexpr bool undecayed = true;
};
RECURRENT_KERNEL(planted_gdn_recurrent_undecayed_error, UndecayedError)

// beta on v only
struct BetaOnValue : DeltaRule {
    static __device__ float written(float beta, float v, float read) { return beta * v - read; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_beta_on_v, BetaOnValue)

// the state dropped every 64 tokens
struct StateDropped : DeltaRule {
    static __device__ bool forgets_before(int token) { return token > 0 && token % 64 == 0; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_state_dropped, StateDropped)

// the initial state read in the other layout
struct InitialTransposed : DeltaRule {
    static __device__ int initial_layout(int layout) { return 1 - layout; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_initial_transposed, InitialTransposed)

// the final state written in the other layout
struct FinalTransposed : DeltaRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_final_transposed, FinalTransposed)

// the output not scaled
struct NoScale : DeltaRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_no_scale, NoScale)

// the other head map
struct OtherHeads : DeltaRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, 1 - head_map); }
};
RECURRENT_KERNEL(planted_gdn_recurrent_other_heads, OtherHeads)

// the sign of the gate flipped: the state grows
struct DecaySign : DeltaRule {
    static __device__ float decay(float g, int gate_kind) { return 1.0f / gdn_decay(g, gate_kind); }
};
RECURRENT_KERNEL(planted_gdn_recurrent_gate_sign, DecaySign)

// the state carried over from the sequence before: all tokens up to this sequence's end, from the first sequence on
struct CarriedOver : DeltaRule {
    static __device__ int first_token(int b, int T) { return 0; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_carried_over, CarriedOver)

// only column 0 of the output written
struct FirstColumn : DeltaRule {
    static __device__ bool writes(int col) { return col == 0; }
};
RECURRENT_KERNEL(planted_gdn_recurrent_first_column, FirstColumn)

// the notebook's rule with everyone else's order: the error taken from the decayed state
struct NotebookDecayed : NotebookRule {
    static constexpr bool undecayed = false;
};
SEQUENTIAL_KERNEL(planted_gdn_sequential_decayed_error, NotebookDecayed)

// the factor taken for a logarithm
struct NotebookLogGate : NotebookRule {
    static __device__ float decay(float g, int gate_kind) { return expf(g); }
};
SEQUENTIAL_KERNEL(planted_gdn_sequential_log_gate, NotebookLogGate)

// beta on v only
struct NotebookBetaOnValue : NotebookRule {
    static __device__ float written(float beta, float v, float read) { return beta * v - read; }
};
SEQUENTIAL_KERNEL(planted_gdn_sequential_beta_on_v, NotebookBetaOnValue)
