#!/usr/bin/env bash
# Compiles the scans, the decode step and the kernels to compare with for GPUs whose waves have 32 lanes, from the same sources: AMD's gfx1030
# by HIP's header, and sm_80 by the one of kernels/shim, without CUDA's toolkit. The chunk kernels want waves of 64 lanes and are not among them.
#   scripts/other-architectures.sh [--out DIR]     --out: what was compiled stays there
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
    '') out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT ;;
    --out) out=${2:?--out needs a directory} && mkdir -p "$out" ;;
    *) echo "usage: $0 [--out DIR]" >&2; exit 2 ;;
esac

fail() {
    echo "other-architectures: $*" >&2
    exit 1
}
# Kernels that a source names, by the macros that define them.
named() { grep -cE '^[A-Z_]+KERNEL\(' "kernels/$1.hip"; }

amd() { # amd SOURCE
    local object=$out/$1-gfx1030.co
    clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx1030 --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 "kernels/$1.hip" -o "$object"
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
    grep -q 'shfl\.sync\.bfly' "$text" || fail "$1: no exchange between lanes in the code for sm_80"
    echo "sm_80, waves of 32: $1.hip, $made kernels"
}

amd fast_scan
amd compare
nvidia fast_scan
nvidia compare
