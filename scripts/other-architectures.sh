#!/usr/bin/env bash
# The optimised kernels and those to compare with, for GPUs whose waves have 32 lanes, from the same sources. Compiled: for AMD's gfx1030 by HIP's
# header, and for sm_80 by the one of kernels/shim, without CUDA's toolkit. Tested, on the emulator: for gfx906 with waves of 32 lanes, each of
# them a wave of 64 whose halves do the same (kernels/shim/half_waves.h), against all contracts that they are bound to; and some of these tests
# under --sanitize, which finds a barrier missing between two such waves.
#   scripts/other-architectures.sh [--out DIR]     --out: what was compiled stays there
# DELTANET_CHECK names another deltanet-check than target/release/deltanet-check.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
    '') out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT ;;
    --out) out=${2:?--out needs a directory} && mkdir -p "$out" ;;
    *) echo "usage: $0 [--out DIR]" >&2; exit 2 ;;
esac
tool=${DELTANET_CHECK:-target/release/deltanet-check}

fail() {
    echo "other-architectures: $*" >&2
    exit 1
}
# Kernels that a source names, by the macros that define them.
named() { grep -cE '^[A-Z_]+KERNEL\(' "kernels/$1.hip"; }

hip() { # hip ARCHITECTURE SOURCE OBJECT [OPTION...]
    clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch="$1" --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 "${@:4}" "kernels/$2.hip" -o "$3"
}
amd() { # amd SOURCE
    local object=$out/$1-gfx1030.co
    hip gfx1030 "$1" "$object"
    local made
    made=$(llvm-readelf-19 --notes "$object" | grep -c "\.wavefront_size: *32\$") || true
    [[ $made == "$(named "$1")" ]] || fail "$1: $made kernels for waves of 32 lanes, not $(named "$1")"
    echo "gfx1030, waves of 32: $1.hip, $made kernels"
}
nvidia() { # nvidia SOURCE
    local text=$out/$1-sm_80.ptx
    clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -nocudainc -nocudalib -std=c++17 -O3 -S \
        -Ikernels/shim "kernels/$1.hip" -o "$text"
    local made
    made=$(grep -c '\.entry' "$text") || true
    [[ $made == "$(named "$1")" ]] || fail "$1: $made kernels for sm_80, not $(named "$1")"
    grep -q 'shfl\.sync\.' "$text" || fail "$1: no exchange between lanes in the code for sm_80"
    echo "sm_80, waves of 32: $1.hip, $made kernels"
}

# Work-groups twice as wide, but for those that are a wave wide.
doubled() { sed -e 's/^block = \[\(64\|128\|256\|512\)\]$/block = ["2 * \1"]/; s/^block = \["width"\]$/block = ["2 * width"]/' "kernels/$1.bind.toml"; }
halves() { # halves SOURCE BINDING [TEST...]: all tests; those that are named once more under --sanitize
    local object=$out/$1-halves.co binding=$out/$2-halves.bind.toml log=$out/$2-halves.log
    [[ -e $object ]] || hip gfx906 "$1" "$object" -include kernels/shim/half_waves.h
    doubled "$2" > "$binding"
    "$tool" --kernels "$object" --bind "$binding" --color never > "$log" || { cat "$log" >&2; fail "$1: not right with waves of 32 lanes"; }
    echo "gfx906, waves of 32: $2.bind.toml, $(tail -1 "$log")"
    local tests=() test
    for test in "${@:3}"; do tests+=(--test "$test"); done
    [[ $# -gt 2 ]] || return 0
    "$tool" --kernels "$object" --bind "$binding" --color never --sanitize "${tests[@]}" > "$log" || { cat "$log" >&2; fail "$1: a finding with waves of 32 lanes"; }
    echo "gfx906, waves of 32, sanitized: $2.bind.toml, $(tail -1 "$log")"
}

[[ -x $tool ]] || fail "no $tool: scripts/build.sh builds it"
for source in fast_scan fast_slots fast_ggml fast_half fast_chunk fast_document compare; do
    amd "$source"
    nvidia "$source"
done
halves fast_scan fast_scan 'scan:*K=64*' 'decode in one launch:*K=64*'
halves fast_slots fast_slots 'decode on states of 16 bits'
halves fast_ggml fast_ggml 'ggml_layer in one launch'
halves fast_half fast_half 'chunks in f16 products:*T=64*'
halves fast_chunk fast_chunk 'gdn_chunked one launch, every two values:*T=33*'
halves fast_document fast_document 'intra_chunk optimised, every two values' 'deltanet optimised, every two values:*S=17*'
halves compare compare
