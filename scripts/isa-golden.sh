#!/bin/sh
# Writes crates/gfx906/tests/data/isa-golden.txt: words for every row of the instruction table in every form, and llvm-mc's text.
set -eu
cd "$(dirname "$0")/.."
mc=${LLVM_MC:-llvm-mc-19}
command -v "$mc" >/dev/null || { echo "isa-golden: $mc is missing: install llvm-19, or set LLVM_MC" >&2; exit 3; }
scripts/build.sh
oracle=${CARGO_TARGET_DIR:-target}/release/examples/isa_oracle
golden=crates/gfx906/tests/data/isa-golden.txt
"$oracle" golden | "$mc" --disassemble -triple=amdgcn -mcpu=gfx906 | "$oracle" golden-join >"$golden.new"
mv "$golden.new" "$golden"
