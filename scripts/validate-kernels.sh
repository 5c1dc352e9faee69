#!/usr/bin/env bash
# Rebuilds and validates the committed code objects, and then writes kernels/built/VALIDATED: the hashes of the sources, the code objects and the
# scripts that build and check them.
#
#   scripts/validate-kernels.sh              takes long: other compilers and flags, too
#   scripts/validate-kernels.sh --changed    compares kernels/built/VALIDATED, and names what has changed; exit code 1 if anything has
#
# Needs the Debian packages of kernels/README.md, hipcc and llvm-19. DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=kernels/built/VALIDATED

hashes() {
    {
        find kernels crates/gfx906-hipblas/kernels -type f \( -name '*.hip' -o -name '*.h' -o -name '*.co' -o -name COMPILER \)
        printf 'scripts/%s.sh\n' build-kernels build-blas check-kernels validate-builds other-architectures validate-kernels
    } | LC_ALL=C sort | xargs sha256sum
}
# Prints the names of files that are new, gone or different.
changed() {
    [[ -e $stamp ]] || { echo "$stamp, which is missing"; return; }
    { diff "$stamp" <(hashes) || true; } | sed -n 's/^[<>] [0-9a-f]*  //p' | LC_ALL=C sort -u
}

case ${1:-} in
'') ;;
--changed)
    files=$(changed)
    if [[ -z $files ]]; then
        echo "kernels: nothing has changed since they were validated"
        exit
    fi
    printf 'kernels: changed since the last validation:\n%s\n' "$files"
    exit 1
    ;;
*)
    echo "unknown: $1; usage: $0 [--changed]" >&2
    exit 2
    ;;
esac

[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
# A compiler has one thread, so the rebuild and the other builds run at the same time.
scripts/check-kernels.sh &
rebuild=$!
trap 'kill $rebuild 2>/dev/null || true' EXIT
scripts/validate-builds.sh
wait "$rebuild"
scripts/other-architectures.sh
hashes >"$stamp.new"
if cmp -s "$stamp" "$stamp.new"; then
    rm "$stamp.new"
    echo "kernels: validated"
else
    mv "$stamp.new" "$stamp"
    echo "kernels: validated; commit $stamp"
fi
