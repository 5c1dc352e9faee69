#!/usr/bin/env bash
# What somebody without the wheel does: cargo install, hip --install, and a HIP program. Both builds are those of a user, from nothing.
#   scripts/hip-install.sh
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cargo install --quiet --locked --path . --root "$root"
cd "$root"
code=0
bin/deltanet-check hip -- true 2>told || code=$?
[[ $code == 3 ]] && grep -q 'deltanet-check hip --install' told
bin/deltanet-check hip --install
for generation in 5 6 7; do
    bin/deltanet-check hip --stand-ins -- python3 "$repository/tests/hip/launch.py" "$repository/kernels/built/deltanet.co" $generation
done
echo "hip --install gives a runtime"
