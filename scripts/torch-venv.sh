#!/usr/bin/env bash
# A virtual environment with torch and Triton, which scripts/triton-driver.sh and integrations/torch/test.sh share: prints its interpreter.
#   scripts/torch-venv.sh
# From PyPI, once: Triton, torch, fla-core and NumPy into target/triton-driver/venv. PyPI's torch for Linux is the CUDA build, which does not
# import without the libraries that it is linked to: of what it asks for only those are installed. That is a download of 2.7 GB, 5.2 GB on disk.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$(realpath -m "${CARGO_TARGET_DIR:-target}")/triton-driver
torch=2.15.0

if ! "$home/venv/bin/python" -c 'import fla, hatchling, numpy, pytest, torch, triton, xdist' 2>/dev/null; then
    rm -rf "$home"
    python3 -m venv "$home/venv" >&2
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
    "${pip[@]}" install >&2 --only-binary :all: --no-deps "torch==$torch" "${cuda[@]}" 'triton>=3.9,<4' 'fla-core>=0.6,<0.7' numpy "${pure[@]}"
fi
echo "$home/venv/bin/python"
