// Wrong convolutions over packed sequences.
#pragma once
#include "../../conv/packed.hip"

// the weights from the last to the first
struct PackedConvReversed : PackedConvRule {
    static constexpr bool reversed = true;
};
PACKED_CONV_KERNEL(planted_gdn_conv_weights_reversed, PackedConvReversed)

// the bias forgotten
struct PackedConvNoBias : PackedConvRule {
    static __device__ float bias(float bias) { return 0.0f; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_no_bias, PackedConvNoBias)

// no activation, whatever is asked for
struct PackedConvNoSilu : PackedConvRule {
    static __device__ float activated(float y, int silu) { return y; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_no_silu, PackedConvNoSilu)

// the first tokens look back into the sequence before
struct PackedConvAcross : PackedConvRule {
    static constexpr bool across = true;
};
PACKED_CONV_KERNEL(planted_gdn_conv_history_across, PackedConvAcross)

// the history of a sequence shorter than it: old elements stay where they stood
struct PackedConvShortStands : PackedConvRule {
    static __device__ float left(float moved, float stood) { return stood; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_short_not_shifted, PackedConvShortStands)

// padding taken for line 0
struct PackedConvPaddingIsLineZero : PackedConvRule {
    static __device__ int read(const int* read, int n) { return read[n] < 0 ? 0 : read[n]; }
    static __device__ int written(const int* written, const int* read, int n) { return written[n] < 0 ? 0 : written[n]; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_padding_is_line_0, PackedConvPaddingIsLineZero)

// padding still read, as line 0, and not written
struct PackedConvPaddingComputed : PackedConvRule {
    static __device__ int read(const int* read, int n) { return read[n] < 0 ? 0 : read[n]; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_padding_computed, PackedConvPaddingComputed)

// the history read where the flag says that there is none
struct PackedConvFlagIgnored : PackedConvRule {
    static __device__ bool initial(const int* has_initial, int n) { return true; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_flag_ignored, PackedConvFlagIgnored)

// the history after the sequence in the line that was read
struct PackedConvWritesReadLine : PackedConvRule {
    static __device__ int written(const int* written, const int* read, int n) { return written[n] < 0 ? -1 : read[n]; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_writes_read_line, PackedConvWritesReadLine)

// the cache left as it was
struct PackedConvStale : PackedConvRule {
    static __device__ bool keeps(int channel) { return false; }
};
PACKED_CONV_KERNEL(planted_gdn_conv_cache_stale, PackedConvStale)
