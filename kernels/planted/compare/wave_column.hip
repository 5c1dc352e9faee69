// Wrong variants of the kernels to compare with.
#include "../../compare/wave_column.hip"

// sums over half the wave
struct WaveColumnHalfWave : WaveColumnRule {
    static constexpr int SUMMED = WAVE / 2;
};
WAVE_COLUMN_KERNEL(planted_wave_column_half_wave, WaveColumnHalfWave)

// head maps swapped
struct WaveColumnOtherHeads : WaveColumnRule {
    static __device__ int head(int hv, int H, int HV, int head_map) { return gdn_head(hv, H, HV, !head_map); }
};
WAVE_COLUMN_KERNEL(planted_wave_column_other_heads, WaveColumnOtherHeads)

// initial state transposed
struct WaveColumnInitialTransposed : WaveColumnRule {
    static __device__ int initial_layout(int layout) { return !layout; }
};
WAVE_COLUMN_KERNEL(planted_wave_column_initial_transposed, WaveColumnInitialTransposed)

// final state transposed
struct WaveColumnFinalTransposed : WaveColumnRule {
    static __device__ int final_layout(int layout) { return !layout; }
};
WAVE_COLUMN_KERNEL(planted_wave_column_final_transposed, WaveColumnFinalTransposed)

// scale missing
struct WaveColumnNoScale : WaveColumnRule {
    static __device__ float scale(float) { return 1.0f; }
};
WAVE_COLUMN_KERNEL(planted_wave_column_no_scale, WaveColumnNoScale)
