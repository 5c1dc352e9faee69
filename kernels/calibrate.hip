// Microbenchmarks of a card: each kernel does one thing so many times that its time is the time of that thing. `deltanet-check calibrate` runs
// them (docs/profile.md). The instructions that count are written in assembly, so that no compiler changes their number.
#include "calibrate/chains.hip"
#include "calibrate/chases.hip"
#include "calibrate/memory.hip"
