#!/usr/bin/env bash
# Advisories, licences, sources and versions of all dependencies (deny.toml), by cargo-deny, which is built once: that takes minutes. The
# advisories come from their repository.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/target/deny
[[ -x $tools/bin/cargo-deny ]] || cargo install --quiet --locked --root "$tools" cargo-deny
"$tools/bin/cargo-deny" --locked check --hide-inclusion-graph
