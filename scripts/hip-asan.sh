#!/usr/bin/env bash
# Random calls of HIP (crates/gfx906-hip/tests/sequences/) with the runtime, the emulator and the test under AddressSanitizer: reads and writes of freed
# memory, beyond the end of blocks, and of returned stack frames end the run with a report, on threads of the runtime, too.
#   scripts/hip-asan.sh [N [SEED]]     N sequences by one thread and N by each of four (default 1000), from seed SEED
# The installed stable toolchain does it. What is built is in target/asan, apart from everything else; the first time that takes as long as a
# release build.
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
# Symbols and lines, for the reports.
export RUSTFLAGS="-Zsanitizer=address -Cforce-frame-pointers=yes" CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
# The runtime lives until the process ends, and so does what it holds: that is no leak. Addresses of the caller's that are no memory are looked
# up and refused, and one that is followed all the same faults: ASan tells that, too.
export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
symbolizer=$(compgen -c llvm-symbolizer | sort -V | tail -n 1)
if [[ -n $symbolizer ]]; then
    ASAN_SYMBOLIZER_PATH=$(command -v "$symbolizer")
    export ASAN_SYMBOLIZER_PATH
fi
# Without `--target` the compiler's own plugins would be built with it as well.
GFX906_SEQUENCES=${1:-1000} GFX906_SEED=${2:-0} cargo test --locked --release --target "$host" \
    --target-dir "${CARGO_TARGET_DIR:-target}/asan" -p gfx906-hip --test sequences -- --test-threads 1
