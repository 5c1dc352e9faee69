#!/usr/bin/env bash
# Builds the kernels at -O0 and with hipcc, and validates each build on the emulator: other compilers, other code, same verdicts.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo build --release --quiet

validate() {
    local name=$1
    shift
    printf '%s, %s: ' "$name" "$*"
    target/release/deltanet-check --kernels "$out/$name/deltanet.co" "$@" | tail -n 2 | paste -sd' '
}
for build in "O0 --opt -O0" "hipcc --compiler hipcc"; do
    read -r name flags <<<"$build"
    mkdir -p "$out/$name"
    # shellcheck disable=SC2086  # two words
    scripts/build-kernels.sh --out "$out/$name" $flags >/dev/null
done
validate hipcc --phase 0-11
validate O0 --phase 0-8
# Without optimisation all of the gated delta rule takes minutes: of each of its kernels the small cases stand for it, and so for the GDR
# operators.
small=()
for test in 'gate:*' 'beta:*' 'l2norm:*' 'chunk*T=[12],*' 'chunk*T=65,*' 'recurrent*T=[12],*' 'decode*' 'error*' 'sequential:*T=33*' 'ggml*T=[1-5],*' \
    'gdr_*' 'fused_*:N=*T=1,*' 'fused_cumsum*:*T=50,*' 'chunk_tk*:*T=50,*' 'chunk_tk*:*T=90,*' 'chunk_*_tk:*T=21,*' 'solve_tril_tk*' 'wy_*:*T=37,*'; do
    small+=(--test "$test")
done
validate O0 "${small[@]}"
