#!/bin/sh
# Builds the code objects that the tests of the reader read. Needs clang-19, lld-19, rocm-device-libs and hipcc (5.2).
set -eu
cd "$(dirname "$0")"
compile() {
    clang-19 -x hip --offload-device-only --no-gpu-bundle-output --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -O3 -cuid=x "$@"
}
compile --offload-arch=gfx906 sample.hip -o v5.co
compile --offload-arch=gfx906 -mcode-object-version=4 sample.hip -o v4.co
compile --offload-arch='gfx906:sramecc+:xnack-' sample.hip -o features.co
compile --offload-arch=gfx90a sample.hip -o gfx90a.co
compile --offload-arch=gfx906 ids.hip -o ids.co
hipcc --genco --offload-arch=gfx906 sample.hip -o hipcc.co
clang-19 -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx906 unwritten.s -o unwritten.co
# The same with 4 GiB of arguments.
sed -e 's/kernarg_segment_size: 8/kernarg_segment_size: 4294967288/' -e 's/\.amdhsa_group_seg/.amdhsa_kernarg_size 4294967288\n        &/' unwritten.s |
    clang-19 -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx906 - -o large-kernarg.co
# With debug information, whose paths are those of this folder.
clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 --rocm-path=/usr -nogpuinc -nogpulib \
    -fuse-cuid=none -O1 -g -ffile-prefix-map="$PWD=." source.hip -o source.co
