#!/bin/sh
# Builds the code objects of these kernels. Needs what kernels/README.md names.
set -eu
cd "$(dirname "$0")"
for name in tile rule state varlen layer reasons barrier; do
    # `bind` reads the names and types of arguments in varlen.co. In the others they are unknown.
    debug=
    if [ "$name" = varlen ]; then debug="-g -fdebug-compilation-dir=."; fi
    clang-19 $debug -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 "$name.hip" -o "$name.co"
done
