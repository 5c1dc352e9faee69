#!/usr/bin/env python3
"""What the published report of the GDR operators claims (gdr-report.tsv), beside our verdicts of this run.

Usage: scripts/gdr-table.py PROGRAM     prints two tables for the README"""
import csv, json, pathlib, subprocess, sys

program = sys.argv[1]
# What the published kernels did, what the report would do instead, and kernels that write nothing but zeros.
FAULTS = ("as published", "its cure", "zeros", "sums doubled", "a halving tree")


def ask(*command):
    done = subprocess.run([program, *command, "--phase", "11", "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def table(head, rows):
    widths = [max(len(row[n]) for row in [head, *rows]) for n in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def number(value):
    return "exact" if value == 0 else f"{value:.1e}" if isinstance(value, float) else str(value)


with open(pathlib.Path(__file__).with_name("gdr-report.tsv")) as claims:
    claims = list(csv.DictReader(claims, delimiter="\t"))

trials = {}
for phase in ask()["phases"]:
    for trial in phase["trials"]:
        trials.setdefault(trial["id"].split(":")[0], []).append(trial)
rows = []
for claim in claims:
    ours = trials[claim["kernel"]]
    passed = sum(trial["verdict"] == "pass" for trial in ours)
    outputs = [output for trial in ours for output in trial["outputs"]]
    worst = max(float(output["oracle"]["relative_rms"]) for output in outputs)
    verdict = "PASS" if passed == len(ours) else f"FAIL ({len(ours) - passed} of {len(ours)})"
    rows.append([claim["number"], claim["kernel"], f"{claim['verdict']} at {claim['max_diff']} of {claim['tolerance']}", verdict, number(worst)])
table(["#", "kernel", "report", "right kernel", "relative RMS (f64)"], rows)

print()
named = {claim["kernel"] for claim in claims}
rows = []
for test in ask("self-test")["tests"]:
    for planted in test["planted"]:
        if test["id"] in named and planted["name"].startswith(FAULTS):
            rows.append(["caught" if planted["caught"] else "MISSED", test["id"], planted["name"], planted["by"]])
table(["", "kernel", "wrong kernel", "what gives it away"], rows)
