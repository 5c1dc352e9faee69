#!/usr/bin/env bash
# Tests the drop-in for ggml on the emulated card: test.cpp with ggml's layouts, then wrong variants of the drop-in, each of which must fail it.
#   integrations/ggml/test.sh
# DELTANET_CHECK is the program; without it the program and its HIP runtime are built. It needs g++, cmake and libamdhip64-dev.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build-hip.sh >/dev/null
program=$(realpath "${DELTANET_CHECK:-${CARGO_TARGET_DIR:-target}/release/deltanet-check}")
folder=integrations/ggml
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

code_object=$PWD/kernels/built/deltanet.co

compile() { # SOURCE, OBJECT, FLAGS
    g++ -std=c++17 -O2 "${@:3}" -D__HIP_PLATFORM_AMD__ -DDELTANET_CODE_OBJECT="\"$code_object\"" -I "$folder" -c "$1" -o "$2"
}
build() { # SOURCE of the drop-in, PROGRAM, FLAGS
    compile "$1" "$out/drop-in.o" "${@:3}"
    g++ "$out/test.o" "$out/drop-in.o" -lamdhip64 -o "$2"
}

# The patch adds lines and has none of others.
if (($(wc -l <"$folder/llama.cpp.patch") > 40)) || grep -qvE '^(\+|@@|---)' "$folder/llama.cpp.patch"; then
    echo "$folder/llama.cpp.patch has more than 40 lines, or a line of others" >&2
    exit 1
fi

strict="-Wall -Wextra -Werror"
compile "$folder/test.cpp" "$out/test.o" $strict
build "$folder/gated_delta_net.cpp" "$out/test" $strict
timeout 300 "$program" hip -- "$out/test"

# The same from a library that the CMake lines of the patch build.
mkdir "$out/patched"
{
    echo 'cmake_minimum_required(VERSION 3.21)'
    echo 'project(patched CXX)'
    echo 'find_package(hip REQUIRED)'
    echo 'file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")'
    echo 'add_library(ggml-hip SHARED ${CMAKE_BINARY_DIR}/empty.cpp)'
    echo 'target_link_libraries(ggml-hip PRIVATE hip::host)'
    sed -n '/^+++ .*CMakeLists.txt$/,$ s/^+//p' "$folder/llama.cpp.patch" | tail -n +2
} >"$out/patched/CMakeLists.txt"
cmake -S "$out/patched" -B "$out/library" -DGGML_HIP_DELTANET="$PWD" >"$out/stdout" 2>&1 && cmake --build "$out/library" >>"$out/stdout" 2>&1 || {
    cat "$out/stdout" >&2
    exit 1
}
g++ "$out/test.o" "$out/library/libggml-hip.so" -Wl,-rpath,"$out/library" -lamdhip64 -o "$out/with-library"
timeout 300 "$program" hip -- "$out/with-library" >"$out/stdout" 2>&1 && grep 'all cases passed' "$out/stdout"

# All calls are declined if the user says so, and if the kernels cannot be loaded.
declines_all() { # TEXT that is printed, PROGRAM
    if timeout 300 "$program" hip -- "$2" >"$out/stdout" 2>&1 || ! grep -q "$1" "$out/stdout" || grep -qE 'of the tolerance|^declines.*FAIL' "$out/stdout"; then
        echo "the drop-in should decline all calls, and print: $1" >&2
        cat "$out/stdout" >&2
        exit 1
    fi
}
DELTANET_GGML=off declines_all 'the call was declined' "$out/test"
code_object=$PWD/kernels/built/COMPILER build "$folder/gated_delta_net.cpp" "$out/damaged"
declines_all 'cannot load the kernels' "$out/damaged"

# The sed command of each mistake, and its name.
wrong='
s/&x.keys.head, &x.keys.token/\&x.keys.token, \&x.keys.head/ | strides of heads and of tokens swapped
s/&x.values.head, &x.values.token/\&x.keys.head, \&x.keys.token/ | strides of the keys for the values
s/gate_token = x.H/gate_token = 1/ | gates of the next head for the next token
s/gate_sequence = x.H [*] x.T/gate_sequence = 0/ | gates of the first sequence for all
s/tiled = 1/tiled = 0/ | head map of blocks
s/value_major = 1/value_major = 0/ | states of the packed kernel with values innermost
s/scale = 1.0f .*;/scale = 1.0f;/ | scale of the packed kernel missing
s/gate_per_key ? keys : heads/gate_per_key ? heads : heads/ | gates of key channels taken for those of heads
s/ && !x.gate_per_key && is_packed/ \&\& is_packed/ | the packed kernel for gates of key channels
s/return (heads == 1 .*/return true;/ | every tensor taken for packed
s/slot < x.snapshots && slot < x.T/slot < 1/ | one snapshot copied to the cache
s/slot < x.snapshots && slot < x.T/slot < x.snapshots/ | a slot without a token copied
s/slot [*] x.snapshot_stride/slot * state_size/ | slots of the cache taken for neighbours
s/if (elsewhere) {/if (false) {/ | states not copied to the cache
s/whole = S == 128/whole = S >= 64/ | the tile of 128 channels for others
s/ + columns_of_a_wave - 1) /) /; s/x, [8w].*, arguments/x, 9, arguments/ | the last columns have no wave
s/if (S == 64) return launch(kernels->packed_64/if (S <= 64) return launch(kernels->packed_64/ | the tile of 64 channels for fewer
s/ .. capture != hipStreamCaptureStatusNone// | the kernels loaded within a capture
s/x.S <= 256/x.S <= 300/ | heads of more channels than a tile has
'
while IFS='|' read -r command name; do
    [[ -n $command ]] || continue
    sed "$command" "$folder/gated_delta_net.cpp" >"$out/wrong.cpp"
    cmp -s "$out/wrong.cpp" "$folder/gated_delta_net.cpp" && { echo "a mistake that changes nothing:$name" >&2; exit 1; }
    build "$out/wrong.cpp" "$out/wrong" -w
    code=0
    timeout 300 "$program" hip -- "$out/wrong" >"$out/stdout" 2>&1 || code=$?
    if [[ $code != [12] ]]; then
        echo "exit code $code for a wrong drop-in:$name" >&2
        cat "$out/stdout" >&2
        exit 1
    fi
    by="$(grep -c FAIL "$out/stdout" || true) cases fail"
    if grep -q 'memory fault' "$out/stdout"; then by="a memory fault"; fi
    printf 'found:%-61s %s\n' "$name" "$by"
done <<<"$wrong"
