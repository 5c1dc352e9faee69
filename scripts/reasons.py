#!/usr/bin/env python3
"""Counts the right reasons of planted bugs, and writes the table of docs/diagnosis.md.

    reasons.py QUICK BLIND           reads two reports of `deltanet-check self-test`, with `--explain quick` and `blind`, and writes the table
    reasons.py --check QUICK BLIND   compares the shares with those below
"""
import collections
import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).parent.parent / "docs/diagnosis.md"
BEGIN, END = "<!-- reasons -->\n", "<!-- end -->"
# The least share of right reasons and the largest of wrong ones that a change may have, with and without lists of known mistakes. The aims are
# 0.90, 0.01 and 0.75.
BARS = {"quick": (0.90, 0.02), "blind": (0.75, None)}
# Families of bugs, by the kind of their first right reason; all other kinds are names of known mistakes.
FAMILIES = {
    "not-applied": "an input is not applied",
    "sign": "a sign",
    "function": "another function of an input",
    "scale": "a constant factor",
    "rounded": "a narrow type",
    "index": "other elements of an input",
    "unread": "elements that are not read",
    "layout": "axes in the other order",
    "zero": "zeros",
    "overflow": "overflow",
    "eps": "an epsilon",
    "row-factor": "a factor of each row",
    "non-finite": "a value that is not finite",
    "constant": "a constant too many or too few",
    "operation": "another operation",
    "step": "a step of the algorithm",
    "race": "a race",
}
OTHERS = "a mistake that the contract names"


def count(path):
    families = collections.defaultdict(collections.Counter)
    for test in json.load(open(path))["tests"]:
        for bug in test["planted"]:
            if bug["wrong_values"] and bug["right_reasons"]:
                family = FAMILIES.get(bug["right_reasons"][0].split()[0], OTHERS)
                found = {True: "right", False: "wrong", None: "none"}[bug["reason_is_right"]]
                families[family][found] += 1
    return families


def table(quick, blind):
    lines = ["| what is wrong | bugs | right | wrong | right, blind | wrong, blind |", "|---|---:|---:|---:|---:|---:|"]
    rows = [(name, quick[name], blind[name]) for name in [*FAMILIES.values(), OTHERS] if quick[name]]
    rows.append(("all", sum(quick.values(), collections.Counter()), sum(blind.values(), collections.Counter())))
    for name, one, other in rows:
        cells = [one.total(), one["right"], one["wrong"], other["right"], other["wrong"]]
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if len(arguments) != 2 + check:
        sys.exit(__doc__)
    counts = dict(zip(BARS, map(count, arguments[check:])))
    page = PAGE.read_text()
    before, rest = page.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    renewed = before + BEGIN + table(*counts.values()) + END + after
    failures = []
    for depth, (least, most) in BARS.items():
        all = sum(counts[depth].values(), collections.Counter())
        if all["right"] < least * all.total():
            failures.append(f"{depth}: {all['right']} of {all.total()} reasons are right, fewer than {least:.0%}")
        if most is not None and all["wrong"] > most * all.total():
            failures.append(f"{depth}: {all['wrong']} of {all.total()} reasons are wrong, more than {most:.0%}")
    if not check:
        PAGE.write_text(renewed)
    if failures:
        sys.exit("\n".join(failures))


main()
