#!/usr/bin/env bash
# Holds the model of `deltanet-check profile` against what others measured on a card: scripts/profile-model.toml, docs/profile.md.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${DELTANET_CHECK:-target/release/deltanet-check}
if [[ ! -x $tool ]]; then
    echo "no $tool: scripts/build.sh builds it, or name one in DELTANET_CHECK" >&2
    exit 3
fi
"$tool" profile --counts scripts/profile-model.toml "$@"
