#!/usr/bin/env bash
# Builds the kernels with hipcc, with fast mathematics, without subnormals and at -O0, and validates each build on the emulator: other compilers,
# other code, same verdicts. DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
tool=${DELTANET_CHECK:-target/release/deltanet-check}

validate() {
    local name=$1
    shift
    printf '%s, %s: ' "$name" "$*"
    "$tool" --kernels "$out/$name/deltanet.co" "$@" | tail -n 2 | paste -sd' '
}
build() {
    local name=$1
    shift
    mkdir -p "$out/$name"
    scripts/build-kernels.sh --out "$out/$name" --only deltanet "$@" >/dev/null
}
# A compiler has one thread: all at once.
build hipcc --compiler hipcc & builds=$!
build fast-math --opt '-O3 -ffast-math' & builds+=" $!"
build flushed --opt '-O3 -fgpu-flush-denormals-to-zero' & builds+=" $!"
build O0 --opt -O0 & builds+=" $!"
for job in $builds; do wait "$job"; done
validate hipcc --phase 0-12
# What people do for speed must not be called wrong. It does not keep what phase 13 asks for: subnormals, infinities.
validate fast-math --phase 0-12
validate flushed --phase 0-12
validate O0 --phase 0-8
# Without optimisation all of the gated delta rule takes minutes: a sixth of the cases stands for it.
validate O0 --phase 9-11 --partition 1/6
