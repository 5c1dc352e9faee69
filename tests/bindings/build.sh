#!/bin/sh
# Builds the code objects of these kernels. Needs what kernels/README.md names.
set -eu
cd "$(dirname "$0")"
for name in tile rule state varlen; do
    # `bind` reads the names of arguments in varlen.co. In the others they are unknown.
    names=
    if [ "$name" = varlen ]; then names=-fhip-kernel-arg-name; fi
    clang-19 $names -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 "$name.hip" -o "$name.co"
done
