#!/usr/bin/env bash
# Builds the HIP runtime on the emulator into target/hip/: libamdhip64.so under each name that programs look for.
#   scripts/build-hip.sh [--dev]     --dev: the dev profile, quicker to compile and slower to run
# The linker gives the exported functions the symbol versions of the table in hip/src/api.rs.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=release
if [[ ${1:-} == --dev ]]; then profile=dev; fi
target=${CARGO_TARGET_DIR:-target}
cargo build --locked -p gfx906-hip --profile "$profile"
archive=$target/${profile/#dev/debug}/libgfx906_hip.a

out=$target/hip
mkdir -p "$out"
# Version nodes, oldest first; the first keeps everything else local.
sed -nE 's/^    "(hip_[0-9.]+)" (\w+)( as "(\w+)")? ?\(.*/\1 \4 \2/p' hip/src/api.rs |
    sort -s -k1,1 |
    awk 'function close_node() { print before == "" ? "  local: *;\n};" : "} " before ";" }
         $1 != node { if (node) { close_node(); before = node }; node = $1; print node " {\n  global:" }
         { print "    " $2 ";" }
         END { close_node() }' >"$out/hip.map"
# Members are taken for the functions they define: taking all of them would hide two names that rustc's own library has too.
sed -nE 's/^    (\w+);$/-Wl,-u,\1/p' "$out/hip.map" >"$out/symbols"
cc -shared -o "$out/libamdhip64.so.5" @"$out/symbols" "$archive" \
    -Wl,--version-script="$out/hip.map" -Wl,-soname,libamdhip64.so.5 -Wl,--gc-sections -Wl,-z,defs -lgcc_s -lpthread -lm -ldl -lc
ln -sf libamdhip64.so.5 "$out/libamdhip64.so"
ln -sf libamdhip64.so.5 "$out/libamdhip64.so.6"
echo "$out/libamdhip64.so: run a HIP program with LD_LIBRARY_PATH=$(realpath "$out")"
