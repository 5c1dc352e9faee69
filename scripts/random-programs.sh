#!/bin/sh
# Runs random programs on the emulator, each at every feature level of this host and on one and two threads: no panic, no difference.
# With `checked` each runs under all checks of the sanitizer: no panic, nothing that changes, the same findings again.
# Usage: scripts/random-programs.sh [checked] [COUNT [SEED]]   (default 20000 programs from seed 1; `list SEED` prints one)
set -eu
cd "$(dirname "$0")/.."
scripts/build.sh
exec "${CARGO_TARGET_DIR:-target}/release/examples/random_programs" "${@:-20000}"
