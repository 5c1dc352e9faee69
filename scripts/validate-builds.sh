#!/usr/bin/env bash
# Builds the kernels at -O0 and with hipcc, and validates each build on the emulator: other compilers, other code, same verdicts.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo build --release --quiet
for build in "O0 --opt -O0" "hipcc --compiler hipcc"; do
    read -r name flags <<<"$build"
    mkdir -p "$out/$name"
    # shellcheck disable=SC2086  # two words
    scripts/build-kernels.sh --out "$out/$name" $flags >/dev/null
    # Without optimisation the gated delta rule takes minutes, and more instructions than a launch may: phases 0 to 8 stand for it.
    phases=0-10
    [[ $name == O0 ]] && phases=0-8
    printf '%s, phases %s: ' "$name" "$phases"
    target/release/deltanet-check --kernels "$out/$name/deltanet.co" --phase "$phases" | tail -n 2 | paste -sd' '
done
