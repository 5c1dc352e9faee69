#!/usr/bin/env bash
# Opens an HTML report of a real run, in which one test passes and others fail, in a headless browser: it renders, its pictures are there,
# filter and search work, nothing is loaded and nothing complains. Screenshots at two widths, light and dark, are for looking at.
#
#   scripts/html-report.sh [DIRECTORY]    where report.html and the screenshots go (default target/html-report)
#
# Installs nothing. Needs Chromium (Debian: apt-get install chromium) as `chromium`, or in CHROMIUM. DELTANET_CHECK names a built
# deltanet-check; without it, cargo builds the release. Exit codes: 0 all is well, 1 something is not, 3 a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
browser=${CHROMIUM:-chromium}
command -v "$browser" >/dev/null || { echo "no $browser: apt-get install chromium, or name one in CHROMIUM" >&2; exit 3; }
if [[ -z ${DELTANET_CHECK:-} ]]; then
    cargo build --release --quiet
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi
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
page=$out/report.html
code=0
"$DELTANET_CHECK" --registry "$out/registry.toml" --counters --report "$page" --report "$out/report.json" >"$out/table" || code=$?
[[ $code == 1 ]] || { cat "$out/table"; echo "the run should have failed: exit code $code" >&2; exit 1; }

bad=0
fail() { echo "FAIL $*"; bad=1; }
chromium() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$profile" \
        --enable-logging=stderr --log-level=0 "$@" 2>>"$out/log"
}
# What stands on the page, after it has run its script.
page_of() { chromium --virtual-time-budget=3000 --dump-dom "file://$1"; }
shown() { grep -o '<output id="shown">[^<]*' | sed 's/.*>//'; }
expect() {
    local what=$1 want=$2 found=$3
    if [[ $found == "$want" ]]; then echo "ok   $what: $found"; else fail "$what: $found, not $want"; fi
}

: >"$out/log"
page_of "$page" >"$out/dom"
expect "all tests" "3 of 3 tests" "$(shown <"$out/dom")"
for part in 'class="map"' 'class="plot"' 'class="numbers"' '<h2>Counters</h2>'; do
    grep -q "$part" "$out/dom" || fail "no $part on the page"
done
expect "by a link: what failed" "2 of 3 tests" "$(page_of "$page#show=fail" | shown)"
expect "by a link: a word" "1 of 3 tests" "$(page_of "$page#q=product" | shown)"
# As a hand would: the word is typed, the box is clicked.
acted() {
    sed "s|</body>|<script>$1</script></body>|" "$page" >"$out/acted.html"
    page_of "$out/acted.html" | shown
}
expect "typed" "1 of 3 tests" "$(acted 'const s = document.getElementById("search"); s.value = "kernel_exp"; s.dispatchEvent(new Event("input"));')"
expect "clicked" "1 of 3 tests" "$(acted 'document.querySelector("#filter input[value=fail]").click();')"
rm "$out/acted.html"
if grep -E 'CONSOLE|Uncaught|Refused' "$out/log"; then fail "the browser complains"; else echo "ok   no word on the console"; fi
if grep -qE '(src|href)="?(https?:)?//' "$page"; then fail "something is loaded"; else echo "ok   nothing is loaded"; fi
for width in 480 1280; do
    for mode in light dark; do
        flags=(--blink-settings=preferredColorScheme=$([[ $mode == dark ]] && echo 0 || echo 1))
        chromium "${flags[@]}" --window-size=$width,2400 --screenshot="$out/$mode-$width.png" "file://$page" >/dev/null
        [[ -s $out/$mode-$width.png ]] || fail "no screenshot of $width columns"
    done
done
ls "$out"/*.png
exit $bad
