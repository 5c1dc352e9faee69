#!/usr/bin/env bash
# The HIP path without a card: the feature `hip` builds against Debian's HIP runtime and says that there is no device; then the same
# program runs on the HIP runtime of crates/gfx906-hip/, and must report what the emulator reports, to the last bit.
#   scripts/hip-circle.sh [--dev]     --dev: the dev profile, quicker to compile and slower to run
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${1:---release}
case $profile in
    --release) flags=(--release) built=release ;;
    --dev) flags=() built=debug ;;
    *) echo "usage: $0 [--dev]" >&2; exit 2 ;;
esac
target=${CARGO_TARGET_DIR:-target}
out=$target/hip-circle
rm -rf "$out"
mkdir -p "$out"

echo "build: feature hip, and the runtime"
# Resolved with the whole workspace where other steps are, so that nothing below the harness is compiled again.
cargo clippy --workspace --all-targets --features deltanet-check/hip --locked -- -D warnings
cargo test "${flags[@]}" --workspace --features deltanet-check/hip --locked --lib -- device::hip |
    grep -E '^test (device|result: ok. [1-9])'
if [[ $profile == --dev ]]; then scripts/build-hip.sh --dev; else scripts/build-hip.sh; fi
cargo build "${flags[@]}" --locked --workspace --lib --bins --examples --features deltanet-check/hip
# Kept aside: a build without the feature takes its place.
cp "$target/$built/deltanet-check" "$out/"
check=$PWD/$out/deltanet-check
lib=$(realpath "$target/hip")
circle() { LD_LIBRARY_PATH=$lib "$check" "$@" --device hip; }

if [[ ! -e /dev/kfd ]]; then
    echo "no device: exit code 3 and one line"
    code=0
    "$check" --device hip >"$out/none.out" 2>"$out/none.err" || code=$?
    cat "$out/none.err"
    if [[ $code != 3 || -s $out/none.out || $(wc -l <"$out/none.err") != 1 ]] ||
        ! grep -q '^error: no card can be used: .*amdgpu driver.*render' "$out/none.err"; then
        echo "hip-circle: exit code $code, or not the line" >&2
        exit 1
    fi
fi

echo "the circle: reports of every phase, tensors of phases 1 to 8"
"$check" --report "$out/emulator.json" >/dev/null
circle --jobs 2 --report "$out/hip.json" | tail -3
scripts/same-report.py "$out/emulator.json" "$out/hip.json"
"$check" --phase 1-8 --dump "$out/emulator" >/dev/null
circle --phase 1-8 --jobs 2 --dump "$out/hip" >/dev/null
diff -r "$out/emulator" "$out/hip"
circle --phase 1-8 --no-isolate --report "$out/one.json" >/dev/null
"$check" --phase 1-8 --report "$out/eight.json" >/dev/null
scripts/same-report.py "$out/eight.json" "$out/one.json"

echo "tensors from elsewhere, and an export"
circle_of() { LD_LIBRARY_PATH=$lib "$check" "$@" --device hip; }
circle_of vectors reference/tests/data/*.safetensors | tail -1
circle_of export --test mul --out "$out/mul.safetensors"

echo "exec: buffers, a variable, guards and a fault"
export DELTANET_CHECK_ALLOW_PATH=$PWD:$out
# A variable of a code object, a buffer that is zeroed and one that is poisoned.
cat >"$out/exec.json" <<JSON
{ "code_object": "$PWD/crates/gfx906/tests/data/v5.co",
  "buffers": { "out": {"bytes": 256, "save": "exec.bin"}, "zero": {"bytes": 12, "fill": "zero", "save": "zero.bin"} },
  "variables": { "first": {"i32": 77} },
  "launches": [ {"kernel": "pointee", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["\$out"]} ] }
JSON
"$check" exec "$out/exec.json" 2>/dev/null >"$out/exec.txt"
mv "$out/exec.bin" "$out/exec-emulator.bin"
circle_of exec "$out/exec.json" 2>/dev/null | tail -1
cmp "$out/exec.bin" "$out/exec-emulator.bin"
cmp "$out/zero.bin" <(head -c 12 /dev/zero)
# What runs past the end of a buffer meets its guard, and what goes far past it is a fault.
scale() {
    cat >"$out/scale.json" <<JSON
{ "code_object": "$PWD/kernels/built/deltanet.co",
  "buffers": { "x": {"bytes": $1, "save": "x.bin"} },
  "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                 "args": ["\$x", $2, {"i32": 100}, {"f32": 3.0}]} ] }
JSON
    code=0
    circle_of exec "$out/scale.json" >"$out/scale.txt" 2>&1 || code=$?
    if [[ $code != 1 ]] || ! grep -q "$3" "$out/scale.txt"; then
        cat "$out/scale.txt"
        echo "hip-circle: exit code $code, or no '$3'" >&2
        exit 1
    fi
}
scale 396 '"$x"' 'wrote past the end of buffer `x` (396 bytes)'
scale 400 '{"u64": 64}' 'launch 0 trapped: '

echo "planted bugs: caught on either, a fault and a hang among them"
tests=(--test exp --test neg --test eye --test transpose)
"$check" self-test "${tests[@]}" --format json >"$out/emulator-self.json"
circle self-test "${tests[@]}" --timeout 5 --format json >"$out/hip-self.json"
scripts/same-report.py "$out/emulator-self.json" "$out/hip-self.json"

echo "a hang stops the run"
cat >"$out/hangs.toml" <<'TOML'
schema = 1
[[binding]]
contract = "exp"
symbol = "planted_exp_hangs"
grid = ["ceil(n / 256)"]
block = [256]
args = ["in", "out", "i32 n"]
TOML
code=0
circle --kernels kernels/built/planted.co --bind "$out/hangs.toml" --timeout 5 >"$out/hang.out" 2>"$out/hang.err" || code=$?
if [[ $code != 1 ]] || ! grep -q '^error: the run stopped at `exp' "$out/hang.err" || ! grep -q '^not run ' "$out/hang.out"; then
    cat "$out/hang.out" "$out/hang.err"
    echo "hip-circle: exit code $code, or the run went on after a hang" >&2
    exit 1
fi

# Times of the runtime of crates/gfx906-hip/ are the host's, and mean nothing: what is tested is that they get here, with the model beside them.
echo "bench: a launch measured by events, and modelled"
circle_of bench --test mul --times 3 --no-isolate --format json >"$out/bench.json"
python3 - "$out/bench.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["device"]["kind"] == "hip", report["device"]
assert report["measured"], "nothing measured"
for one in report["measured"]:
    assert 0 < one["least"] <= one["median"], one
    assert 0 < one["launch"]["model"]["seconds"], one
PYTHON
circle_of bench --test mul --times 3 | grep -q '^mul.* kernel_mul '
echo "calibrate: every microbenchmark runs, and its file is a card"
circle_of calibrate --out "$out/card.toml" >"$out/calibrate.txt"
grep -q '^clock = ' "$out/card.toml"
"$check" profile --constants --card "$out/card.toml" | grep -q 'calibrate: '
circle_of bench --test mul --times 3 --row | sed -n 1p | cmp - <(sed -n 1p docs/data/mi50-measured.tsv)
