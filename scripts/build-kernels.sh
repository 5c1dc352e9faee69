#!/bin/sh
# Builds the code objects of kernels/ for gfx906.
#
#   scripts/build-kernels.sh                      kernels/built/*.co, kernels/built/COMPILER, kernels/SHA256SUMS
#   scripts/build-kernels.sh --out DIR            the code objects and COMPILER into DIR, nothing else
#   scripts/build-kernels.sh --opt '-O3 -ffast-math'   other optimisation flags
#   scripts/build-kernels.sh --only deltanet      one code object of the four: calibrate, deltanet, planted, sanitizer
#   scripts/build-kernels.sh --only matrix        the kernels of kernels/matrix.hip and their planted bugs in one code object, in seconds
#   scripts/build-kernels.sh --compiler hipcc     the hipcc of ROCm (or Debian) in place of clang
#
# --opt, --only and --compiler need --out: what is committed has one compiler, one set of flags, and is whole.
# Installs nothing; names the Debian package of what is missing.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
sources="$root/kernels"
out=
opt=-O3
only=
compiler=clang

fail() {
    echo "build-kernels.sh: $1" >&2
    exit "${2:-1}"
}

while [ $# -gt 0 ]; do
    case $1 in
        --out | --opt | --only | --compiler)
            [ $# -ge 2 ] || fail "$1 needs a value" 2
            case $1 in
                --out) out=$2 ;;
                --opt) opt=$2 ;;
                --only) only=$2 ;;
                --compiler) compiler=$2 ;;
            esac
            shift 2
            ;;
        -h | --help)
            sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0"
            exit 0
            ;;
        *) fail "unknown option '$1'; see --help" 2 ;;
    esac
done
case $compiler in clang | hipcc) ;; *) fail "unknown compiler '$compiler'; it is clang or hipcc" 2 ;; esac
case $only in
    '' | calibrate | deltanet | planted | sanitizer) ;;
    *) [ -f "$sources/$only.hip" ] || fail "unknown '$only'; it is calibrate, deltanet, planted, sanitizer or a family, kernels/FAMILY.hip" 2 ;;
esac
if [ -z "$out" ] && { [ "$opt" != -O3 ] || [ -n "$only" ] || [ "$compiler" != clang ]; }; then
    fail "--opt, --only and --compiler need --out DIR: the committed code objects are built by clang at -O3" 2
fi

bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
missing=
need() { # need TEST WHAT PACKAGE
    eval "$1" > /dev/null 2>&1 || missing="$missing
  $2 (Debian package $3)"
}
need "[ -f /usr/include/hip/hip_runtime.h ]" "/usr/include/hip/hip_runtime.h" libamdhip64-dev
need "[ -d $bitcode ]" "$bitcode" rocm-device-libs
if [ "$compiler" = clang ]; then
    need "command -v clang-19" clang-19 clang-19
    need "command -v ld.lld-19" ld.lld-19 lld-19
else
    need "command -v hipcc" hipcc hipcc
fi
[ -z "$missing" ] || fail "missing:$missing"

# Without a compilation-unit id, and with paths from the root, the bytes do not depend on where the sources lie. $opt is one flag or several.
# The sanitizer's findings name source lines: its kernels have line tables.
# shellcheck disable=SC2086
compile() { # compile SOURCE OBJECT
    lines=
    case $1 in */sanitizer.hip) lines="-gline-tables-only -fdebug-compilation-dir=. -fdebug-prefix-map=$root/=" ;; esac
    if [ "$compiler" = clang ]; then
        clang-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx906 \
            --rocm-path=/usr --rocm-device-lib-path="$bitcode" -fuse-cuid=none $opt $lines "$1" -o "$2"
    else
        # hipcc complains about a card that is not there, and builds all the same
        hipcc --genco --offload-arch=gfx906 $opt $lines "$1" -o "$2" 2> "$2.log" || {
            cat "$2.log" >&2
            fail "hipcc could not build $1"
        }
        rm -f "$2.log"
    fi
}

describe() {
    if [ "$compiler" = clang ]; then
        clang-19 --version | head -n 1
        packages="clang-19 lld-19 rocm-device-libs libamdhip64-dev"
    else
        hipcc --version 2> /dev/null | head -n 2
        packages="hipcc rocm-device-libs libamdhip64-dev"
    fi
    for package in $packages; do
        version=$(dpkg-query -W -f '${Version}' "$package" 2> /dev/null) || version=unknown
        echo "$package $version"
    done
}

target=${out:-$sources/built}
mkdir -p "$target"
scratch=$(mktemp -d "$target/.build.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# The largest takes minutes: all at once.
jobs=
for name in ${only:-planted deltanet sanitizer calibrate}; do
    source=$sources/$name.hip
    case $name in
        calibrate | deltanet | planted | sanitizer) ;;
        *)
            source=$scratch/$name.hip
            # Some planted bugs are macros of the kernels, defined otherwise.
            echo '#pragma clang diagnostic ignored "-Wmacro-redefined"' > "$source"
            for part in "$sources/$name.hip" "$sources/planted/$name.hip" "$sources/planted/$name"/*.hip; do
                [ ! -f "$part" ] || echo "#include \"$part\""
            done >> "$source"
            ;;
    esac
    (compile "$source" "$scratch/$name.co" && chmod 644 "$scratch/$name.co") &
    jobs="$jobs $!"
done
for job in $jobs; do
    wait "$job"
done
describe > "$scratch/COMPILER"
mv "$scratch"/*.co "$scratch/COMPILER" "$target/"
if [ -z "$out" ]; then
    (cd "$sources" && sha256sum built/calibrate.co built/deltanet.co built/planted.co built/sanitizer.co) > "$scratch/SHA256SUMS"
    mv "$scratch/SHA256SUMS" "$sources/SHA256SUMS"
fi
echo "built in $target: ${only:-calibrate, deltanet, planted and sanitizer}"
