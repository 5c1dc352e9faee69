#!/usr/bin/env bash
# Runs all planted bugs with diagnoses, and writes how many get the right reason into docs/diagnosis.md.
#
#   scripts/reasons.sh           writes the table
#   scripts/reasons.sh --check   fails if fewer reasons are right than before
#
# Takes 40 minutes on two cores. DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
program=${DELTANET_CHECK:-target/release/deltanet-check}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for depth in quick blind; do
    "$program" self-test --explain "$depth" --format json >"$work/$depth.json"
done
python3 scripts/reasons.py "$@" "$work/quick.json" "$work/blind.json"
