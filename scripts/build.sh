#!/usr/bin/env bash
# Builds the program, the libraries and the oracles in the way in which `cargo test --workspace` does: with the features that the whole workspace
# and its tests ask of others' crates, so that what is built for one is there for all.
#   scripts/build.sh [--dev] [FLAG ...]     --dev: the dev profile; flags are cargo's
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release
if [[ ${1:-} == --dev ]]; then
    profile=dev
    shift
fi
exec cargo build --quiet --locked --profile "$profile" --workspace --lib --bins --examples "$@"
