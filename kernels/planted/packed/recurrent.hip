// Wrong recurrences over packed sequences.
#pragma once
#include "../../packed/recurrent.hip"

// the error taken from the state before the decay
struct PackedUndecayed : PackedRule {
    static constexpr bool undecayed = true;
};
PACKED_KERNEL(planted_packed_undecayed, PackedUndecayed)
TRANSITION_KERNEL(planted_transition_undecayed, PackedUndecayed)

// beta on v only
struct PackedBetaOnValue : PackedRule {
    static __device__ float written(float beta, float v, float read) { return beta * v - read; }
};
PACKED_KERNEL(planted_packed_beta_on_v, PackedBetaOnValue)

// the other head map
struct PackedOtherHeads : PackedRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, 1 - head_map); }
};
PACKED_KERNEL(planted_packed_other_heads, PackedOtherHeads)
TRANSITION_KERNEL(planted_transition_other_heads, PackedOtherHeads)

// states grow
struct PackedGateSign : PackedRule {
    static __device__ float decay(float g) { return expf(-g); }
};
PACKED_KERNEL(planted_packed_gate_sign, PackedGateSign)

// the gate of the first key channel for all
struct PackedFirstGate : PackedRule {
    static __device__ int channel(int j) { return 0; }
};
PACKED_KERNEL(planted_packed_first_gate, PackedFirstGate)
TRANSITION_KERNEL(planted_transition_first_gate, PackedFirstGate)

// sequences taken for equally long
struct PackedEqualLengths : PackedRule {
    static __device__ int first(const int* cu_seqlens, int n, int N) { return (long)n * cu_seqlens[N] / N; }
    static __device__ int end(const int* cu_seqlens, int n, int N) { return (long)(n + 1) * cu_seqlens[N] / N; }
};
PACKED_KERNEL(planted_packed_equal_lengths, PackedEqualLengths)
TRANSITION_KERNEL(planted_transition_equal_lengths, PackedEqualLengths)

// tokens of the sequences before are not left out
struct PackedCarriedOver : PackedRule {
    static __device__ int first(const int* cu_seqlens, int n, int N) { return 0; }
};
PACKED_KERNEL(planted_packed_carried_over, PackedCarriedOver)

// flags not looked at
struct PackedFlagsIgnored : PackedRule {
    static __device__ bool begins(int flag) { return true; }
};
PACKED_KERNEL(planted_packed_flags_ignored, PackedFlagsIgnored)
SLOTS_KERNEL(planted_slots_flags_ignored, PackedFlagsIgnored)

// states in the other layout
struct PackedInitialTransposed : PackedRule {
    static __device__ int initial_layout(int layout) { return 1 - layout; }
};
PACKED_KERNEL(planted_packed_initial_transposed, PackedInitialTransposed)
struct PackedFinalTransposed : PackedRule {
    static __device__ int final_layout(int layout) { return 1 - layout; }
};
PACKED_KERNEL(planted_packed_final_transposed, PackedFinalTransposed)
TRANSITION_KERNEL(planted_transition_transposed, PackedFinalTransposed)

// the output not scaled
struct PackedNoScale : PackedRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
PACKED_KERNEL(planted_packed_no_scale, PackedNoScale)

// the gate applied before every step of a token
struct ProductGatedTwice : PackedRule {
    static __device__ bool gated(int step) { return true; }
};
PACKED_KERNEL(planted_product_gated_twice, ProductGatedTwice)

// the query reads after the first step
struct ProductReadEarly : PackedRule {
    static __device__ bool read_after(int step, int R) { return step == 0; }
};
PACKED_KERNEL(planted_product_read_early, ProductReadEarly)

// a padding leaves its state in line 0
struct SlotsPaddingWritten : PackedRule {
    static __device__ int written_line(int line) { return max(line, 0); }
};
SLOTS_KERNEL(planted_slots_padding_written, SlotsPaddingWritten)
VERIFY_KERNEL(planted_verify_padding_written, SlotsPaddingWritten)

// slots not looked up
struct SlotsIgnored : PackedRule {
    static __device__ int line(int slot, int n) { return slot < 0 ? slot : n; }
};
SLOTS_KERNEL(planted_slots_ignored, SlotsIgnored)

// a sequence begins with the state of its first draft token
struct VerifyFirstLine : PackedRule {
    static __device__ int start(int accepted, int T) { return 0; }
};
VERIFY_KERNEL(planted_verify_first_line, VerifyFirstLine)

// the number of accepted tokens taken for the place of the last
struct VerifyNextLine : PackedRule {
    static __device__ int start(int accepted, int T) { return min(accepted, T - 1); }
};
VERIFY_KERNEL(planted_verify_next_line, VerifyNextLine)

// every token writes the line of the sequence's first
struct VerifyOneLine : PackedRule {
    static __device__ int token_line(int token) { return 0; }
};
VERIFY_KERNEL(planted_verify_one_line, VerifyOneLine)

HALF_KERNEL(planted_half_flags_ignored, PackedFlagsIgnored)
HALF_KERNEL(planted_half_beta_on_v, PackedBetaOnValue)

// rounded after every token where the last alone should be
struct HalfRoundedEarly : PackedRule {
    static __device__ bool rounds(int each_token) { return true; }
};
HALF_KERNEL(planted_half_rounded_early, HalfRoundedEarly)

// cut, not rounded
struct HalfCut : PackedRule {
    template <class E>
    static __device__ void store(E& to, float x) {
        packed_round(to, x);
        // of a number that was rounded up, one less
        unsigned short bits;
        __builtin_memcpy(&bits, &to, 2);
        if (fabsf(packed_float(to)) > fabsf(x)) bits--;
        __builtin_memcpy(&to, &bits, 2);
    }
};
HALF_KERNEL(planted_half_cut, HalfCut)

// M transposed, and the state of the second half forgotten
struct MergeTransposed : MergeRule {
    static __device__ long element(int i, int t, int K) { return (long)t * K + i; }
};
MERGE_KERNEL(planted_merge_transposed, MergeTransposed)
struct MergeForgotten : MergeRule {
    static __device__ float second(float second) { return 0.0f; }
};
MERGE_KERNEL(planted_merge_forgotten, MergeForgotten)
