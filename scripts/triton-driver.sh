#!/usr/bin/env bash
# Triton's own AMD driver on the emulator, with torch's CPU tensors: tests/triton/, Flash Linear Attention's gated delta rule against the
# goldens of the tool, and its other operators against a recurrence.
#   scripts/triton-driver.sh [--built] [ARGUMENT ...]     arguments are pytest's; --built: with the program and the runtime that are there
# From PyPI, once: Triton, torch, fla-core and NumPy into target/triton-driver/venv. PyPI's torch for Linux is the CUDA build, which does not
# import without the libraries that it is linked to: of what it asks for only those are installed. That is a download of 2.7 GB, 5.2 GB on disk.
# The exit code is 77 if they cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
home=$target/triton-driver
torch=2.15.0
built=
if [[ ${1:-} == --built ]]; then
    built=yes
    shift
fi

if ! "$home/venv/bin/python" -c 'import fla, hatchling, numpy, pytest, torch, triton, xdist' 2>/dev/null; then
    rm -rf "$home"
    python3 -m venv "$home/venv"
    pip=("$home/venv/bin/python" -m pip --quiet --disable-pip-version-check --no-cache-dir)
    # What torch.so needs to be loaded; of what else torch's wheel asks for nothing is used on a CPU.
    cuda=(
        nvidia-cublas==13.4.1.3 nvidia-cuda-cupti==13.2.86 nvidia-cuda-nvrtc==13.2.86 nvidia-cuda-runtime==13.2.86 nvidia-cudnn-cu13==9.26.0.51
        nvidia-cufft==12.2.0.57 nvidia-cufile==1.17.1.22 nvidia-cusparse==12.7.10.12 nvidia-cusparselt-cu13==0.8.1 nvidia-nccl-cu13==2.30.7
        nvidia-nvjitlink==13.5.37 nvidia-nvshmem-cu13==3.7.2
    )
    pure=(
        einops filelock fsspec jinja2 markupsafe mpmath networkx sympy typing-extensions # torch's and fla-core's
        'pytest>=8' iniconfig packaging pluggy pygments pytest-xdist execnet 'hatchling>=1.27' pathspec tomlkit trove-classifiers
    )
    "${pip[@]}" install --only-binary :all: --no-deps "torch==$torch" "${cuda[@]}" 'triton>=3.9,<4' 'fla-core>=0.6,<0.7' numpy "${pure[@]}" ||
        { echo "skipped: pip cannot install torch $torch, Triton and fla-core"; exit 77; }
fi
du -sh "$home/venv"
[[ $built ]] || scripts/build-hip.sh >/dev/null
"$home/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall ./python
"$home/venv/bin/python" -c 'import torch, triton; print("torch", torch.__version__, "Triton", triton.__version__)'

export DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so.7 DELTANET_CHECK_PROGRAM=$target/release/deltanet-check
# Fused multiply-adds are Triton's default up to 3.9, and what is judged here with later ones, too.
export TRITON_CACHE_DIR=$home/cache TRITON_DEFAULT_FP_FUSION=1
"$home/venv/bin/python" -m pytest -q -p no:cacheprovider -p deltanet_check.pytest "${@:-tests/triton}"
