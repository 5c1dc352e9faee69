#!/bin/sh
# Builds the kernels of libhipblas.so: crates/gfx906-hipblas/kernels/blas.hip into blas.co beside it, by clang 19 (see scripts/build-kernels.sh for packages).
#   scripts/build-blas.sh [--check]     --check: only compare with what is committed
set -eu
cd "$(dirname "$0")/../crates/gfx906-hipblas/kernels"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 blas.hip -o "$out"
if [ "${1:-}" = --check ]; then
    cmp "$out" blas.co || { echo "build-blas.sh: crates/gfx906-hipblas/kernels/blas.co is not what the source gives" >&2; exit 1; }
else
    cp "$out" blas.co
    chmod 644 blas.co
fi
