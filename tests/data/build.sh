#!/bin/sh
# Builds the code objects that tests of the program read. Needs what kernels/README.md names.
set -eu
cd "$(dirname "$0")"
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 unwritten.hip -o unwritten.co
# With line tables, whose paths are those of this folder.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 -gline-tables-only \
    -ffile-prefix-map="$PWD=." lines.hip -o lines.co
# With debug information.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O3 -g -ffile-prefix-map="$PWD=." stages.hip -o stages.co
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O3 partial.hip -o partial.co
# With debug information, a call, and variables that keep their places: for `debug`.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O1 -g -ffile-prefix-map="$PWD=." debug.hip -o debug.co
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O0 -g -ffile-prefix-map="$PWD=." debug.hip -o debug_O0.co
# For the sanitizer, with line tables.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 -gline-tables-only \
    -ffile-prefix-map="$PWD=." mistakes.hip -o mistakes.co
# With line tables, for messages of hangs.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -O3 -gline-tables-only \
    -ffile-prefix-map="$PWD=." waits.hip -o waits.co
# With debug information, for the names of types.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O3 -g -ffile-prefix-map="$PWD=." names.hip -o names.co
