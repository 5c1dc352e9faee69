#!/usr/bin/env bash
# Runs the fuzz targets with a stable compiler: each reads random changes of good files, and is guided by the code that it reaches.
#   scripts/fuzz.sh [SECONDS [TARGET...]]     SECONDS for each target (60); without TARGETs, all of them
# What a target finds stays in target/fuzz/found, and what reached new code in target/fuzz/corpus, where the next run begins.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(cd fuzz/fuzz_targets && ls | sed 's/\.rs$//')

# What libFuzzer counts: blocks of code, and the operands of comparisons.
flags=(-Cpasses=sancov-module -Ccodegen-units=1 -Cdebug-assertions --cfg fuzzing)
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=("-Cllvm-args=-sanitizer-coverage-$option")
done
triple=$(rustc -vV | sed -n 's/^host: //p')
# With a target, build scripts and macros are not instrumented.
RUSTFLAGS="${flags[*]}" CARGO_TARGET_DIR=target/fuzz cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$triple"

failed=()
for target in "${targets[@]}"; do
    corpus=target/fuzz/corpus/$target
    found=target/fuzz/found/$target
    mkdir -p "$corpus" "$found"
    # The good files that the target's reader names.
    for seed in $(sed -n "/name: \"$target\"/,/\],/p" fuzz/src/files.rs | grep -o '"[^"]*/[^"]*"' | tr -d '"'); do
        cp "$seed" "$corpus/${seed//\//-}"
    done
    log=target/fuzz/$target.log
    if "target/fuzz/$triple/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -close_fd_mask=1 \
        -artifact_prefix="$found/" "$corpus" >"$log" 2>&1; then
        grep -E '^Done' "$log" | sed "s/^/$target: /"
    else
        failed+=("$target")
        tail -n 20 "$log"
    fi
done
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "targets that found something: ${failed[*]} (target/fuzz/found)" >&2
    exit 1
fi
