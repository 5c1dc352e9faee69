#!/usr/bin/env bash
# Measures the mutation score of the built-in kernels (docs/mutation.md). Without an argument it runs a campaign of MUTANTS (40) mutants a kernel for
# each seed of SEEDS, writes the tables into docs/mutation.md and the score into docs/verdicts.md, and raises scripts/mutation-score.toml. With --table
# it does the same from the reports in target/mutation. With --check it changes nothing: it runs a campaign of 6 mutants a kernel for the first seed
# of SEEDS, proven mutants among them, and fails where the score is significantly below scripts/mutation-score.toml. SEEDS is a list of numbers;
# by default it is one number, made of the commit's hash, so that each commit draws mutants that no earlier commit has drawn. JOBS is the number of
# mutants that run at the same time, by default one a core.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra seeds <<<"${SEEDS:-$((16#$(git rev-parse --short=8 HEAD | cut -c1-8)))}"
reports=target/mutation
mkdir -p "$reports"
campaign() {
    local seed=$1
    shift
    echo "a mutation campaign; to repeat it: SEEDS=$seed $0 $mode" >&2
    target/release/deltanet-check mutate --seed "$seed" ${JOBS:+--jobs "$JOBS"} "$@"
}
mode=${1:-}
case $mode in
--check)
    scripts/build.sh
    campaign "${seeds[0]}" --per-kernel 6 --doubt --report "$reports/check.json" >"$reports/check.txt"
    exec scripts/mutation-score.py --check "$reports/check.json"
    ;;
--table) ;;
"")
    scripts/build.sh
    for seed in "${seeds[@]}"; do
        campaign "$seed" --per-kernel "${MUTANTS:-40}" -v --report "$reports/$seed.json" >"$reports/$seed.txt"
    done
    ;;
*)
    echo "usage: $0 [--table|--check]" >&2
    exit 2
    ;;
esac
files=("${seeds[@]/#/$reports/}")
scripts/mutation-score.py "${files[@]/%/.json}"
