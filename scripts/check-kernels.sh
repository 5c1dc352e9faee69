#!/bin/sh
# Are the committed code objects what their sources say? Rebuilds them aside and compares byte for byte.
# With other compiler packages than those recorded the bytes may differ: then it only checks that the sources
# build, and the validation run judges what the build computes.
#
#   scripts/check-kernels.sh [--keep DIR]     keep the rebuilt code objects in DIR
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
case ${1-} in
    "")
        fresh=$(mktemp -d)
        trap 'rm -rf "$fresh"' EXIT
        ;;
    --keep)
        [ $# -eq 2 ] || { echo "check-kernels.sh: --keep needs a directory" >&2; exit 2; }
        fresh=$2
        ;;
    *)
        echo "check-kernels.sh: unknown option '$1'; only --keep DIR" >&2
        exit 2
        ;;
esac

(cd "$root/kernels" && sha256sum --check --quiet SHA256SUMS) || {
    echo "check-kernels.sh: the committed code objects are not those of kernels/SHA256SUMS: run scripts/build-kernels.sh" >&2
    exit 1
}
"$root/scripts/build-kernels.sh" --out "$fresh"
if ! cmp -s "$root/kernels/built/COMPILER" "$fresh/COMPILER"; then
    echo "check-kernels.sh: this compiler is not the recorded one, so the bytes are not compared"
    diff "$root/kernels/built/COMPILER" "$fresh/COMPILER" || true
    exit 0
fi
for name in calibrate deltanet planted sanitizer; do
    cmp "$root/kernels/built/$name.co" "$fresh/$name.co" || {
        echo "check-kernels.sh: $name.co is not what kernels/$name.hip builds to: run scripts/build-kernels.sh and commit" >&2
        exit 1
    }
done
"$root/scripts/build-blas.sh" --check
echo "kernels: committed code objects equal their rebuild byte for byte"
