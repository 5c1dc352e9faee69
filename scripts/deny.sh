#!/usr/bin/env bash
# Licences, sources, versions and advisories of all dependencies (deny.toml), by cargo-deny: the one that is installed, else one that is built
# once into target/deny (five to ten minutes on one core). Advisories are checked where their database, a git repository, can be had.
# With --installed nothing is built: where there is no cargo-deny, nothing is checked.
set -euo pipefail
cd "$(dirname "$0")/.."
deny=$(command -v cargo-deny || echo "$PWD/target/deny/bin/cargo-deny")
if [[ ! -x $deny ]]; then
    if [[ ${1:-} == --installed ]]; then
        echo "cargo-deny is not installed: dependencies are not checked (scripts/deny.sh builds it)"
        exit
    fi
    cargo install --quiet --locked --root "$PWD/target/deny" cargo-deny
fi
"$deny" --locked check --hide-inclusion-graph licenses bans sources
if why=$("$deny" --locked fetch db 2>&1); then
    "$deny" --locked check --hide-inclusion-graph --disable-fetch advisories
else
    echo "advisories are not checked, their database cannot be had: ${why##*$'\n'}"
fi
