// Wrong decode steps on states of bf16 or f16 in lines.
#include "../../fast/slots.hip"

using PlantedSlotsTile128 = Tile<128, 8, 1>;
using PlantedSlotsTile256 = Tile<256, 16, 1>;

// head maps swapped
struct SlotsOtherHeads : SlotsRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, !head_map); }
};
SLOTS_FAST_KERNEL(planted_decode_slots_other_heads, SlotsOtherHeads, Bf16, PlantedSlotsTile256, false)

// slots not looked up
struct SlotsNotLookedUp : SlotsRule {
    static __device__ int line(int slot, int n) { return slot < 0 ? slot : n; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_ignored, SlotsNotLookedUp, Bf16, PlantedSlotsTile256, false)

// a padding takes line 0
struct SlotsPaddingInFirst : SlotsRule {
    static __device__ int line(int slot, int n) { return slot < 0 ? 0 : slot; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_padding_written, SlotsPaddingInFirst, Bf16, PlantedSlotsTile256, false)

// flags not looked at
struct SlotsAllBegin : SlotsRule {
    static __device__ bool begins(int flag) { return true; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_flags_ignored, SlotsAllBegin, Bf16, PlantedSlotsTile256, false)

// the gate's sign
struct SlotsGateSign : SlotsRule {
    static __device__ float decay(float g) { return lanes_exp(-g); }
};
SLOTS_FAST_KERNEL(planted_decode_slots_gate_sign, SlotsGateSign, Bf16, PlantedSlotsTile256, false)

// beta on v only
struct SlotsBetaOnValue : SlotsRule {
    static __device__ float of_read(float beta) { return 1.0f; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_beta_on_v, SlotsBetaOnValue, Bf16, PlantedSlotsTile256, false)

// no scale
struct SlotsNoScale : SlotsRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_no_scale, SlotsNoScale, Bf16, PlantedSlotsTile256, false)

// the last column is not written
struct SlotsLastColumn : SlotsRule {
    static __device__ int columns(int V) { return V - 1; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_last_column, SlotsLastColumn, Bf16, PlantedSlotsTile256, false)

// states read in the other layout
struct SlotsInitialTransposed : SlotsRule {
    static __device__ int initial_layout(int layout) { return !layout; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_initial_transposed, SlotsInitialTransposed, Bf16, PlantedSlotsTile256, false)

// states written in the other layout
struct SlotsFinalTransposed : SlotsRule {
    static __device__ int final_layout(int layout) { return !layout; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_final_transposed, SlotsFinalTransposed, Bf16, PlantedSlotsTile256, false)

// rounded after every token
struct SlotsRoundedEarly : SlotsRule {
    template <class S>
    static __device__ float carried(float x) {
        S rounded;
        gdr_store(&rounded, x);
        return gdr_float(rounded);
    }
};
SLOTS_FAST_KERNEL(planted_decode_slots_rounded_early, SlotsRoundedEarly, Bf16, PlantedSlotsTile256, false)

// states cut, not rounded: the bits of an f32 that its type does not have are zeros
struct SlotsCut : SlotsRule {
    template <class S>
    static __device__ float stored(float x) {
        return __uint_as_float(__float_as_uint(x) & (__is_same(S, Bf16) ? 0xffff0000u : 0xffffe000u));
    }
};
SLOTS_FAST_KERNEL(planted_decode_slots_bf16_cut, SlotsCut, Bf16, PlantedSlotsTile128, true)
SLOTS_FAST_KERNEL(planted_decode_slots_f16_cut, SlotsCut, _Float16, PlantedSlotsTile128, true)
SLOTS_FAST_KERNEL(planted_decode_slots_f16_any_cut, SlotsCut, _Float16, PlantedSlotsTile256, false)

// every launch begins with zeros
struct SlotsDropped : SlotsRule {
    static __device__ bool begins(int flag) { return false; }
};
SLOTS_FAST_KERNEL(planted_decode_slots_bf16_dropped, SlotsDropped, Bf16, PlantedSlotsTile128, true)
SLOTS_FAST_KERNEL(planted_decode_slots_f16_dropped, SlotsDropped, _Float16, PlantedSlotsTile128, true)
