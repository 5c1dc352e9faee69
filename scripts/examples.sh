#!/usr/bin/env bash
# Compiles the kernels of examples/ and runs their custom contracts: right kernels must pass every case, and the planted bugs must be caught
# for the right reasons. DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release. Needs clang-19 as kernels/README.md
# says, and python3 with NumPy.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
program=$(realpath "${DELTANET_CHECK:-target/release/deltanet-check}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1
# The first interpreter with NumPy. Debian's may stand behind another python3.
for python in ${DELTANET_CHECK_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import numpy' 2>/dev/null && break
done
export DELTANET_CHECK_PYTHON=$python

for example in examples/*/; do
    name=$(basename "$example")
    echo "== $name"
    clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 -O3 -fuse-cuid=none --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode "$example/kernel.hip" -o "$folder/$name.co"
    run=(--kernels "$folder/$name.co" --bind "$example/binding.toml")
    "$program" "${run[@]}" --relations --sanitize --report "$folder/$name.json" >"$folder/out" || {
        cat "$folder/out"
        exit 1
    }
    tail -n 2 "$folder/out"
    "$program" self-test "${run[@]}" --explain quick
done
