#!/usr/bin/env python3
"""Computes mutation scores by family of kernels from reports of `deltanet-check mutate`; scripts/mutation.sh calls it.

    mutation-score.py REPORT...        writes the tables of docs/mutation.md and raises scripts/mutation-score.toml
    mutation-score.py --check REPORT   compares a small sample with scripts/mutation-score.toml

Both use exact binomial bounds. The ratchet holds the score that a campaign proves: a lower score would give as many killed mutants as the campaign has
with a probability of at most ERROR / 8, as there are seven families and their sum. A sample fails where it has so few killed mutants that the
ratchet's score gives as few or fewer with a probability of at most ERROR / 8. A change that loses no score thus fails with a probability of about ERROR
at most. A sample of kernels in equal parts varies less than a binomial one, so that the bounds are on the safe side.
"""
import collections
import json
import math
import pathlib
import re
import sys
import tomllib

ERROR = 0.01
# A family is known by how a kernel's name begins; the first that fits holds.
FAMILIES = [
    ("kernel_", "documented kernels"),
    ("gdn_scan_|gdn_decode_|compare_", "gated delta rule token by token, optimised"),
    ("gdn_", "gated delta rule"),
    ("ggml_", "ggml's operator, plain and optimised"),
    ("gdr_", "operators around the rule"),
    ("fast_chunk_", "gated delta rule by chunks, optimised"),
    ("fast_", "documented kernels, optimised"),
]
NAMES = [name for _, name in FAMILIES] + ["all"]
SURVIVED = ["missed", "within-tolerance", "not-infected"]
JUDGED = ["killed", *SURVIVED]
COLUMNS = [*JUDGED, "equivalent"]
RATCHET = pathlib.Path("scripts/mutation-score.toml")


def family(function):
    for prefixes, name in FAMILIES:
        if re.match(prefixes, function):
            return name
    sys.exit(f"{function} belongs to no family: add one to FAMILIES in scripts/mutation-score.py")


def belongs(function, name):
    return name == "all" or family(function) == name


def at_most(killed, judged, score):
    """Returns the probability of `killed` or fewer among `judged` mutants that are killed with the probability `score`."""
    if score >= 1:
        return float(killed >= judged)
    log = [math.lgamma(judged + 1) - math.lgamma(k + 1) - math.lgamma(judged - k + 1) for k in range(killed + 1)]
    return sum(math.exp(c + k * math.log(score) + (judged - k) * math.log1p(-score)) for k, c in enumerate(log))


def proven(killed, judged):
    """Returns the largest score that so many killed mutants prove: the lower bound of Clopper and Pearson."""
    low, high = 0.0, killed / judged
    for _ in range(50):
        middle = (low + high) / 2
        unlikely = killed > 0 and middle > 0 and 1 - at_most(killed - 1, judged, middle) <= ERROR / len(NAMES)
        low, high = (middle, high) if unlikely or middle == 0 else (low, middle)
    return low


def count(mutants):
    return collections.Counter(mutant["outcome"] for mutant in mutants)


def judged(counts):
    return sum(counts[outcome] for outcome in JUDGED)


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def check(report):
    ratchet = tomllib.loads(RATCHET.read_text())
    below = []
    for name in NAMES:
        counts = count(m for m in report["mutants"] if belongs(m["function"], name))
        killed, sample = counts["killed"], judged(counts)
        chance = at_most(killed, sample, ratchet[name] / 100)
        word = "below" if chance <= ERROR / len(NAMES) else "holds"
        print(f"{word}  {name}: {killed} of {sample} killed ({percent(killed, sample)}), ratchet {ratchet[name]} %")
        below += [name] * (word == "below")
    if below:
        sys.exit("the score is significantly below scripts/mutation-score.toml: see the survivors in target/mutation/check.txt")


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)] + [
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows
    ]


def write(reports):
    mutants = [m for report in reports for m in report["mutants"] if m["outcome"] != "not-judged"]

    def cells(own):
        counts = count(own)
        return [*(counts[c] for c in COLUMNS), percent(counts["killed"], judged(counts))]

    rows = []
    for name in NAMES:
        own = [m for m in mutants if belongs(m["function"], name)]
        functions = [f for f in reports[0]["functions"] if belongs(f["name"], name)]
        code, covered = (sum(f[key] for f in functions) for key in ("instructions", "covered"))
        rows.append([name, len(functions), percent(covered, code), len(own), *cells(own)])
    lines = table(["family", "kernels", "covered", "mutants", *COLUMNS, "score"], rows)
    operators = sorted({m["operator"] for m in mutants}, key=lambda o: -sum(m["outcome"] in SURVIVED for m in mutants if m["operator"] == o))
    rows = [[f"`{o}`", *cells([m for m in mutants if m["operator"] == o])] for o in operators]
    lines += ["", *table(["operator", *COLUMNS, "score"], rows)]
    rows = [[r["asked"]["seed"], r["asked"]["per_kernel"], *cells(m for m in r["mutants"] if m["outcome"] != "not-judged")] for r in reports]
    lines += ["", *table(["seed", "of each kernel", *COLUMNS, "score"], rows)]
    rules = collections.Counter(m["rule"].split(":")[0] for m in mutants if m["outcome"] == "equivalent")
    lines += ["", "Equivalent by rule: " + ", ".join(f"{rule} {n}" for rule, n in rules.most_common()) + "."]
    renew("docs/mutation.md", "\n" + "\n".join(lines) + "\n")
    total = count(mutants)
    renew("docs/verdicts.md", f"{total['killed']} of {judged(total)} ({percent(total['killed'], judged(total))})")
    old = tomllib.loads(RATCHET.read_text()) if RATCHET.exists() else {}
    text = "# Mutation scores in percent that are not lost again. scripts/mutation.sh raises them; scripts/mutation-score.py says how.\n"
    for name in NAMES:
        counts = count(m for m in mutants if belongs(m["function"], name))
        score = math.floor(1000 * proven(counts["killed"], judged(counts))) / 10
        text += f'"{name}" = {max(score, old.get(name, 0.0))}\n'
    RATCHET.write_text(text)


def renew(path, text):
    page = pathlib.Path(path)
    page.write_text(re.sub("<!-- mutation -->.*?<!-- end -->", lambda _: f"<!-- mutation -->{text}<!-- end -->", page.read_text(), flags=re.S))


if sys.argv[1] == "--check":
    check(json.loads(pathlib.Path(sys.argv[2]).read_text()))
else:
    write([json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:]])
