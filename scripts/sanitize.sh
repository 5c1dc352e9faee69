#!/usr/bin/env bash
# The sanitizer must find nothing in right programs: the built-in tests, the kernels as hipcc, -ffast-math and -O0 make them, GCC's torture
# programs, AMD's math library and HIP programs run under all checks. What it would say of a wrong one is tried first, on planted mistakes.
#
#   scripts/sanitize.sh             a sample: minutes
#   scripts/sanitize.sh --whole     every test of every build, every torture program at -O0 and -O2: an hour and more
#
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release. Exit codes: 0 nothing found, 1 something, 3 a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
whole=
[[ ${1:-} == --whole ]] && whole=1
if [[ -z ${DELTANET_CHECK:-} ]]; then
    scripts/build.sh
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi
DELTANET_CHECK=$(realpath "$DELTANET_CHECK")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# What was run, whether anything was found in it, and what.
verdict() {
    local name=$1 code=$2 said=$3
    if [[ $code == 0 ]]; then
        printf '%-60s nothing found\n' "$name"
    else
        failed=1
        printf '%-60s FINDINGS\n' "$name"
        grep -v ' ok$\|^PASS' "$said" | head -n 60
    fi
}
tests() {
    local name=$1 code=0
    shift
    "$DELTANET_CHECK" --sanitize "$@" >"$out/said" 2>&1 || code=$?
    verdict "$name: $(grep '^all tests' "$out/said" | head -n 1)" "$code" "$out/said"
}
# That a planted mistake is told, on the way that right programs take: what the last call of `verdict` said, and that it counted.
planted() {
    local name=$1 rule=$2
    if [[ $failed == 0 ]] || ! grep -q "$rule" "$out/verdict"; then
        echo "sanitize.sh: nothing is said of the planted mistake in $name: what follows would say nothing" >&2
        cat "$out/verdict" >&2
        exit 1
    fi
    failed=0
    printf '%-60s found, as it must be\n' "$name"
}
build() {
    mkdir -p "$out/$1"
    scripts/build-kernels.sh --out "$out/$1" --only deltanet "${@:2}" >/dev/null
}

cat >"$out/planted.toml" <<'BINDING'
schema = 1

[[binding]]
contract = "state_update"
symbol = "planted_fast_state_no_barrier"
grid = ["ceil(S / 64)", "ceil(S / 64)"]
block = [256]
args = ["state", "K_cumdecay", "V_new", "state_out", "i32 S", "i32 C", "f32 exp_g_last"]
BINDING
tests planted --kernels kernels/built/planted.co --bind "$out/planted.toml" --test state_update >"$out/verdict"
planted "a kernel without a barrier" 'race: LDS is read while it is written'

# Of each kernel its small cases, where there is no time for all.
small=(--phase 9-11)
for test in 'gate:*' 'beta:*' 'l2norm:*' 'chunk*T=[12],*' 'chunk*T=65,*' 'recurrent*T=[12],*' 'decode*' 'sequential:*T=5,*' 'ggml*T=[1-5],*' \
    'gdr_*' 'fused_*:N=*T=1,*' 'chunk_tk*:*T=50,*' 'solve_tril_tk*' 'wy_*:*T=70,*'; do
    small+=(--test "$test")
done
every=(--phase 9-11)
[[ -n $whole ]] || every=("${small[@]}")
[[ -n $whole ]] && tests "built-in kernels"
[[ -n $whole ]] || tests "built-in kernels" --phase 0-9
build hipcc --compiler hipcc
build fast-math --opt '-O3 -ffast-math'
build O0 --opt -O0
for made in hipcc fast-math O0; do
    [[ $made == O0 ]] && every=("${small[@]}")
    [[ $made == O0 && -z $whole ]] && { tests O0 --kernels "$out/O0/deltanet.co" --phase 0-4; continue; }
    tests "$made" --kernels "$out/$made/deltanet.co" --phase 0-8
    tests "$made" --kernels "$out/$made/deltanet.co" "${every[@]}"
done

# What torture.sh and ocml.sh run, under the checks; their own verdicts are no news here.
cat >"$out/check" <<WRAPPER
#!/bin/sh
verb=\$1
shift
said=\$(mktemp "$out/ran.XXXXXX")
"$DELTANET_CHECK" "\$verb" --sanitize --sanitize-warn "\$@" 2>"\$said.err" | tee "\$said"
cat "\$said.err" >&2
# Hints fail nothing. Of the other severities a table has the label, and JSON the name.
grep -qE '"severity": "(mistake|portability)"|^ +(finding|portability) ' "\$said" && { echo "\$*"; cat "\$said"; } >>"$out/findings"
test -s "\$said" || exit 3
WRAPPER
chmod +x "$out/check"
programs() {
    local name=$1
    shift
    rm -f "$out"/ran.*
    : >"$out/findings"
    "$@" >"$out/log" 2>&1 || true
    local ran
    ran=$(find "$out" -name 'ran.??????' | wc -l)
    if [[ $ran == 0 ]]; then
        cat "$out/log"
        exit 3
    fi
    verdict "$name: $ran launches" "$([[ -s $out/findings ]] && echo 1 || echo 0)" "$out/findings"
}
programs "a planted kernel" "$out/check" exec kernels/planted/sanitizer/race.json --allow-path kernels >"$out/verdict"
planted "a launch of a kernel without a barrier" 'race: LDS is read while it is written'
sample=(--sample 60)
[[ -n $whole ]] && sample=()
programs "GCC's torture programs at -O0 and -O2" env DELTANET_CHECK="$out/check" scripts/torture.sh "${sample[@]}"
programs "AMD's math library" scripts/ocml.sh --sample --program "$out/check"

# Their own verdicts say that they do under the checks what they do without; a finding is told on stderr, which has to be silent. Those that
# wait for the host in kernels take their time: the sample leaves them out (hip-programs.sh itself runs one of them under the checks).
if [[ -n $whole ]]; then
    code=0
    GFX906_SANITIZE=1 scripts/hip-programs.sh >"$out/said" 2>&1 || code=$?
    verdict "HIP programs: $(grep -c ' ok$' "$out/said") checks" "$code" "$out/said"
fi
exit "$failed"
