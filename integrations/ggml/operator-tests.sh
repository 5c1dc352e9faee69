#!/usr/bin/env bash
# ggml's own tests of the operator (test-backend-ops), with the drop-in and then with llama.cpp's kernel, on the emulated card.
#   integrations/ggml/operator-tests.sh LLAMA_CPP HIP_INCLUDE
# LLAMA_CPP has the sources that llama.cpp.patch is for, and HIP_INCLUDE the headers of HIP 6.1 or newer and of hipBLAS (/opt/rocm/include).
# Of the HIP backend only the files that these tests run are compiled; its other operators have no code.
# DELTANET_CHECK is the program; without it the program and its HIP runtime are built. It needs clang-19, clang-tools-15, rocm-device-libs, cmake, g++.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || { echo "usage: $0 LLAMA_CPP HIP_INCLUDE" >&2; exit 2; }
llama=$(realpath "$1") include=$(realpath "$2") here=$PWD
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build-hip.sh >/dev/null
target=$(realpath "${CARGO_TARGET_DIR:-target}")
program=$(realpath "${DELTANET_CHECK:-$target/release/deltanet-check}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

mkdir "$out/bin" "$out/objects"
# clang looks for it under this name.
ln -s "$(command -v clang-offload-bundler-19 || command -v clang-offload-bundler-15)" "$out/bin/clang-offload-bundler"
export PATH=$out/bin:$PATH
cp -r "$llama" "$out/llama.cpp"
patch -s -p1 -d "$out/llama.cpp" <integrations/ggml/llama.cpp.patch
cd "$out"
sources=llama.cpp/ggml/src

cmake -S llama.cpp -B cpu -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_CCACHE=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF >/dev/null
cmake --build cpu --target ggml-base ggml-cpu -j "$(nproc)" >/dev/null
host=(g++ -std=c++17 -O1 -w -Illama.cpp/ggml/include -I"$sources" -DGGML_USE_CPU -DGGML_USE_CUDA)
"${host[@]}" -c "$sources/ggml-backend-reg.cpp" -o objects/registry.o
"${host[@]}" -c "$sources/ggml-backend-dl.cpp" -o objects/dl.o
"${host[@]}" -c llama.cpp/tests/test-backend-ops.cpp -o objects/tests.o
g++ -std=c++17 -O2 -D__HIP_PLATFORM_AMD__ -I"$include" -DDELTANET_CODE_OBJECT="\"$here/kernels/built/deltanet.co\"" \
    -c "$here/integrations/ggml/gated_delta_net.cpp" -o objects/drop-in.o
for name in ggml-cuda gated_delta_net norm cpy sum sumrows; do
    clang++-19 -x hip --offload-arch=gfx906 --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -fuse-cuid=none -std=c++17 -O2 -w \
        -I"$include" -Illama.cpp/ggml/include -I"$sources" -I"$here/integrations/ggml" -D__HIP_PLATFORM_AMD__ -DGGML_USE_HIP -DGGML_HIP_NO_VMM \
        -DGGML_HIP_NO_MMQ_MFMA -DGGML_CUDA_NO_FA -DNDEBUG -DGGML_HIP_DELTANET -c "$sources/ggml-cuda/$name.cu" -o "objects/$name.o"
done
g++ -no-pie -Wl,--unresolved-symbols=ignore-all,-z,lazy,-z,notext,-z,muldefs objects/*.o "$(find cpu -name libggml-cpu.a)" "$(find cpu -name libggml-base.a)" \
    -L"$(dirname "$program")/../hip" -lamdhip64 -lhipblas -lpthread -ldl -lm -o tests

for setting in on off; do
    for operator in GATED_DELTA_NET GATED_DELTA_NET_CACHE_FUSION; do
        DELTANET_GGML=$setting timeout 600 "$program" hip -- ./tests test -o "$operator" >log 2>&1 || { cat log; exit 1; }
        ours=no
        if grep -q 'ggml_scan\|gdn_scan' log; then ours=yes; fi
        if [[ $ours$setting != yeson && $ours$setting != nooff ]]; then
            echo "DELTANET_GGML=$setting, and kernels of the drop-in: $ours" >&2
            exit 1
        fi
        printf '%-30s drop-in %-3s  %s\n' "$operator" "$setting" "$(grep -m1 'tests passed' log)"
    done
done
