#!/usr/bin/env bash
# Lint must find nothing in what compilers make: the kernels, built by hipcc, with fast mathematics and at -O0 too, a sample of GCC's torture
# programs, and AMD's math library. Compilers put in every wait and wait state.
#
#   scripts/lint.sh [SAMPLE]    torture programs that are looked at (default 40)
#
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release. Exit codes: 0 nothing found, 1 something, 3 a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -z ${DELTANET_CHECK:-} ]]; then
    scripts/build.sh
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi
DELTANET_CHECK=$(realpath "$DELTANET_CHECK")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

build() {
    mkdir -p "$out/$1"
    scripts/build-kernels.sh --out "$out/$1" --only deltanet "${@:2}" >/dev/null
}
build hipcc --compiler hipcc
build fast-math --opt '-O3 -ffast-math'
build O0 --opt -O0

# What torture.sh and ocml.sh would run is looked at instead: that it does not run is no news to them.
cat >"$out/check" <<WRAPPER
#!/bin/sh
for launch; do :; done
folder=\$(dirname "\$launch")
object=\$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["code_object"])' "\$launch")
cd "\$folder" || exit 3
"$DELTANET_CHECK" lint "\$object" >"\$folder/lint.txt" || cat "\$folder/lint.txt" >>"$out/findings"
echo "\$object" >>"$out/looked"
exit 2
WRAPPER
chmod +x "$out/check"
: >"$out/findings"
for object in kernels/built/{deltanet,planted}.co "$out"/*/deltanet.co; do
    "$DELTANET_CHECK" lint "$object" >"$out/said" || true
    tail -n 1 "$out/said"
    head -n -1 "$out/said" >>"$out/findings"
done
# Of the sanitizer's planted kernels it must speak of those with too little waiting, and of no others.
"$DELTANET_CHECK" lint kernels/built/sanitizer.co >"$out/said" || true
planted=kernels/planted/sanitizer/expected.toml
diff <(sed -n 's/^  function  *//p' "$out/said" | sort -u) \
    <(awk '$1 == "kernel" { kernel = $3 } /^rule = "(wait|hazard): / { print substr(kernel, 2, length(kernel) - 2) }' "$planted" | sort -u) ||
    { echo "lint.sh: < what lint speaks of, > what $planted says" >&2; exit 1; }
DELTANET_CHECK=$out/check scripts/torture.sh --sample "${1:-40}" >/dev/null 2>&1 || true
scripts/ocml.sh --sample --program "$out/check" >/dev/null 2>&1 || true
echo "and $(wc -l <"$out/looked") objects of torture programs and of the math library: $(grep -c '^  cure ' "$out/findings" || true) findings in all"
[[ $(wc -l <"$out/looked") -gt ${1:-40} ]] || { echo "lint.sh: too few objects were looked at" >&2; exit 1; }
if [[ -s $out/findings ]]; then
    cat "$out/findings"
    exit 1
fi
