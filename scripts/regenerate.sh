#!/usr/bin/env bash
# Renews everything that is generated: code objects and their hashes, words of test programs, tables, snapshots of tests, and what the README and
# docs/ show. Run it after a change to kernels/, or the step that a change needs, then read `git diff`.
#
#   scripts/regenerate.sh                all steps; the last one takes long, and writes kernels/built/VALIDATED
#   scripts/regenerate.sh --no-validate  without that step, for work in progress
#   scripts/regenerate.sh STEP ...       these steps, in their usual order
#   scripts/regenerate.sh --list         the names of the steps, and what each renews
#
# A step uses what earlier steps have made: the program embeds the code objects, and all later steps run the program.
# Needs the Debian packages of kernels/README.md, and llvm-19 for the words; with validation also hipcc.
set -euo pipefail
cd "$(dirname "$0")/.."

# A line a step: its name, its command, what it renews.
steps='
kernels | scripts/build-kernels.sh && scripts/build-blas.sh | code objects and their hashes
words | scripts/assemble-tests.sh | words of test programs, from their assembly
program | scripts/build.sh | the program, which embeds the code objects
functions | INSTA_UPDATE=always cargo test --workspace --locked --test table --test conformance | functions and counts of cases in crates/gfx906-hip/README.md
snapshots | INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test --workspace --locked | snapshots of tests
tutorial | scripts/tutorial.sh --write | the outputs in docs/tutorial.md
pages | scripts/readme.sh --no-bench | captures, figures and pictures of the README and docs/
model | scripts/fit-model.py | the constants of the cost model, from measurements
costs | scripts/costs-table.py | the table of costs
half-states | scripts/half-states.py | the errors of states and products of 16 bits in docs/the-rule.md
validate | scripts/validate-kernels.sh | kernels/built/VALIDATED, after other compilers and flags
'

names=() commands=() renewed=()
while IFS='|' read -r name command what; do
    [[ -n $name ]] || continue
    read -r name <<<"$name"
    names+=("$name") commands+=("$command") renewed+=("${what# }")
done <<<"$steps"

chosen=() left_out=
for argument; do
    case $argument in
    --list)
        for at in "${!names[@]}"; do printf '%-10s %s\n' "${names[at]}" "${renewed[at]}"; done
        exit
        ;;
    --no-validate) left_out=validate ;;
    *)
        if [[ " ${names[*]} " != *" $argument "* ]]; then
            echo "no step is named $argument; $0 --list prints the names" >&2
            exit 2
        fi
        chosen+=("$argument")
        ;;
    esac
done
((${#chosen[@]})) || chosen=("${names[@]}")

for at in "${!names[@]}"; do
    name=${names[at]}
    [[ " ${chosen[*]} " == *" $name "* && $name != "$left_out" ]] || continue
    printf '\n== %s: %s\n' "$name" "${renewed[at]}"
    bash -euo pipefail -c "${commands[at]}"
done
