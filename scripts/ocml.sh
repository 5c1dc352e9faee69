#!/usr/bin/env bash
# AMD's math library on the emulator: every f32 and f64 function of OCML that HIP's headers expose, those of f16, HIP's own functions
# and fast intrinsics, and the conversions of narrow floats, compiled for gfx906 by clang-19, against correctly rounded results.
#
#   scripts/ocml.sh                     all, at some 16,000 points a function
#   scripts/ocml.sh --sample            all, at some hundred points: seconds
#   scripts/ocml.sh '__ocml_sin*' f16_* functions and conversions (by kernel) of these names
#   scripts/ocml.sh --markdown          all, as tables of Markdown
#   scripts/ocml.sh --opt -O0           compiled at another level than -O3
#   scripts/ocml.sh --program PATH      with this deltanet-check; otherwise it is built (release)
#
# The table of functions and their limits is scripts/ocml/functions.txt, what is excepted and why scripts/ocml/exceptions.py.
# Exit codes: 0 all within limits, 1 one is not, 2 usage, 3 something is missing. Installs nothing; names the Debian package.
set -euo pipefail
cd "$(dirname "$0")/.."

program=
arguments=()
while (($#)); do
    case $1 in
        -h | --help)
            sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "scripts/ocml.sh"
            exit 0
            ;;
        --program | --opt)
            (($# > 1)) || { echo "ocml.sh: $1 needs a value" >&2; exit 2; }
            if [[ $1 == --opt ]]; then arguments+=("--opt=$2"); else program=$2; fi
            shift
            ;;
        --sample | --markdown) arguments+=("$1") ;;
        -*) echo "ocml.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
        *) arguments+=("--only=$1") ;;
    esac
    shift
done

# Debian's gmpy2 is for Debian's python
python=/usr/bin/python3
[[ -x $python ]] || python=python3
bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc
missing=()
need() { # need WHAT PACKAGE test...
    local what=$1 package=$2
    shift 2
    "$@" >/dev/null 2>&1 || missing+=("  $what (Debian package $package)")
}
need clang-19 clang-19 command -v clang-19
need ld.lld-19 lld-19 command -v ld.lld-19
need llvm-nm-19 llvm-19 command -v llvm-nm-19
need /usr/include/hip/hip_runtime.h libamdhip64-dev test -f /usr/include/hip/hip_runtime.h
need "$bitcode" rocm-device-libs test -f "$bitcode"
need "gmpy2 for $python" python3-gmpy2 "$python" -c 'import gmpy2'
if ((${#missing[@]})); then
    printf 'ocml.sh: missing:\n' >&2
    printf '%s\n' "${missing[@]}" >&2
    exit 3
fi

if [[ -z $program ]]; then
    scripts/build.sh
    program=target/release/deltanet-check
fi
[[ -x $program ]] || { echo "ocml.sh: no program '$program'" >&2; exit 3; }

headers=$(clang-19 -print-resource-dir)/include
export PYTHONDONTWRITEBYTECODE=1
exec "$python" scripts/ocml/run.py --program "$program" --bitcode "$bitcode" \
    --headers "$headers/__clang_hip_math.h" "$headers/__clang_hip_libdevice_declares.h" "${arguments[@]}"
