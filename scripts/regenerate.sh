#!/usr/bin/env bash
# Renews everything that follows from the sources of kernels: code objects and their hashes, snapshots of tests, and what the README and docs/ show.
# Run it after a change to kernels/, then read `git diff`.
#
#   scripts/regenerate.sh                takes long: it ends with scripts/validate-kernels.sh, which writes kernels/built/VALIDATED
#   scripts/regenerate.sh --no-validate  without that end, for work in progress
#
# Needs the Debian packages of kernels/README.md; with validation also hipcc and llvm-19.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
'' | --no-validate) ;;
*)
    echo "unknown: $1; usage: $0 [--no-validate]" >&2
    exit 2
    ;;
esac
step() { printf '\n== %s\n' "$*"; }

step "code objects"
scripts/build-kernels.sh
scripts/build-blas.sh
step "the program, which embeds them"
scripts/build.sh
step "snapshots of tests"
INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test --workspace --locked
step "the tutorial"
scripts/tutorial.sh --write
step "captures, figures and pictures of the README and docs/"
scripts/readme.sh --no-bench
step "the table of costs"
scripts/costs-table.py
if [[ -z ${1:-} ]]; then
    step "other compilers and flags"
    scripts/validate-kernels.sh
fi
