// Kernels to compare with: how others launch what the optimised kernels compute, restated. Nobody should use them.
#include "compare/wave_column.hip"

WAVE_COLUMN_KERNEL(compare_wave_column_f32, WaveColumnRule)
