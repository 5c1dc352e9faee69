#!/usr/bin/env bash
# The debugger under the test kit of VS Code for debug adapters (npm's @vscode/debugadapter-testsupport). Needs node and npm.
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "debug-kit.sh: npm is missing; on Debian install nodejs and npm" >&2; exit 2; }
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
check=$(realpath "${DELTANET_CHECK:-target/release/deltanet-check}")
kit=target/debug-kit
mkdir -p "$kit"
npm install --silent --no-fund --no-audit --prefix "$kit" @vscode/debugadapter-testsupport@1.68.0
NODE_PATH=$kit/node_modules DELTANET_CHECK_ALLOW_PATH=/ node scripts/debug-kit.js "$check" "$PWD/tests/data" "$(mktemp -d)"
