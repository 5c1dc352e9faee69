#!/usr/bin/env bash
# Programs and libraries of others, unmodified, on the HIP runtime with the emulated card: tests/clients/ has the checks, docs/hip.md the results.
#   scripts/clients.sh [--built] [NAME ...]     these clients, or all; --built: with the program and the runtime that are there
#   scripts/clients.sh --list                   the names of the clients, and what each checks
# Packages of PyPI go into target/clients/NAME/venv, each once. A client is skipped, with the reason, if its package cannot be installed. The last
# lines are a table of results; their exit code is 1 if a check failed. Outputs are in target/clients/NAME/log.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
libraries=/usr/lib/x86_64-linux-gnu

# A line a client: its name, the seconds that it may take, what it checks.
clients='
cupy-12 900 CuPy 12 for ROCm 5, whose wheel has code for gfx906: the checks of cupy-14
cupy-14 900 CuPy 14 for ROCm 7: arrays, ufuncs, reductions, kernels, streams, graphs, products, against NumPy
jax 900 JAX 0.5 for ROCm 6: jit, grad, PRNG, sort, scan with a gated delta rule, products, against its CPU backend
hip-python-6 300 hip-python 6.4, bindings of HIP: properties, memory, kernels of hipRTC, streams, events, graphs
hip-python-7 300 hip-python 7.2: the same
hip-python-10 300 hip-python 10.0: the same
rocrand 300 rocRAND of Debian: published answers, laws of generators, moments of distributions
rocsparse 300 rocSPARSE of Debian, against dense matrices
rocprim 600 rocPRIM of Debian, against the standard library
ggml 900 the HIP backend of llama.cpp, as Debian unstable packages it: its own tests of operators and of models
fla 2400 Triton and Flash Linear Attention: gated delta rules against the goldens, other operators and their gradients against a recurrence
'

# Ends this client as skipped.
skip() {
    echo "skipped: $*"
    exit 77
}

# Makes the virtual environment of this client with these packages of PyPI, and no others than they ask for. An environment that has them is kept.
environment() { # NAME, PACKAGE ...
    home=$target/clients/$1
    python=$home/venv/bin/python
    shift
    if [[ $(cat "$home/packages" 2>/dev/null) != "$*" ]]; then
        rm -rf "$home/venv" "$home/packages"
        python3 -m venv "$home/venv" || skip "python3 -m venv fails; Debian's package python3-venv has it"
        "$python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --only-binary :all: "$@" >"$home/pip" 2>&1 ||
            skip "pip cannot install $*: $(grep -m 1 '^ERROR' "$home/pip" || tail -n 1 "$home/pip")"
        echo "$*" >"$home/packages"
    fi
}

# Ends this client as skipped if a file of a Debian package is missing.
needs() { # PACKAGE, FILE
    [[ -e $2 ]] || skip "Debian's package $1 is not installed"
}

# Runs a program on the emulated card, as a user would. Debian's libraries of ROCm are found before the stand-ins.
on_card() { LD_LIBRARY_PATH=$libraries "$target/release/deltanet-check" hip --stand-ins --rocm-view -- "$@"; }

cupy() { # MAJOR, PACKAGE ...
    needs clang-19 /usr/bin/clang-19
    needs libhiprand1 "$libraries/libhiprand.so.1"
    needs libhipsparse0 "$libraries/libhipsparse.so.0"
    environment "cupy-$1" "${@:2}"
    # Debian has no rocThrust, whose headers the complex numbers of CuPy 14 include. CuPy has a copy of Thrust for CUDA, whose headers do as well.
    local copies
    copies=$("$python" -c 'from importlib.util import find_spec; print(*find_spec("cupy").submodule_search_locations)')/_core/include/cupy/_cccl
    CPLUS_INCLUDE_PATH=$copies/thrust:$copies/libcudacxx CUPY_CACHE_DIR=$home/cache on_card "$python" tests/clients/cupy_checks.py
}
client_cupy-12() { cupy 12 cupy-rocm-5-0==12.3.0 numpy==1.26.4; }
client_cupy-14() { cupy 14 cupy-rocm-7-0==14.2.0 numpy==2.4.6; }

client_jax() {
    needs lld-19 /usr/lib/llvm-19/bin/ld.lld
    needs rocm-device-libs "$libraries/amdgcn/bitcode/ocml.bc"
    environment jax jax==0.5.0 jaxlib==0.5.0 jax-rocm60-plugin==0.5.0 jax-rocm60-pjrt==0.5.0 numpy==2.4.6
    # XLA looks for the linker and the device library below ROCM_PATH, in AMD's order of folders.
    mkdir -p "$home/rocm/llvm"
    ln -sfn /usr/lib/llvm-19/bin "$home/rocm/llvm/bin"
    ln -sfn "$libraries/amdgcn" "$home/rocm/amdgcn"
    # XLA has a Triton of its own, which does not compile for gfx906. It would measure algorithms of rocBLAS, whose times mean nothing here.
    local flags="--xla_gpu_enable_triton_gemm=false --xla_disable_hlo_passes=triton-softmax-rewriter --xla_gpu_autotune_level=0"
    ROCM_PATH=$home/rocm XLA_FLAGS=$flags on_card "$python" tests/clients/jax_checks.py
}

hip_python() { # MAJOR, VERSION
    needs clang-19 /usr/bin/clang-19
    environment "hip-python-$1" "hip-python==$2" numpy==2.4.6
    on_card "$python" tests/clients/hip_python_examples.py
}
client_hip-python-6() { hip_python 6 6.4.4.555.40; }
client_hip-python-7() { hip_python 7 7.2.2.562.43; }
client_hip-python-10() { hip_python 10 10.0.0.0.1.2; }

# Compiles a program of tests/clients/ as a user would, and runs it.
compiled() { # NAME, FLAG ...
    local program=$target/clients/$1/program source=tests/clients/$1.cpp
    shift
    needs hipcc /usr/bin/hipcc
    hipcc --offload-arch=gfx906 -O2 -std=c++17 "$source" "$@" -o "$program"
    on_card "$program"
}
client_rocrand() {
    needs librocrand-dev /usr/include/rocrand/rocrand.h
    compiled rocrand -lrocrand
}
client_rocsparse() {
    needs librocsparse-dev /usr/include/rocsparse/rocsparse.h
    compiled rocsparse -lrocsparse
}
client_rocprim() {
    needs librocprim-dev /usr/include/rocprim/rocprim.hpp
    compiled rocprim
}

# Debian 12 has no llama.cpp. apt, with folders of its own, takes the packages of unstable. They are unpacked, and run by their own loader.
client_ggml() {
    home=$target/clients/ggml
    local apt=$home/apt root=$home/root place packages operator
    packages=(llama.cpp-tests libggml0 libggml0-backend-hip libllama0 libc6 libgcc-s1 libstdc++6 libgomp1 libssl3t64 zlib1g libzstd1)
    if [[ ! -e $home/unpacked ]]; then
        rm -rf "$apt" "$root"
        mkdir -p "$apt"/{lists,cache,parts,debs} "$root"
        echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main' >"$apt/sources.list"
        : >"$apt/status"
        printf '%s "%s";\n' Dir::Etc::sourcelist "$apt/sources.list" Dir::Etc::sourceparts "$apt/parts" Dir::State::lists "$apt/lists" \
            Dir::State::status "$apt/status" Dir::Cache "$apt/cache" APT::Sandbox::User root Acquire::Languages none >"$apt/apt.conf"
        (
            export APT_CONFIG=$apt/apt.conf
            cd "$apt/debs" && apt-get update -q && apt-get download -q "${packages[@]}"
        ) >"$home/apt.log" 2>&1 || skip "apt cannot download llama.cpp from Debian unstable: $(grep -m 1 '^[EW]:' "$home/apt.log" || true)"
        for package in "$apt"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
        touch "$home/unpacked"
    fi
    ls "$apt/debs" | grep -E 'ggml|llama'
    place=$root$libraries
    # GGML looks for its backends in the current directory, too.
    cd "$place/ggml/backends0"
    # Runs a program of the packages on the card; its output is in a file of that name.
    packaged() { # NAME, PROGRAM, ARGUMENT ...
        local name=$1
        shift
        timeout 600 "$target/release/deltanet-check" hip --stand-ins --rocm-view -- bash -c '
            place=$1 && shift
            exec "$place/ld-linux-x86-64.so.2" --library-path "$LD_LIBRARY_PATH:$place" "$@"' \
            loader "$place" "$root/usr/libexec/x86_64-linux-gnu/$@" >"$home/$name" 2>&1 </dev/null || true
        # "N/N tests passed", or "Summary: all N test(s) passed".
        printf '%-20s %s\n' "$name" "$(sed -nE 's|.* ([0-9]+/[0-9]+) tests passed.*|\1|p; s|^Summary: all ([0-9]+) test.*passed|\1/\1|p' "$home/$name" |
            grep . || echo FAILED)"
    }
    {
        # An operator, and a pattern of its cases where all take too long.
        while read -r operator pattern; do
            packaged "$operator" ggml/test-backend-ops test -b ROCm0 -o "$operator" -p "${pattern:-.}"
        done <<'OPERATORS'
GATED_DELTA_NET
SSM_CONV
L2_NORM
RMS_NORM
NORM
SOLVE_TRI
CUMSUM
TRI
GET_ROWS
MUL_MAT type_a=(f32|f16|bf16|q8_0|q4_0|q4_K|q6_K),type_b=f32,m=16,n=[1-9],k=256,bs=\[1,1\]
MUL_MAT_ID type_a=(f16|q8_0|q4_0|q4_K),type_b=f32,n_mats=4,n_used=2,b=0,m=512,n=(1|4),k=256
FLASH_ATTN_EXT hsk=64,.*kv=(113|512),nb=1,
OPERATORS
        # Whole models with random weights, against the CPU.
        packaged models llama.cpp-tests/test-llama-archs -s 906 -a '^(qwen3next|qwen35|qwen35moe|kimi-linear|llama|qwen3|qwen3moe|mamba2|gemma3|deepseek2)$'
    } | awk '{ print; if (split($2, n, "/") == 2 && n[2] > 0) { right += n[1]; wrong += n[2] - n[1] } else ++wrong }
        END { print right + 0 " passed, " wrong + 0 " failed"; exit wrong > 0 }'
}
client_fla() { scripts/triton-driver.sh --built; }

names=() limits=() checks=()
while read -r name limit check; do
    [[ $name ]] || continue
    names+=("$name") limits+=("$limit") checks+=("$check")
done <<<"$clients"

case ${1:-} in
--list)
    for at in "${!names[@]}"; do printf '%-14s %s\n' "${names[at]}" "${checks[at]}"; done
    exit
    ;;
--one)
    "client_$2"
    exit
    ;;
esac
built=
if [[ ${1:-} == --built ]]; then
    built=yes
    shift
fi
selected=()
for argument; do
    found=
    for at in "${!names[@]}"; do
        [[ ${names[at]} == "$argument" ]] && selected+=("$at") found=yes
    done
    [[ $found ]] || { echo "no client is named $argument; scripts/clients.sh --list prints the names" >&2; exit 2; }
done
((${#selected[@]})) || selected=("${!names[@]}")

[[ $built ]] || scripts/build-hip.sh >/dev/null
table= reasons= code=0
for at in "${selected[@]}"; do
    name=${names[at]} begin=$SECONDS result=0
    log=$target/clients/$name/log
    mkdir -p "${log%/*}"
    printf '\n== %s: %s\n' "$name" "${checks[at]}"
    timeout --kill-after=10 "${limits[at]}" "$0" --one "$name" >"$log" 2>&1 </dev/null || result=$?
    # The last line that counts: of tests/clients/checks.py, or of pytest.
    counted=$(grep -E '^[= ]*([0-9]+ (passed|failed|skipped)\b)' "$log" | tail -n 1 || true)
    count() { grep -oE "[0-9]+ $1" <<<"$counted" | grep -oE '[0-9]+' || echo 0; }
    passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
    if [[ $result == 77 ]]; then
        skipped=all
        reasons+="$name: $(tail -n 1 "$log")"$'\n'
    elif [[ $result != 0 || $passed == 0 ]]; then
        code=1
        cat "$log"
        case $result in
        124 | 137) reasons+="$name: stopped after ${limits[at]} s"$'\n' ;;
        *) reasons+="$name: FAILED, exit code $result"$'\n' ;;
        esac
    else
        grep -E ' (ok|FAILED) +[0-9.]+ s$' "$log" || tail -n 3 "$log"
    fi
    printf -v row '%-14s %7s %7s %8s %6d s\n' "$name" "$passed" "$failed" "$skipped" $((SECONDS - begin))
    table+=$row
done
printf '\n%-14s %7s %7s %8s %8s\n%s%s' client passed failed skipped seconds "$table" "$reasons"
exit "$code"
