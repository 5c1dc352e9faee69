#!/usr/bin/env bash
# A newcomer's first ten minutes: every command of the README in a fresh copy of what is committed, with its own cargo root and an empty home.
# `# exit code N` behind a command says how it must end; otherwise it must succeed. With --no-tests the project's own tests are left out.
# With --program FILE that program is taken for the one that `cargo install` would make. CARGO_TARGET_DIR may name a directory of builds to share.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=yes program=
while (($#)); do
    case $1 in
    --no-tests) tests= ;;
    --program) program=$(realpath "$2"); shift ;;
    *) echo "unknown: $1" >&2; exit 2 ;;
    esac
    shift
done
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh/home" "$fresh/copy" "$fresh/root/bin"
[[ -z $program ]] || cp "$program" "$fresh/root/bin/deltanet-check"
git archive HEAD | tar -x -C "$fresh/copy"
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export HOME=$fresh/home CARGO_INSTALL_ROOT=$fresh/root PATH=$fresh/root/bin:$PATH

python3 - "$fresh/copy/README.md" <<'PYTHON' >"$fresh/blocks"
import re, sys
# One block a line: commands with tabs between them.
for block in re.findall(r"```sh\n(.*?)```", open(sys.argv[1]).read(), re.S):
    print("\t".join(line for line in block.splitlines() if line.strip()))
PYTHON
count=0
while IFS= read -r block; do
    # The commands of a block share a shell: `cd` lasts until its end.
    cd "$fresh/copy"
    IFS=$'\t' read -r -a commands <<<"$block"
    for command in "${commands[@]}"; do
        [[ -z $tests && $command == "cargo test"* ]] && continue
        [[ -n $program && $command == "cargo install"* ]] && continue
        want=$(sed -n 's/.*# exit code \([0-9]*\).*/\1/p' <<<"$command")
        printf '$ %s\n' "$command"
        code=0
        eval "$command" >"$fresh/out" 2>&1 </dev/null || code=$?
        if [[ $code != "${want:-0}" ]]; then
            tail -n 20 "$fresh/out"
            echo "exit code $code, not ${want:-0}: $command" >&2
            exit 1
        fi
        count=$((count + 1))
    done
done <"$fresh/blocks"
echo "$count commands of the README do what it says"
