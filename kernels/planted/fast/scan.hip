// Wrong scans and decode steps.
#include "../../fast/decode.hip"
#include "../../fast/scan.hip"

// Of 64 key channels, and of no more.
using PlantedTile = Tile<64, 8, 1>;
using PlantedTile128 = Tile<128, 8, 1>;
using PlantedTile128x2 = Tile<128, 8, 2>;

// registers that never take the factor on
struct ScanNoRenormalisation : ScanRule {
    static __device__ bool out_of_range(int exponent) { return false; }
};
GDN_SCAN_KERNEL(planted_scan_no_renormalisation, ScanNoRenormalisation, float, PlantedTile, true)

// each block of tokens begins with the factor 1
struct ScanNotCarried : ScanRule {
    static __device__ float carried(float factor) { return 1.0f; }
};
GDN_SCAN_KERNEL(planted_scan_not_carried, ScanNotCarried, float, PlantedTile, true)

// the token after the last is read
struct ScanReadsPastEnd : ScanRule {
    static __device__ bool is_before_last(int token, int T) { return true; }
};
GDN_SCAN_KERNEL(planted_scan_reads_past_end, ScanReadsPastEnd, float, PlantedTile, true)

// the last column is not written
struct ScanLastColumn : ScanRule {
    static __device__ int columns(int V) { return V - 1; }
};
GDN_SCAN_KERNEL(planted_scan_last_column, ScanLastColumn, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_last_column, ScanLastColumn, PlantedTile, false, Gates::of_heads)

// head maps swapped
struct ScanOtherHeads : ScanRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, !head_map); }
};
GDN_SCAN_KERNEL(planted_scan_other_heads, ScanOtherHeads, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_other_heads, ScanOtherHeads, PlantedTile, false, Gates::of_heads)

// initial state transposed
struct ScanInitialTransposed : ScanRule {
    static __device__ int initial_layout(int layout) { return !layout; }
};
GDN_SCAN_KERNEL(planted_scan_initial_transposed, ScanInitialTransposed, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_initial_transposed, ScanInitialTransposed, PlantedTile, false, Gates::of_heads)

// final state transposed
struct ScanFinalTransposed : ScanRule {
    static __device__ int final_layout(int layout) { return !layout; }
};
GDN_SCAN_KERNEL(planted_scan_final_transposed, ScanFinalTransposed, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_final_transposed, ScanFinalTransposed, PlantedTile, false, Gates::of_heads)

// scale missing
struct ScanNoScale : ScanRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
GDN_SCAN_KERNEL(planted_scan_no_scale, ScanNoScale, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_no_scale, ScanNoScale, PlantedTile, false, Gates::of_heads)

// the gates of the first block for all tokens
struct ScanFirstGates : ScanRule {
    static __device__ bool begins_block(int token) { return token == 0; }
};
GDN_SCAN_KERNEL(planted_scan_first_gates, ScanFirstGates, float, PlantedTile, true)

// the state without its factor
struct ScanNoFactor : ScanRule {
    static __device__ float kept(float factor) { return 1.0f; }
};
GDN_SCAN_KERNEL(planted_scan_no_factor, ScanNoFactor, float, PlantedTile, true)
GGML_SCAN_KERNEL(planted_ggml_scan_no_factor, ScanNoFactor, PlantedTile, false, Gates::of_heads)

// gate sign flipped
struct ScanGateSign : ScanRule {
    static __device__ float decay(float g, int gate_kind) { return 1.0f / gdn_decay(g, gate_kind); }
};
GDN_SCAN_KERNEL(planted_scan_gate_sign, ScanGateSign, float, PlantedTile, true)

// snapshots in reverse order
struct ScanOldestFirst : ScanRule {
    static __device__ int slot(int token, int T, int snapshots) { return token; }
};
GGML_SCAN_KERNEL(planted_ggml_scan_oldest_first, ScanOldestFirst, PlantedTile, false, Gates::of_heads)

// head maps swapped
struct DecodeOtherHeads : DecodeRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, !head_map); }
};
DECODE_KERNEL(planted_decode_other_heads, DecodeOtherHeads, float, PlantedTile, false)

// keys and queries without their norm
struct DecodeNoNorm : DecodeRule {
    static __device__ float norm(float squares, float eps) { return 1.0f; }
};
DECODE_KERNEL(planted_decode_no_norm, DecodeNoNorm, float, PlantedTile, false)

// the sum of squares for its root
struct DecodeNoRoot : DecodeRule {
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal(squares + eps); }
};
DECODE_KERNEL(planted_decode_no_root, DecodeNoRoot, float, PlantedTile, false)

// dt_bias forgotten
struct DecodeNoBias : DecodeRule {
    static __device__ float biased(float a, float dt_bias) { return a; }
};
DECODE_KERNEL(planted_decode_no_bias, DecodeNoBias, float, PlantedTile, false)

// A_log taken for A
struct DecodeNoExp : DecodeRule {
    static __device__ float decay(float a_log, float x) { return lanes_exp(-a_log * softplus(x)); }
};
DECODE_KERNEL(planted_decode_no_exp, DecodeNoExp, float, PlantedTile, false)

// minus forgotten
struct DecodeGateSign : DecodeRule {
    static __device__ float decay(float a_log, float x) { return lanes_exp(lanes_exp(a_log) * softplus(x)); }
};
DECODE_KERNEL(planted_decode_gate_sign, DecodeGateSign, float, PlantedTile, false)

// b for its sigmoid
struct DecodeNoSigmoid : DecodeRule {
    static __device__ float strength(float b) { return b; }
};
DECODE_KERNEL(planted_decode_no_sigmoid, DecodeNoSigmoid, float, PlantedTile, false)

// snapshots in reverse order
struct DecodeOldestFirst : DecodeRule {
    static __device__ int slot(int token, int T, int snapshots) { return token; }
};
DECODE_KERNEL(planted_decode_oldest_first, DecodeOldestFirst, float, PlantedTile, false)

// initial state transposed
struct DecodeInitialTransposed : DecodeRule {
    static __device__ int initial_layout(int layout) { return !layout; }
};
DECODE_KERNEL(planted_decode_initial_transposed, DecodeInitialTransposed, float, PlantedTile, false)

// states transposed
struct DecodeFinalTransposed : DecodeRule {
    static __device__ int final_layout(int layout) { return !layout; }
};
DECODE_KERNEL(planted_decode_final_transposed, DecodeFinalTransposed, float, PlantedTile, false)

// scale missing
struct DecodeNoScale : DecodeRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
DECODE_KERNEL(planted_decode_no_scale, DecodeNoScale, float, PlantedTile, false)

// the last column is not written
struct DecodeLastColumn : DecodeRule {
    static __device__ int columns(int V) { return V - 1; }
};
DECODE_KERNEL(planted_decode_last_column, DecodeLastColumn, float, PlantedTile, false)

// of other tiles and elements
GDN_SCAN_KERNEL(planted_scan_x2_last_column, ScanLastColumn, float, PlantedTile128x2, true)
GDN_SCAN_KERNEL(planted_scan_f16_no_scale, ScanNoScale, _Float16, PlantedTile128, true)
GDN_SCAN_KERNEL(planted_scan_bf16_no_scale, ScanNoScale, Bf16, PlantedTile128, true)
DECODE_KERNEL(planted_decode_f16_no_norm, DecodeNoNorm, _Float16, PlantedTile128, true)
DECODE_KERNEL(planted_decode_bf16_no_norm, DecodeNoNorm, Bf16, PlantedTile128, true)

// the epsilon on the mean of 64 squares, not on their sum
struct DecodeEpsilonOfMean : DecodeRule {
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal_root(squares + 64.0f * eps); }
};
DECODE_KERNEL(planted_decode_eps_of_mean, DecodeEpsilonOfMean, float, PlantedTile, false)

// no epsilon: a row of zeros is no number
struct DecodeNoEpsilon : DecodeRule {
    static __device__ float norm(float squares, float eps) { return lanes_reciprocal_root(squares); }
};
DECODE_KERNEL(planted_decode_no_eps, DecodeNoEpsilon, float, PlantedTile, false)

// e^b / (1 + e^b): no number where e^b overflows
struct DecodeStrengthOverflows : DecodeRule {
    static __device__ float strength(float b) { return lanes_exp(b) * lanes_reciprocal(1.0f + lanes_exp(b)); }
};
DECODE_KERNEL(planted_decode_strength_overflows, DecodeStrengthOverflows, float, PlantedTile, false)

// no threshold: e^x overflows
struct DecodeNoThreshold : DecodeRule {
    static __device__ float decay(float a_log, float x) { return lanes_exp(-lanes_exp(a_log) * lanes_log(1.0f + lanes_exp(x))); }
};
DECODE_KERNEL(planted_decode_no_threshold, DecodeNoThreshold, float, PlantedTile, false)
