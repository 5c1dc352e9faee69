#!/usr/bin/env bash
# The Python package: built as wheels, installed into clean virtual environments, tested there, README and all.
#   scripts/python.sh
# From PyPI come hatchling, mypy, NumPy and pytest, some 40 MB; torch and Triton are scripts/triton-driver.sh's.
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
"${pip[@]}" install 'numpy>=1.24' 'pytest>=8' 'hatchling>=1.27' 'mypy>=1.11'

# Pure Python, which finds what the environment names; nothing of the checkout is in its path.
"${pip[@]}" wheel --no-deps --no-build-isolation --wheel-dir "$home" ./python
"${pip[@]}" install --no-deps "$home"/deltanet_check-*-py3-none-any.whl
DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so DELTANET_CHECK_PROGRAM=$target/release/deltanet-check \
    "$home/venv/bin/python" -P -m pytest -q -p no:cacheprovider python/tests

# The notebook, run from its first cell to its last.
"${pip[@]}" install 'nbclient>=0.10' 'ipykernel>=6'
DELTANET_CHECK_PROGRAM=$target/release/deltanet-check "$home/venv/bin/python" -P - <<EOF
import nbformat, nbclient
notebook = nbformat.read("docs/custom-contract.ipynb", 4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
print("docs/custom-contract.ipynb runs")
EOF

# Without what the plugin needs: one line, and pytest's exit code for a wrong command line.
refuses() { # PYTHON, PACKAGES
    local code=0 said
    said=$(cd / && "$1" -P -m pytest -p no:cacheprovider -p deltanet_check.pytest 2>&1 | sed '/^$/d'; exit "${PIPESTATUS[0]}") || code=$?
    local wanted="ERROR: -p deltanet_check.pytest needs ${2// /, }, which this Python lacks: pip install $2"
    [[ $code == 4 && $said == "$wanted" ]] || { printf 'exit code %s, not 4:\n%s\n' "$code" "$said" >&2; exit 1; }
}
refuses "$home/venv/bin/python" "torch triton"
python3 -m venv "$home/without"
"$home/without/bin/pip" --quiet --disable-pip-version-check install 'pytest>=8'
"$home/without/bin/pip" --quiet --disable-pip-version-check install --no-deps "$home"/deltanet_check-*-py3-none-any.whl
refuses "$home/without/bin/python" "numpy torch triton"

# With library and program in it, and neither the environment nor the place to find them by.
DELTANET_CHECK_BUNDLE=$target "${pip[@]}" wheel --no-deps --no-build-isolation --wheel-dir "$home/bundled" ./python
"${pip[@]}" install --no-deps --force-reinstall "$home"/bundled/deltanet_check-*-linux_*.whl
alone=(env -u DELTANET_CHECK_LIBHIP -u DELTANET_CHECK_PROGRAM PATH="$home/venv/bin:/usr/bin:/bin")
(cd / && "${alone[@]}" python -P - <<EOF
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
# The program is a command, and the module is the same program.
version=$("$target/release/deltanet-check" --version)
[[ $(cd / && "${alone[@]}" deltanet-check --version) == "$version" ]]
[[ $(cd / && "${alone[@]}" python -P -m deltanet_check --version) == "$version" ]]
(cd / && "${alone[@]}" deltanet-check --phase 1 >/dev/null)
(cd / && "${alone[@]}" deltanet-check hip -- true 2>/dev/null)
code=0
(cd / && "${alone[@]}" deltanet-check hip -- sh -c 'exit 7' 2>/dev/null) || code=$?
[[ $code == 7 ]]
echo "deltanet-check is in PATH, with its runtime"
du -h "$home"/*.whl "$home"/bundled/*.whl
