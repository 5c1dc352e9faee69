#!/usr/bin/env bash
# Builds the HIP runtime on the emulator into target/hip/: libamdhip64.so, libhiprtc.so and libhipblas.so under each name that programs look for.
#   scripts/build-hip.sh [--dev]     --dev: the dev profile, quicker to compile and slower to run
# The linker gives the exported functions the symbol versions of the table in crates/gfx906-hip/src/api.rs.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=release
if [[ ${1:-} == --dev ]]; then profile=dev; fi
target=${CARGO_TARGET_DIR:-target}
# Together with the program, so that what both are made of is compiled once.
if [[ $profile == dev ]]; then scripts/build.sh --dev; else scripts/build.sh; fi
archive=$target/${profile/#dev/debug}/libgfx906_hip.a

out=$target/hip
mkdir -p "$out"
# Version nodes, oldest first; the first keeps everything else local.
sed -nE 's/^    "(hip_[0-9.]+)" (\w+)( as "(\w+)")? ?\(.*/\1 \4 \2/p' crates/gfx906-hip/src/api.rs |
    sort -s -k1,1 |
    awk 'function close_node() { print before == "" ? "  local: *;\n};" : "} " before ";" }
         $1 != node { if (node) { close_node(); before = node }; node = $1; print node " {\n  global:" }
         { print "    " $2 ";" }
         END { close_node() }' >"$out/hip.map"
# Functions of the library's own, for programs that know the emulator (crates/gfx906-hip/src/extension.rs).
printf 'GFX906 {\n  global:\n    gfx906_report;\n    gfx906_version;\n    gfx906_register_read_only;\n    gfx906_settings;\n};\n' >>"$out/hip.map"
# Members are taken for the functions they define: taking all of them would hide two names that rustc's own library has too.
sed -nE 's/^    (\w+);$/-Wl,-u,\1/p' "$out/hip.map" >"$out/symbols"
# Threads of the library outlive a `dlclose`: it stays loaded.
cc -shared -o "$out/libamdhip64.so.5" @"$out/symbols" "$archive" \
    -Wl,--version-script="$out/hip.map" -Wl,-soname,libamdhip64.so.5 -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodelete -lgcc_s -lpthread -lm -ldl -lc
ln -sf libamdhip64.so.5 "$out/libamdhip64.so"
# Which HIP a program meets follows from the name that it loads the library by (crates/gfx906-hip/src/generation.rs); it is one file, as a process must
# have one card.
ln -sf libamdhip64.so.5 "$out/libamdhip64.so.6"
ln -sf libamdhip64.so.5 "$out/libamdhip64.so.7"

# hipRTC is in the runtime (HIP 5 has it there alone) and, for programs that ask for it by its own name, in a library without the rest.
sed -nE 's/^    (hiprtc\w+);$/-Wl,-u,\1/p' "$out/hip.map" >"$out/symbols"
printf '{\n  global: hiprtc*;\n  local: *;\n};\n' >"$out/hiprtc.map"
cc -shared -o "$out/libhiprtc.so.5" @"$out/symbols" "$archive" \
    -Wl,--version-script="$out/hiprtc.map" -Wl,-soname,libhiprtc.so.5 -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodelete -lgcc_s -lpthread -lm -ldl -lc
for name in libhiprtc.so libhiprtc.so.6 libhiprtc.so.7; do
    ln -sf libhiprtc.so.5 "$out/$name"
done

# hipBLAS finds the runtime beside it, and takes whatever runtime the program has already. Its symbols bear no versions.
archive=$target/${profile/#dev/debug}/libgfx906_hipblas.a
nm --defined-only "$archive" 2>/dev/null | sed -nE 's/^[0-9a-f]+ T (hipblas[A-Za-z0-9_]+)$/-Wl,-u,\1/p' | sort -u >"$out/symbols"
printf '{\n  global: hipblas*;\n  local: *;\n};\n' >"$out/hipblas.map"
cc -shared -o "$out/libhipblas.so.2" @"$out/symbols" "$archive" "$out/libamdhip64.so.5" -Wl,-rpath,'$ORIGIN' \
    -Wl,--version-script="$out/hipblas.map" -Wl,-soname,libhipblas.so.2 -Wl,--gc-sections -Wl,-z,defs -lgcc_s -lpthread -lm -ldl -lc
for name in libhipblas.so libhipblas.so.0 libhipblas.so.1 libhipblas.so.3; do
    ln -sf libhipblas.so.2 "$out/$name"
done
echo "$out/libamdhip64.so: run a HIP program with LD_LIBRARY_PATH=$(realpath "$out")"
