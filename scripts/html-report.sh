#!/usr/bin/env bash
# Opens the HTML reports of real runs (outputs that fail, laws that break, findings of the sanitizer), of a profile and of a mutation campaign in
# a headless browser: they render, their pictures are there, filters and search work, nothing is loaded and nothing complains. Screenshots at two widths, light and dark, are for looking at.
#
#   scripts/html-report.sh [DIRECTORY]    where the pages and the screenshots go (default target/html-report)
#   PICTURE=docs/images/report.png scripts/html-report.sh    renews the picture of docs/reports.md, too
#
# Installs nothing. Needs Chromium (Debian: apt-get install chromium) as `chromium`, or in CHROMIUM. DELTANET_CHECK names a built
# deltanet-check; without it, cargo builds the release. Exit codes: 0 all is well, 1 something is not, 3 a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
browser=${CHROMIUM:-chromium}
command -v "$browser" >/dev/null || { echo "no $browser: apt-get install chromium, or name one in CHROMIUM" >&2; exit 3; }
if [[ -z ${DELTANET_CHECK:-} ]]; then
    scripts/build.sh
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi
check=$(realpath "$DELTANET_CHECK")
out=$(realpath -m "${1:-target/html-report}")
mkdir -p "$out"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

cat >"$out/registry.toml" <<'REGISTRY'
schema = 1
[[phase]]
number = 1
title = "Tolerances that are too strict"
[[phase.test]]
id = "exp, too strict"
contract = "exp"
shape = { n = 4096 }
outputs.out = { tolerance = 1e-7 }
[[phase.test]]
id = "recurrence, too strict"
contract = "gdn_recurrent"
shape = { B = 1, T = 96, H = 1, HV = 2, K = 64, V = 64, gates = "model", map = "block", state = "random", layout = "value-major" }
outputs.o = { tolerance = 4e-9 }
outputs.final = { tolerance = 1e-5 }
[[phase]]
number = 2
title = "What passes"
[[phase.test]]
id = "product"
contract = "gemm_nt"
shape = { M = 64, N = 64, K = 32 }
REGISTRY
# exp where a negation should be: outputs fail, and laws break.
cat >"$out/wrong.toml" <<'BINDING'
schema = 1
[[binding]]
contract = "neg"
symbol = "kernel_exp"
grid = ["ceil(n / 256)"]
block = [256]
args = ["in", "out", "i32 n"]
BINDING
# A barrier is missing: a race.
cat >"$out/race.toml" <<'BINDING'
schema = 1
[[binding]]
contract = "state_update"
symbol = "planted_fast_state_no_barrier"
grid = ["ceil(S / 64)", "ceil(S / 64)"]
block = [256]
args = ["state", "K_cumdecay", "V_new", "state_out", "i32 S", "i32 C", "f32 exp_g_last"]
BINDING
ended() {
    local want=$1 code=0
    shift
    "$@" >"$out/table" || code=$?
    [[ $code == "$want" ]] || { cat "$out/table"; echo "exit code $code, not $want: $*" >&2; exit 1; }
}
# Where it stands is nobody's business.
here() { (cd "$out" && exec -a deltanet-check "$check" "$@"); }
ended 1 here --registry registry.toml --counters --report report.html --report report.json
ended 1 "$check" --bind "$out/wrong.toml" --test neg --relations --report "$out/laws.html"
ended 1 "$check" --kernels kernels/built/planted.co --bind "$out/race.toml" --test state_update --sanitize=race --report "$out/findings.html"
ended 0 "$check" profile --test mul,transpose,gemm_nt_naive_64,deltanet_single_chunk --report "$out/profile.html"
ended 0 "$check" mutate --kernels tests/data/lines.co --bind tests/data/lines.toml --test neg --per-kernel 60 --report "$out/mutation.html"

bad=0
fail() { echo "FAIL $*"; bad=1; }
chromium() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$profile" \
        --enable-logging=stderr --log-level=0 "$@" 2>>"$out/log"
}
# What stands on a page, after it has run its script.
page_of() { chromium --virtual-time-budget=3000 --dump-dom "file://$1"; }
shown() { grep -o '<output id="shown"[^>]*>[^<]*' | sed 's/.*>//'; }
expect() {
    local what=$1 want=$2 found=$3
    if [[ $found == "$want" ]]; then echo "ok   $what: $found"; else fail "$what: $found, not $want"; fi
}
# As a hand would: a word is typed, a box is clicked.
acted() {
    sed "s|</body>|<script>$2</script></body>|" "$out/$1.html" >"$out/acted.html"
    page_of "$out/acted.html" | shown
    rm "$out/acted.html"
}
typed() { acted "$1" "const s = document.getElementById(\"search\"); s.value = \"$2\"; s.dispatchEvent(new Event(\"input\"));"; }
clicked() { acted "$1" "document.querySelector(\"#filter input[value=$2]\").click();"; }
# A page renders with all its parts.
renders() {
    local page=$1 part
    shift
    page_of "$out/$page.html" >"$out/$page.dom"
    for part in "$@"; do
        grep -q "$part" "$out/$page.dom" || fail "$page: no $part"
    done
    grep -qE '(src|href)="?(https?:)?//' "$out/$page.html" && fail "$page: something is loaded"
    for width in 480 1280; do
        for mode in light dark; do
            local flags=(--blink-settings=preferredColorScheme=$([[ $mode == dark ]] && echo 0 || echo 1))
            local picture=$out/$page-$mode-$width.png
            chromium "${flags[@]}" --window-size=$width,2400 --screenshot="$picture" "file://$out/$page.html" >/dev/null
            [[ -s $picture ]] || fail "$page: no screenshot of $width columns"
        done
    done
    echo "ok   $page: it has its parts"
}

: >"$out/log"
renders report 'class="map"' 'class="plot"' 'class="numbers"' '<h2>Counters</h2>'
expect "all tests" "3 of 3 tests" "$(shown <"$out/report.dom")"
expect "by a link: what failed" "2 of 3 tests" "$(page_of "$out/report.html#show=fail" | shown)"
expect "by a link: a word" "1 of 3 tests" "$(page_of "$out/report.html#q=product" | shown)"
expect "typed" "1 of 3 tests" "$(typed report exp,)"
expect "clicked" "1 of 3 tests" "$(clicked report fail)"

renders laws 'out by [a-z-]*: wrong elements' '<dt>law</dt>'
renders findings '<dt>finding</dt><dd><div>race: ' '<dt>cure</dt>'

cases=$(grep -c 'id="case-' "$out/profile.html")
renders profile 'class="bar main"' 'class="roof"' 'class="spot"' '<h2>Roofline of asked bytes</h2>'
expect "all cases" "$cases of $cases cases" "$(shown <"$out/profile.dom")"
expect "a case by its name" "1 of $cases cases" "$(typed profile gemm_nt_naive_64)"
first=$(grep -o '<input type="checkbox" value="[a-z]*"' "$out/profile.html" | head -n 1 | sed 's/.*value="//; s/"//')
limited=$(grep -c "<tbody class=\"item\" data-verdict=\"$first\"" "$out/profile.html")
expect "without the limiter $first" "$((cases - limited)) of $cases cases" "$(clicked profile "$first")"

mutants=$(grep -c 'class="item mutant"' "$out/mutation.html")
survivors=$(grep -cE 'class="item mutant" data-verdict="(missed|within-tolerance|not-infected)"' "$out/mutation.html" || true)
killed=$(grep -c 'class="item mutant" data-verdict="killed"' "$out/mutation.html")
renders mutation 'class="cells"' 'class="shares"' 'class="code"' 'lines.hip:'
first=$((survivors > 0 ? survivors : mutants))
expect "survivors first" "$first of $mutants mutants" "$(shown <"$out/mutation.dom")"
expect "by a link: killed" "$killed of $mutants mutants" "$(page_of "$out/mutation.html#show=killed" | shown)"

if grep -E 'CONSOLE|Uncaught|Refused' "$out/log"; then fail "the browser complains"; else echo "ok   no word on the console"; fi
if [[ -n ${PICTURE:-} ]]; then
    chromium --blink-settings=preferredColorScheme=1 --window-size=1100,1560 --virtual-time-budget=3000 \
        --screenshot="$(realpath -m "$PICTURE")" "file://$out/report.html#q=recurrence" >/dev/null
fi
ls "$out"/*.png
exit $bad
