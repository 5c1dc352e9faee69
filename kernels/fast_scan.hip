// The gated delta rule with the state in registers: whole sequences (fast/scan.hip), ggml's operator by the same, decode steps of a layer
// with all that is around the rule (fast/decode.hip). A name ends in the key channels of the tile, the lanes that share a column, and the
// columns of a lane if there are several; `any` takes as many key channels or fewer.
#include "fast/decode.hip"
#include "fast/scan.hip"

using Tile64x8 = Tile<64, 8, 1>;
using Tile64x4 = Tile<64, 4, 1>;
using Tile128x8 = Tile<128, 8, 1>;
using Tile128x8x2 = Tile<128, 8, 2>;
using Tile256x16 = Tile<256, 16, 1>;

GDN_SCAN_KERNEL(gdn_scan_f32_64x8, ScanRule, float, Tile64x8, true)
GDN_SCAN_KERNEL(gdn_scan_f32_64x4, ScanRule, float, Tile64x4, true)
GDN_SCAN_KERNEL(gdn_scan_f32_128x8, ScanRule, float, Tile128x8, true)
GDN_SCAN_KERNEL(gdn_scan_f32_128x8x2, ScanRule, float, Tile128x8x2, true)
GDN_SCAN_KERNEL(gdn_scan_f32_any64, ScanRule, float, Tile64x8, false)
GDN_SCAN_KERNEL(gdn_scan_f32_any256, ScanRule, float, Tile256x16, false)
GDN_SCAN_KERNEL(gdn_scan_f16_128x8, ScanRule, _Float16, Tile128x8, true)
GDN_SCAN_KERNEL(gdn_scan_f16_any256, ScanRule, _Float16, Tile256x16, false)
GDN_SCAN_KERNEL(gdn_scan_bf16_128x8, ScanRule, Bf16, Tile128x8, true)
GDN_SCAN_KERNEL(gdn_scan_bf16_any256, ScanRule, Bf16, Tile256x16, false)

GGML_SCAN_KERNEL(ggml_scan_f32_128x8, ScanRule, Tile128x8, true, Gates::of_heads)
GGML_SCAN_KERNEL(ggml_scan_f32_any256, ScanRule, Tile256x16, false, Gates::of_heads)
GGML_SCAN_KERNEL(ggml_scan_keys_f32_128x8, ScanRule, Tile128x8, true, Gates::of_keys)
GGML_SCAN_KERNEL(ggml_scan_keys_f32_any256, ScanRule, Tile256x16, false, Gates::of_keys)

DECODE_KERNEL(gdn_decode_f32_64x8, DecodeRule, float, Tile64x8, true)
DECODE_KERNEL(gdn_decode_f32_128x8, DecodeRule, float, Tile128x8, true)
DECODE_KERNEL(gdn_decode_f32_any256, DecodeRule, float, Tile256x16, false)
DECODE_KERNEL(gdn_decode_f16_128x8, DecodeRule, _Float16, Tile128x8, true)
DECODE_KERNEL(gdn_decode_f16_any256, DecodeRule, _Float16, Tile256x16, false)
DECODE_KERNEL(gdn_decode_bf16_128x8, DecodeRule, Bf16, Tile128x8, true)
DECODE_KERNEL(gdn_decode_bf16_any256, DecodeRule, Bf16, Tile256x16, false)
