#!/usr/bin/env bash
# Triton's own AMD driver on the emulator, with torch's CPU tensors: tests/triton/, Flash Linear Attention's gated delta rule against the
# goldens of the tool, and its other operators against a recurrence.
#   scripts/triton-driver.sh [--built] [ARGUMENT ...]     arguments are pytest's; --built: with the program and the runtime that are there
# torch, Triton and fla-core are those of scripts/torch-venv.sh: a download of 2.7 GB, 5.2 GB on disk. The exit code is 77 if they cannot be
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
home=$target/triton-driver
built=
if [[ ${1:-} == --built ]]; then
    built=yes
    shift
fi

scripts/torch-venv.sh >/dev/null || { echo "skipped: pip cannot install torch, Triton and fla-core"; exit 77; }
du -sh "$home/venv"
[[ $built ]] || scripts/build-hip.sh >/dev/null
"$home/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall ./python
"$home/venv/bin/python" -c 'import torch, triton; print("torch", torch.__version__, "Triton", triton.__version__)'

export DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so.7 DELTANET_CHECK_PROGRAM=$target/release/deltanet-check
# Fused multiply-adds are Triton's default up to 3.9, and what is judged here with later ones, too.
export TRITON_CACHE_DIR=$home/cache TRITON_DEFAULT_FP_FUSION=1
"$home/venv/bin/python" -m pytest -q -p no:cacheprovider -p deltanet_check.pytest "${@:-tests/triton}"
