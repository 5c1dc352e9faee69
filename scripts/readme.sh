#!/usr/bin/env bash
# Renews the captures and figures in README.md by running what they show. With --no-bench the benchmark's stay.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
captures=$(mktemp -d)
trap 'rm -rf "$captures"' EXIT

target/release/deltanet-check --phase 1-8 >"$captures/scripts_readme.sh"
target/release/deltanet-check audit --regime slow --regime moderate-even --regime model >"$captures/audit"
target/release/deltanet-check --test scale:n=1 --trace - --trace-wave 0 | grep -E '^\(.* (v_(add_u|cmp|lshl|mul)|s_and_saveexec|global_load)' >"$captures/trace"
target/release/deltanet-check exec kernels/planted/sanitizer/race.json --sanitize=race | sed -n '/^findings/,$p' >"$captures/race" || true
target/release/deltanet-check lint tests/data/lint.co >"$captures/lint" || true
target/release/deltanet-check --self-test | sed -n 's/^planted bugs *\([0-9]*\)\/.*/\1/p' >"$captures/planted"
scripts/gdr-table.py target/release/deltanet-check >"$captures/gdr"
[[ ${1:-} == --no-bench ]] || scripts/bench.sh | sed '/^loops of one instruction/,$d' >"$captures/bench"

python3 - "$captures" <<'PYTHON'
import pathlib, re, sys
captures = pathlib.Path(sys.argv[1])
readme = pathlib.Path("README.md")
text = readme.read_text()
def renew(match):
    path = captures / match[1].replace("/", "_")
    return f"<!-- capture: {match[1]} -->\n```text\n{path.read_text().strip()}\n```\n<!-- end -->" if path.exists() else match[0]
text = re.sub(r"<!-- capture: (\S+) -->\n```text\n.*?```\n<!-- end -->", renew, text, flags=re.S)
text = re.sub(r"<!-- planted -->.*?<!-- end -->", f"<!-- planted -->{(captures / 'planted').read_text().strip()}<!-- end -->", text)
readme.write_text(text)
PYTHON
