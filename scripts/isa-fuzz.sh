#!/bin/sh
# Disassembles words with every value of every field that selects a mode, and random words of every encoding, with llvm-mc 19 and
# with ours, and compares.
# Usage: scripts/isa-fuzz.sh [MILLIONS [SEED]]   (default 1 million words, seed 1)
set -eu
cd "$(dirname "$0")/.."
millions=${1:-1}
seed=${2:-1}
mc=${LLVM_MC:-llvm-mc-19}
command -v "$mc" >/dev/null || { echo "isa-fuzz: $mc is missing: install llvm-19, or set LLVM_MC" >&2; exit 3; }
scripts/build.sh
oracle=${CARGO_TARGET_DIR:-target}/release/examples/isa_oracle
results=$(mktemp)
trap 'rm -f "$results"' EXIT
status=0
# What is compared is the first of the words' text: llvm-mc reports what it rejects on standard error.
"$oracle" fields | "$mc" --disassemble -triple=amdgcn -mcpu=gfx906 2>/dev/null | "$oracle" fields-check >"$results" || status=1
grep -v ' 0 words ' "$results" | sed 's/^/fields: /'
: >"$results"
i=0
while [ "$i" -lt "$millions" ]; do
    # llvm-mc reports the words that it rejects on standard error; what it prints is what counts.
    "$oracle" fuzz $((seed + i)) 1000000 |
        "$mc" --disassemble -triple=amdgcn -mcpu=gfx906 2>/dev/null |
        "$oracle" check $((seed + i)) 1000000 >>"$results" || status=1
    i=$((i + 1))
done
grep -v ' words ' "$results" || true
awk '$3 == "words" { if (!($1 in words)) order[++n] = $1; words[$1] += $2; valid[$1] += $4; differences[$1] += $6 }
    END { for (i = 1; i <= n; i++) { e = order[i]; printf "%-8s %9d words %9d valid %9d differences\n", e, words[e], valid[e], differences[e] } }' "$results"
exit $status
