#!/usr/bin/env bash
# Renews the captures, figures and pictures in README.md and docs/ by running what they show. With --no-bench the benchmark's stay, with
# --no-self-test the count of planted bugs. DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=yes self_test=yes
for flag; do
    case $flag in
    --no-bench) bench= ;;
    --no-self-test) self_test= ;;
    *) echo "unknown: $flag" >&2; exit 2 ;;
    esac
done
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
captures=$(mktemp -d)
trap 'rm -rf "$captures"' EXIT
check=$(realpath "${DELTANET_CHECK:-target/release/deltanet-check}")

# What a user's run prints, with its exit code (of a failing test: 1).
tile() { (cd tests/bindings && "$check" --kernels tile.co --bind "$1" --test gemm_nt_naive_64 "${@:2}") || [ $? = 1 ]; }

"$check" --phase 1-8 >"$captures/scripts_readme.sh"
"$check" audit --regime slow --regime moderate-even --regime model >"$captures/audit"
"$check" --test scale:n=1 --trace - --trace-wave 0 | grep -E '^\(.* (v_(add_u|cmp|lshl|mul)|s_and_saveexec|global_load)' >"$captures/trace"
"$check" exec kernels/planted/sanitizer/race.json --sanitize=race --allow-path kernels | sed -n '/^findings/,$p' >"$captures/race" || true
"$check" lint tests/data/lint.co >"$captures/lint" || true
[[ -z $self_test ]] || "$check" self-test | sed -n 's/^planted bugs *\([0-9]*\)\/.*/\1/p' >"$captures/planted"
scripts/gdr-table.py "$check" >"$captures/gdr"
tile tile.toml | sed -n '/^status/,/^PASS/p' >"$captures/tile"
tile wrong.toml | sed '1,/^Failures/d' | sed -n '/^FAIL/,/^ *where/p' >"$captures/tile-wrong"
[[ -z $bench ]] || scripts/bench.sh | sed '/^loops of one instruction/,$d' >"$captures/bench"

mkdir -p docs/images
tile tile.toml --color always | scripts/terminal-svg.py '$ deltanet-check --kernels tile.co --bind tile.toml --test gemm_nt_naive_64' >docs/images/pass.svg
tile wrong.toml --color always | sed '/^code object/d' |
    scripts/terminal-svg.py '$ deltanet-check --kernels tile.co --bind wrong.toml --test gemm_nt_naive_64' >docs/images/fail.svg

python3 - "$captures" <<'PYTHON'
import pathlib, re, sys
captures = pathlib.Path(sys.argv[1])
shown = set()
def renew(match):
    shown.add(match[1])
    path = captures / match[1].replace("/", "_")
    return f"<!-- capture: {match[1]} -->\n```text\n{path.read_text().strip()}\n```\n<!-- end -->" if path.exists() else match[0]
for page in [pathlib.Path("README.md"), *pathlib.Path("docs").glob("*.md")]:
    text = page.read_text()
    text = re.sub(r"<!-- capture: (\S+) -->\n```text\n.*?```\n<!-- end -->", renew, text, flags=re.S)
    if (captures / "planted").exists():
        count = (captures / "planted").read_text().strip()
        text = re.sub(r"<!-- planted -->.*?<!-- end -->", f"<!-- planted -->{count}<!-- end -->", text)
    page.write_text(text)
made = {path.name for path in captures.iterdir()} - {"planted"}
lost = made - {name.replace("/", "_") for name in shown}
sys.exit(f"no page shows {', '.join(sorted(lost))}" if lost else 0)
PYTHON
