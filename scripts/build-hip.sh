#!/usr/bin/env bash
# Builds the HIP runtime on the emulator into target/hip/: libamdhip64.so, libhiprtc.so, libhipblas.so and librocblas.so under each name that
# programs look for. target/hip/stand-ins/ gets libraries that refuse all but a few calls, for programs that are linked with them.
#   scripts/build-hip.sh [--dev]                      --dev: the dev profile, quicker to compile and slower to run
#   scripts/build-hip.sh --archives FOLDER --out OUT  links static libraries that cargo has built into FOLDER, and writes to OUT
# CC is the compiler and linker, with flags (default: cc). The linker gives the exported functions the symbol versions of the table in
# crates/gfx906-hip/src/api.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
cc() { command ${CC:-cc} "$@"; }

target=${CARGO_TARGET_DIR:-target}
out=$target/hip
archives=
case ${1:-} in
--archives)
    archives=$2
    out=$4
    ;;
--dev)
    # Together with the program, so that what both are made of is compiled once.
    scripts/build.sh --dev
    archives=$target/debug
    ;;
*)
    scripts/build.sh
    archives=$target/release
    ;;
esac
archive=$archives/libgfx906_hip.a

mkdir -p "$out/stand-ins"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Version nodes, oldest first; the first keeps everything else local.
sed -nE 's/^    "(hip_[0-9.]+)" (\w+)( as "(\w+)")? ?\(.*/\1 \4 \2/p' crates/gfx906-hip/src/api.rs |
    sort -s -k1,1 |
    awk 'function close_node() { print before == "" ? "  local: *;\n};" : "} " before ";" }
         $1 != node { if (node) { close_node(); before = node }; node = $1; print node " {\n  global:" }
         { print "    " $2 ";" }
         END { close_node() }' >"$work/hip.map"
# Functions of the library's own, for programs that know the emulator (crates/gfx906-hip/src/extension.rs).
printf 'GFX906 {\n  global:\n    gfx906_report;\n    gfx906_version;\n    gfx906_register_read_only;\n    gfx906_settings;\n    gfx906_set_generation;\n};\n' >>"$work/hip.map"
# Members are taken for the functions they define: taking all of them would hide two names that rustc's own library has too.
sed -nE 's/^    (\w+);$/-Wl,-u,\1/p' "$work/hip.map" >"$work/symbols"
# Threads of the library outlive a `dlclose`: it stays loaded.
cc -shared -o "$out/libamdhip64.so.5" @"$work/symbols" "$archive" \
    -Wl,--version-script="$work/hip.map" -Wl,-soname,libamdhip64.so.5 -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodelete -lgcc_s -lpthread -lm -ldl -lc
ln -sf libamdhip64.so.5 "$out/libamdhip64.so"

# The libraries of HIP 6 and 7 are filters: a program that is linked with one loads it by its own SONAME, and finds every function in the one
# library behind it, as a process must have one card. Each tells that library which HIP the program knows (crates/gfx906-hip/src/generation.rs).
later_generations() {
    local library=$1 map=$2 setter=$3 generation
    for generation in 6 7; do
        {
            sed -nE "/$setter/d; s/^    (\w+);\$/void \1(void) {}/p" "$map"
            echo "__attribute__((weak)) void $setter(int); __attribute__((constructor)) static void tell(void) { if ($setter) $setter($generation); }"
        } >"$work/filter.c"
        rm -f "$out/$library.so.$generation"
        # The compiler must not take the names for those of its own functions.
        cc -shared -fPIC -fno-builtin -w -o "$out/$library.so.$generation" "$work/filter.c" -Wl,-rpath,'$ORIGIN' -Wl,-z,nodelete \
            -Wl,--version-script="$map" -Wl,-soname,"$library.so.$generation" -Wl,--filter="$library.so.5"
    done
}
later_generations libamdhip64 "$work/hip.map" gfx906_set_generation

# hipRTC is in the runtime (HIP 5 has it there alone) and, for programs that ask for it by its own name, in a library without the rest.
{
    printf '{\n  global:\n'
    grep -E '^    hiprtc\w+;$' "$work/hip.map"
    printf '    gfx906_set_hiprtc_generation;\n  local: *;\n};\n'
} >"$work/hiprtc.map"
sed -nE 's/^    (\w+);$/-Wl,-u,\1/p' "$work/hiprtc.map" >"$work/symbols"
# A program may have both libraries, so that the functions by which filters tell the generation have different names.
cc -shared -o "$out/libhiprtc.so.5" -Wl,-u,gfx906_set_generation -Wl,--defsym=gfx906_set_hiprtc_generation=gfx906_set_generation @"$work/symbols" "$archive" \
    -Wl,--version-script="$work/hiprtc.map" -Wl,-soname,libhiprtc.so.5 -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodelete -lgcc_s -lpthread -lm -ldl -lc
ln -sf libhiprtc.so.5 "$out/libhiprtc.so"
later_generations libhiprtc "$work/hiprtc.map" gfx906_set_hiprtc_generation

# Links a library from its table in crates/gfx906-hip/stand-ins/: NAME.names has versions, the status of refused calls, and all functions of the
# library. Functions that an archive or NAME.c has work; all others refuse. Symbols bear no versions.
#   library_of_table NAME FOLDER [ARCHIVE]
library_of_table() {
    local name=$1 folder=$2 archive=${3:-} tables=crates/gfx906-hip/stand-ins first version versions words flags has=() parts=()
    read -ra versions < <(sed -n 's/^versions //p' "$tables/$name.names")
    read -ra words < <(sed -n 's/^status //p' "$tables/$name.names")
    sed 1,2d "$tables/$name.names" | tr ' ' '\n' >"$work/names"
    flags=(-fPIC -O1 -fno-builtin -I"$tables" -DLIBRARY="\"$name\"" -DCODE="${words[0]}" -DSTATUS="\"${words[1]}\"")
    if [[ -e $tables/$name.c ]]; then
        cc "${flags[@]}" -Wall -Wextra -Werror -c "$tables/$name.c" -o "$work/calls.o"
        parts=("$work/calls.o")
        has=("$work/calls.o")
    elif [[ $archive ]]; then
        parts=(@"$work/symbols" "$archive" -lgcc_s -lpthread -lm -ldl)
        has=("$archive")
    fi
    # The list begins with an empty line: awk tells files apart by their first lines.
    {
        echo
        if [[ ${#has[@]} != 0 ]]; then nm --defined-only "${has[@]}" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u; fi
    } >"$work/has"
    sed 's/^text://' "$work/names" | sort -u | comm -12 - "$work/has" | sed 's/^/-Wl,-u,/' >"$work/symbols"
    awk 'NR == FNR { has[$1]; next }
         { text = sub(/^text:/, ""); names = names "    " $1 ";\n" }
         !($1 in has) { print (text ? "TEXT(" : "REFUSE(") $1 ")" }
         BEGIN { print "#include \"refuse.h\"" }
         END { printf "{\n  global:\n%s  local: *;\n};\n", names >MAP }' MAP="$work/library.map" "$work/has" "$work/names" >"$work/refused.c"
    first=$folder/lib$name.so.${versions[0]}
    cc -shared "${flags[@]}" -o "$first" "$work/refused.c" "${parts[@]}" "$out/libamdhip64.so.5" -Wl,--as-needed -Wl,-rpath,'$ORIGIN:$ORIGIN/..' \
        -Wl,--version-script="$work/library.map" -Wl,-soname,"${first##*/}" -Wl,--gc-sections -Wl,-z,defs
    for version in "${versions[@]:1}"; do ln -sf "${first##*/}" "$folder/lib$name.so.$version"; done
    ln -sf "${first##*/}" "$folder/lib$name.so"
}

# hipBLAS and rocBLAS find the runtime beside them, and take whatever runtime the program has already.
archive=$archives/libgfx906_hipblas.a
library_of_table hipblas "$out" "$archive"
library_of_table rocblas "$out" "$archive"
for table in crates/gfx906-hip/stand-ins/*.names; do
    name=$(basename "$table" .names)
    case $name in
    hipblas | rocblas) ;;
    *) library_of_table "$name" "$out/stand-ins" ;;
    esac
done
# The view of the kernel driver's files, for LD_PRELOAD (src/commands/hip/machine.rs).
cc -shared -fPIC -O1 -fvisibility=hidden -Wall -Wextra -Werror crates/gfx906-hip/stand-ins/rocm_view.c -o "$out/stand-ins/libgfx906_rocm_view.so" -ldl
# The names that are links, for packages that hold none: `deltanet-check hip` makes them (src/commands/hip/library.rs).
(cd "$out" && find . -type l -printf '%P %l\n' | LC_ALL=C sort) >"$out/links"
echo "$out/libamdhip64.so: run a HIP program with LD_LIBRARY_PATH=$(realpath "$out")"
