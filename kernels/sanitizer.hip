// Kernels with mistakes that values need not show, and right twins of them: what the sanitizer must find, and where it must be silent.
// planted/sanitizer/expected.toml says how each is launched and what is to be found; tests/commands/sanitize.rs runs them.
#include "planted/sanitizer/race.hip"
#include "planted/sanitizer/sync.hip"
#include "planted/sanitizer/memory.hip"
#include "planted/sanitizer/init.hip"
#include "planted/sanitizer/hand.hip"
