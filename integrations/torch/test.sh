#!/usr/bin/env bash
# Tests the PyTorch operator with CPU tensors, whose kernels run on the emulated card.
#   integrations/torch/test.sh
# DELTANET_CHECK is the program; without it the program and its HIP runtime are built. torch comes from PyPI (scripts/torch-venv.sh: 2.7 GB).
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build-hip.sh >/dev/null
program=$(realpath "${DELTANET_CHECK:-${CARGO_TARGET_DIR:-target}/release/deltanet-check}")
python=$(scripts/torch-venv.sh)
export DELTANET_CHECK_PROGRAM=$program PYTHONPATH=python/src:integrations/torch PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -p no:cacheprovider integrations/torch
