#!/usr/bin/env bash
# The Python package: built as wheels, installed into clean virtual environments, tested there, README and all.
#   scripts/python.sh
# From PyPI come hatchling, NumPy and pytest, some 20 MB; torch and Triton are scripts/triton-driver.sh's.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
home=$target/python
kernels=$PWD/kernels/built/deltanet.co
scripts/build-hip.sh >/dev/null

rm -rf "$home"
mkdir -p "$home"
python3 -m venv "$home/venv"
pip=("$home/venv/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" install 'numpy>=1.24' 'pytest>=8' 'hatchling>=1.27'

# Pure Python, which finds what the environment names; nothing of the checkout is in its path.
"${pip[@]}" wheel --no-deps --no-build-isolation --wheel-dir "$home" ./python
"${pip[@]}" install --no-deps "$home"/deltanet_check-*-py3-none-any.whl
DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so DELTANET_CHECK_PROGRAM=$target/release/deltanet-check \
    "$home/venv/bin/python" -P -m pytest -q -p no:cacheprovider python/tests

# With library and program in it, and neither the environment nor the place to find them by.
DELTANET_CHECK_BUNDLE=$target "${pip[@]}" wheel --no-deps --no-build-isolation --wheel-dir "$home/bundled" ./python
"${pip[@]}" install --no-deps --force-reinstall "$home"/bundled/deltanet_check-*-linux_*.whl
(cd / && env -u DELTANET_CHECK_LIBHIP -u DELTANET_CHECK_PROGRAM "$home/venv/bin/python" -P - <<EOF
from pathlib import Path
import deltanet_check
from deltanet_check import _find, goldens
import numpy as np
for found in (_find.library(), _find.program()):
    assert found.is_relative_to(Path(deltanet_check.__file__).parent), found
out = np.zeros(100, np.float32)
deltanet_check.run("$kernels", "kernel_mul", 1, 128, np.ones_like(out), np.ones_like(out), out, np.int32(100))
assert (out == 1).all()
goldens.export("mul").assert_close_to_oracle("out", goldens.export("mul")["golden.out"])
print("the wheel that brings library and program along runs by itself")
EOF
)
du -h "$home"/*.whl "$home"/bundled/*.whl
