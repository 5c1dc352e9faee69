// The rule on states of bf16 or f16 in the lines of a pool (fast/slots.hip). `128x8` is for K = 128, value-major states and a gate for each head;
// `any256` takes as many key channels or fewer, both layouts, and gates for key channels.
#include "fast/slots.hip"

using SlotsTile128 = Tile<128, 8, 1>;
using SlotsTile256 = Tile<256, 16, 1>;

SLOTS_FAST_KERNEL(gdn_slots_bf16_128x8, SlotsRule, Bf16, SlotsTile128, true)
SLOTS_FAST_KERNEL(gdn_slots_bf16_any256, SlotsRule, Bf16, SlotsTile256, false)
SLOTS_FAST_KERNEL(gdn_slots_f16_128x8, SlotsRule, _Float16, SlotsTile128, true)
SLOTS_FAST_KERNEL(gdn_slots_f16_any256, SlotsRule, _Float16, SlotsTile256, false)
