#!/usr/bin/env bash
# Speed, in one run on this machine: the emulator on documented kernels, beside the same kernels in OpenCL C run natively by PoCL
# (Debian: pocl-opencl-icd; left out where it is missing) and the host's FMA peak; loops of single instructions; and the wall time of
# the whole validation run on one core and on all, and of choosing its cases alone; what the sanitizer's checks cost (with --sanitizer:
# that alone; with --sanitizer --write its table in docs/sanitizer.md, too).
#   --against BINARY [INSTRUCTIONS]   instead: this tree's program against another deltanet-check, and this tree's loops of instructions
#                                     against another build of that bench, in turns
set -euo pipefail
cd "$(dirname "$0")/.."

# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
check=${DELTANET_CHECK:-target/release/deltanet-check}

# What the sanitizer's checks cost: user seconds of phase 9 on one core without and under each, four of them and all. One after the other,
# three rounds, the best of each: what else the machine does is in all of them.
sanitizer() {
    local times name round TIMEFORMAT=%U
    times=$(mktemp)
    for round in 1 2 3; do
        for name in plain hazard sync wait memory init race memory,init,wait,hazard all; do
            local checks=("--sanitize=$name")
            [[ $name == plain ]] && checks=()
            printf '%s %s\n' "$name" "$({ time "$check" --phase 9 --jobs 1 "${checks[@]}" >/dev/null; } 2>&1)" >>"$times"
        done
    done
    python3 - "$times" "$@" <<'PYTHON'
import pathlib, re, sys
best = {}
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    name, seconds = line.split()
    best[name] = min(float(seconds), best.get(name, float("inf")))
plain = best.pop("plain")
rows = [(name, seconds, seconds / plain) for name, seconds in best.items()]
print(f"\nphase 9 on one core: {plain:.2f} s of user time")
for name, seconds, times in rows:
    print(f"  {name:24} {seconds:7.2f} s  {times:4.1f} x")
if "--write" in sys.argv:
    cell = lambda name: name if name == "all" else ", ".join(f"`{one}`" for one in name.split(","))
    table = "".join(f"| {cell(name)} | {times:.1f} |\n" for name, _, times in rows)
    page = pathlib.Path("docs/sanitizer.md")
    block = f"<!-- costs -->\n| checks | times the plain run |\n|---|--:|\n{table}<!-- end -->"
    page.write_text(re.sub("<!-- costs -->.*?<!-- end -->", lambda _: block, page.read_text(), flags=re.S))
PYTHON
    rm -f "$times"
}
if [[ ${1:-} == --sanitizer ]]; then
    sanitizer "${@:2}" | tail -n +2
    exit
fi
if [[ ${1:-} == --against ]]; then
    benches=()
    if [[ -n ${3:-} ]]; then
        bench=$(cargo bench --quiet --no-run -p gfx906 --bench instructions --message-format json |
            python3 -c 'import json, sys; print([e for e in (json.loads(line).get("executable") for line in sys.stdin) if e][-1])')
        benches=("$bench" "$3")
    fi
    exec scripts/bench-workloads.py "$check" "$2" "${benches[@]}"
fi

native=target/native-times.txt
: >"$native"
if cargo build --release --quiet --manifest-path benches/native/Cargo.toml; then
    for cores in $(printf '1\n%s\n' "$(nproc)" | sort -un); do
        POCL_MAX_PTHREAD_COUNT=$cores benches/native/target/release/native-yardstick |
            awk -v cores="$cores" '{ print $1, cores, $2 }' >>"$native" ||
            echo 'bench: no native times; install pocl-opencl-icd' >&2
    done
fi
DELTANET_NATIVE=$PWD/$native cargo bench --quiet --bench emulator

wall() { # command... -> best of five, in seconds
    local best='' seconds
    for _ in 1 2 3 4 5; do
        local start end
        start=$(date +%s.%N)
        "$@" >/dev/null
        end=$(date +%s.%N)
        seconds=$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", b - a }')
        if [[ -z $best ]] || awk -v a="$seconds" -v b="$best" 'BEGIN { exit !(a < b) }'; then best=$seconds; fi
    done
    echo "$best"
}

one=$(wall "$check" --jobs 1)
all=$(wall "$check")
start=$(wall "$check" --list)
awk -v one="$one" -v all="$all" -v cores="$(nproc)" -v start="$start" 'BEGIN {
    printf "\nwhole run, best of 5: %s s on one core, %s s on %d (%.2f x), of which %s s choose the cases\n", one, all, cores, one / all, start
}'

"$check" --test 'scan:B=1,T=17,H=16,HV=32,K=128,V=128,*' --jobs 1 --format json | python3 -c '
import json, sys
launch = next(t for p in json.load(sys.stdin)["phases"] for t in p["trials"])["launches"][0]
instructions, seconds = launch["wave_instructions"], launch["seconds"]
print(f"gated delta rule, 32 heads of 128 x 128, 17 tokens, one core: {instructions:.3g} wave instructions in {seconds:.2f} s")'

sanitizer
# Single instructions, each beside the one that it is measured by.
echo
cargo bench --quiet -p gfx906 --bench instructions
