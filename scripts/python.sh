#!/usr/bin/env bash
# The Python package without the program: built as a wheel, installed into clean virtual environments, tested there, README and all.
# scripts/wheel.sh builds and tries the wheel that has the program and its runtime.
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
DELTANET_CHECK_LIBHIP=$target/hip/libamdhip64.so.7 DELTANET_CHECK_PROGRAM=$target/release/deltanet-check \
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

du -h "$home"/*.whl
