#!/bin/sh
# Runs random programs on the emulator, each at every feature level of this host and on one and two threads: no panic, no difference.
# Usage: scripts/random-programs.sh [COUNT [SEED]]   (default 20000 programs from seed 1; `list SEED` prints one)
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --release -p gfx906 --example random_programs
exec "${CARGO_TARGET_DIR:-target}/release/examples/random_programs" "${@:-20000}"
