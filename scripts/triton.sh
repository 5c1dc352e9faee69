#!/usr/bin/env bash
# A kernel that Triton compiles for gfx906, judged: tests/triton/rule.py, bound by tests/triton/bind.toml. The right one must pass the
# contract's tests, the one with a mistake must fail them.
#   scripts/triton.sh [--dev]     --dev: the program of the dev profile
# Besides, kernels of the usual kinds, run on NumPy arrays by the Python package: tests/triton/ahead.py.
# Triton and NumPy come from PyPI into target/triton/venv (a download of some 290 MB, once). Triton 3.9.0 compiles for gfx906 as it is; 3.5 to 3.7
# refuse to. To compile ahead of time takes no GPU, driver or torch.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release
if [[ ${1:-} == --dev ]]; then profile=dev; fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
home=$target/triton
triton='triton>=3.9,<4'

if ! "$home/venv/bin/python" -c 'import numpy, triton' 2>/dev/null; then
    rm -rf "$home/venv"
    python3 -m venv "$home/venv"
    "$home/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$triton" numpy
fi
scripts/build-hip.sh "$@" >/dev/null
tool=$target/${profile/#dev/debug}/deltanet-check

out=$home/rule
rm -rf "$out"
# Fused multiply-adds are Triton's default up to 3.9, and what is judged here with later ones, too.
TRITON_CACHE_DIR=$home/cache TRITON_DEFAULT_FP_FUSION=1 "$home/venv/bin/python" tests/triton/rule.py "$out"
"$home/venv/bin/python" -c 'import triton; print("Triton", triton.__version__)'

judged() {
    local name=$1 wanted=$2 code=0
    shift 2
    # Not all is required: cases of a design ask for conventions and sizes that this kernel was not written for.
    "$tool" --kernels "$out/$name.hsaco" --bind tests/triton/bind.toml "$@" >"$out/$name.txt" 2>&1 || code=$?
    printf '%-6s %s\n' "$name" "$(grep '^all tests' "$out/$name.txt" || true)"
    if [[ $code != "$wanted" ]]; then
        cat "$out/$name.txt"
        echo "$name.hsaco: exit code $code instead of $wanted" >&2
        exit 1
    fi
}
judged right 0
# Every test that the wrong one runs is a FAIL: a wrong result, not a kernel that cannot run.
judged wrong 1 --test 'recurrent:B=*,T=63,*'
if ! grep -q '^FAIL recurrent:' "$out/wrong.txt" || grep -q '^\(PASS\|ERROR\)' "$out/wrong.txt"; then
    cat "$out/wrong.txt"
    echo "wrong.hsaco: its mistake is not a FAIL everywhere" >&2
    exit 1
fi
PYTHONPATH=python/src DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so.7 DELTANET_CHECK_PROGRAM=$tool \
    TRITON_CACHE_DIR=$home/cache TRITON_DEFAULT_FP_FUSION=1 "$home/venv/bin/python" tests/triton/ahead.py
