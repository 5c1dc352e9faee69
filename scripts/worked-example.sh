#!/usr/bin/env bash
# Prints the changes of a worked example in CONTRIBUTING.md, for `git apply`.
#
#   scripts/worked-example.sh contract       all changes of the example
#   scripts/worked-example.sh contract 2     those of its second step
#   scripts/worked-example.sh --check        the changes of all examples apply to this tree; seconds
#
# The examples are contract, function and instruction. The function and the instruction are there already, so their changes apply in reverse.
set -euo pipefail
cd "$(dirname "$0")/.."

# A block of changes stands behind the line `<!-- example: NAME STEP -->`.
changes() { # changes NAME [STEP]
    awk -v example="<!-- example: $1 ${2:+$2 -->}" '
        /^<!-- example: / { chosen = index($0, example) == 1 }
        /^```/ { printing = chosen && $0 == "```diff"; if (printing) chosen = 0; next }
        printing { print }' CONTRIBUTING.md
}

case ${1:-} in
contract | function | instruction)
    text=$(changes "$@")
    [[ -n $text ]] || { echo "the example $1 has no step ${2:-}" >&2; exit 2; }
    printf '%s\n' "$text"
    ;;
--check)
    for example in contract function instruction; do
        direction=()
        [[ $example == contract ]] || direction=(--reverse)
        changes "$example" | git apply --check "${direction[@]}" || {
            echo "CONTRIBUTING.md: the changes of the example $example do not apply: renew them" >&2
            exit 1
        }
    done
    ;;
*)
    sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
    exit 2
    ;;
esac
