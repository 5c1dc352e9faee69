#!/usr/bin/env bash
# Builds the kernels with hipcc, with fast mathematics, without subnormals and at -O0, and validates each build on the emulator: other compilers,
# other code, same verdicts.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

scripts/build.sh

validate() {
    local name=$1
    shift
    printf '%s, %s: ' "$name" "$*"
    target/release/deltanet-check --kernels "$out/$name/deltanet.co" "$@" | tail -n 2 | paste -sd' '
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
# Without optimisation all of the gated delta rule takes minutes: of each of its kernels the small cases stand for it, and so for the GDR
# operators.
small=()
for test in 'gate:*' 'beta:*' 'l2norm:*' 'chunk*T=[12],*' 'chunk*T=65,*' 'recurrent*T=[12],*' 'decode*' 'error*' 'sequential:*T=33*' 'ggml*T=[1-5],*' \
    'gdr_*' 'fused_*:N=*T=1,*' 'fused_cumsum*:*T=50,*' 'chunk_tk*:*T=50,*' 'chunk_tk*:*T=90,*' 'chunk_*_tk:*T=21,*' 'solve_tril_tk*' 'wy_*:*T=37,*'; do
    small+=(--test "$test")
done
validate O0 --phase 0-11 "${small[@]}"
