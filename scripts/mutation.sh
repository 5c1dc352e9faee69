#!/usr/bin/env bash
# How much a PASS of the built-in tests says: a campaign of 40 mutants a kernel for each seed of SEEDS (0), less what kernels/accepted/*.toml
# accepts, and from it the table in docs/mutation.md and the score in docs/verdicts.md; JOBS mutants at a time, or one a core. With --table it makes no campaign and takes the reports that are
# in target/mutation. With --check BAR it changes nothing, takes 6 mutants a kernel of one seed, those that are proven to be equivalent among
# them, and fails below BAR percent, and where an instruction is executed by no test and neither a proof nor kernels/accepted/unreachable.toml says
# why no launch comes to it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh
program=target/release/deltanet-check
accepted=(kernels/accepted/*.toml)
reports=target/mutation
mkdir -p "$reports"
if [[ ${1:-} == --check ]]; then
    "$program" mutate --per-kernel 6 --doubt --accepted "${accepted[@]}" --fail-under "$2" --report "$reports/check.json"
    exec python3 - "$reports/check.json" <<'PYTHON'
import json, sys
runs = json.load(open(sys.argv[1]))["uncovered"]
for run in runs:
    if not run["never"] and "reason" not in run:
        print(f"{run['function']}+{run['offset']:#x}: no test executes it, and nothing says why none can: {run['path']}")
sys.exit(any(not run["never"] and "reason" not in run for run in runs))
PYTHON
fi
for seed in ${SEEDS:-0}; do
    if [[ ${1:-} != --table ]]; then
        "$program" mutate --seed "$seed" ${JOBS:+--jobs "$JOBS"} --report "$reports/$seed.whole.json" >/dev/null
    fi
    "$program" mutate --merge "$reports/$seed.whole.json" --accepted "${accepted[@]}" --report "$reports/$seed.json" -v >"$reports/$seed.txt"
done

python3 - "$reports" ${SEEDS:-0} <<'PYTHON'
import collections, json, pathlib, re, sys
folder, seeds = pathlib.Path(sys.argv[1]), sys.argv[2:]
reports = [json.loads((folder / f"{seed}.json").read_text()) for seed in seeds]
# By the first that a kernel's name begins with.
FAMILIES = [
    ("kernel_", "documented kernels"),
    ("gdn_scan_|gdn_decode_|compare_", "gated delta rule token by token, optimised"),
    ("gdn_", "gated delta rule"),
    ("ggml_", "ggml's operator, plain and optimised"),
    ("gdr_", "operators around the rule"),
    ("fast_chunk_", "gated delta rule by chunks, optimised"),
    ("fast_", "documented kernels, optimised"),
]

def family(function):
    for prefixes, name in FAMILIES:
        if re.match(prefixes, function):
            return name
    sys.exit(f"{function} is of no family: name one in scripts/mutation.sh")
COLUMNS = ["killed", "missed", "within-tolerance", "not-infected", "equivalent", "accepted"]

def row(name, wanted):
    mutants = [m for r in reports for m in r["mutants"] if wanted(m["function"]) and m["outcome"] != "not-judged"]
    counts = collections.Counter(m["outcome"] for m in mutants)
    functions = {f["name"]: f for f in reports[0]["functions"] if wanted(f["name"])}
    judged = sum(counts[c] for c in COLUMNS[:4])
    code, covered = (sum(f[k] for f in functions.values()) for k in ("instructions", "covered"))
    cells = [name, len(functions), f"{100 * covered / code:.1f} %", len(mutants), *(counts[c] for c in COLUMNS), f"{100 * counts['killed'] / judged:.1f} %"]
    return "| " + " | ".join(str(cell) for cell in cells) + " |", counts, judged

lines = ["| kernels | | covered | mutants | " + " | ".join(COLUMNS) + " | score |", "|---|" + "--:|" * 10]
for _, name in FAMILIES:
    lines.append(row(name, lambda f, own=name: family(f) == own)[0])
total, counts, judged = row("all", lambda f: True)
lines.append(total)
if 10 * counts["accepted"] > judged + counts["equivalent"] + counts["accepted"]:
    sys.exit(f"{counts['accepted']} mutants are accepted: more than a tenth")
lines += ["", "| seed | " + " | ".join(COLUMNS) + " | score |", "|---|" + "--:|" * 7]
for seed, report in zip(seeds, reports):
    own = collections.Counter(m["outcome"] for m in report["mutants"])
    score = 100 * own["killed"] / sum(own[c] for c in COLUMNS[:4])
    lines.append(f"| {seed} | " + " | ".join(str(own[c]) for c in COLUMNS) + f" | {score:.1f} % |")
rules = collections.Counter(m["rule"].split(":")[0] for r in reports for m in r["mutants"] if m["outcome"] == "equivalent")
def idle(report, wanted):
    return sum(run["instructions"] for run in report["uncovered"] if wanted(run))
code = sum(f["instructions"] for f in reports[0]["functions"])
proven, said, neither = (
    max(idle(r, wanted) for r in reports)
    for wanted in (lambda run: run["never"], lambda run: "reason" in run, lambda run: not run["never"] and "reason" not in run)
)
lines += ["", f"Of {code} instructions no test executes {proven} to which it is proven that no launch comes, {said} of which a file says why, and {neither} others."]
lines += ["", "Equivalent by rule: " + ", ".join(f"{name} {count}" for name, count in rules.most_common()) + "."]
def renew(path, name, text):
    page = pathlib.Path(path)
    pattern = f"<!-- {name} -->.*?<!-- end -->"
    page.write_text(re.sub(pattern, lambda _: f"<!-- {name} -->{text}<!-- end -->", page.read_text(), flags=re.S))
renew("docs/mutation.md", "mutation", "\n" + "\n".join(lines) + "\n")
renew("docs/verdicts.md", "mutation", f"{counts['killed']} of {judged} ({100 * counts['killed'] / judged:.1f} %)")
PYTHON
