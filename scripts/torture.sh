#!/usr/bin/env bash
# Runs the programs of GCC's gcc.c-torture/execute on the emulator, compiled for gfx906 by clang-19, one work-item each,
# and compares with the same programs compiled by the same clang for this machine.
#
#   scripts/torture.sh                        all of them, at -O0 and -O2
#   scripts/torture.sh --level O2 'pr*'       one level, and the programs that a glob matches (as ieee/pr* or builtins/*)
#   scripts/torture.sh --sample 100           a hundred of them, evenly spread
#   scripts/torture.sh --write                also renews docs/torture.md (only a run of all programs at both levels may)
#   scripts/torture.sh --jobs 4               programs at a time (default: one a core)
#
# A program counts where the native build of it ends with status 0. Exit codes: 0 as expected, 1 a program failed that
# scripts/torture/exceptions.toml does not list, or one passed that it lists, 2 usage, 3 something is missing.
# The programs come out of Debian's package gcc-12-source; nothing is installed. Everything is put into target/torture.
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    -h | --help)
        sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "$0"
        exit 0
        ;;
esac

missing=
need() { # need WHAT PACKAGE
    command -v "$1" >/dev/null || missing="$missing
  $1 (Debian package $2)"
}
need clang-19 clang-19
need ld.lld-19 lld-19
need python3 python3
need xz xz-utils
shopt -s nullglob
tarballs=("${GCC_SOURCE:-/usr/src/gcc-12}"/gcc-12.*.tar.xz)
((${#tarballs[@]})) || missing="$missing
  /usr/src/gcc-12/gcc-12.*.tar.xz (Debian package gcc-12-source)"
if [[ -n $missing ]]; then
    printf 'torture.sh: missing:%s\ninstall: apt-get install --no-install-recommends clang-19 lld-19 python3 xz-utils gcc-12-source\n' \
        "$missing" >&2
    exit 3
fi

if [[ -z ${DELTANET_CHECK:-} ]]; then
    scripts/build.sh
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi

scratch=target/torture
source=$scratch/source/$(basename "${tarballs[0]}" .tar.xz)
if [[ ! -d $source ]]; then
    mkdir -p "$scratch/source"
    unpacked=$(mktemp -d "$scratch/source/.unpack.XXXXXX")
    tar -xJf "${tarballs[0]}" -C "$unpacked" --strip-components=5 --wildcards '*/gcc/testsuite/gcc.c-torture/execute/*'
    mv "$unpacked" "$source"
fi
exec python3 scripts/torture/run.py --source "$source" --scratch "$scratch" --check "$DELTANET_CHECK" "$@"
