#!/usr/bin/env python3
"""Writes src/fleet/costs.tsv: wave instructions of each test, a case, and of cases that are far from that.

    deltanet-check --report report.json; deltanet-check --list --seed 1 >other; scripts/costs.py report.json other
"""
import json
import pathlib
import sys

FAR = 50_000  # a case has a row of its own where its test's mean is off by so many instructions

report = json.loads(pathlib.Path(sys.argv[1]).read_text())
other = set(pathlib.Path(sys.argv[2]).read_text().splitlines())
assert report["seed"] == 0 and report["device"]["kind"] == "emulator", "take a report of seed 0 from the emulator"
tests = {}
for phase in report["phases"]:
    for trial in phase["trials"]:
        tests.setdefault(trial["id"].split(":")[0], []).append((trial["id"], trial["wave_instructions"] or 0))
rows = []
for test, cases in tests.items():
    mean = round(sum(cost for _, cost in cases) / len(cases))
    rows.append((test, mean))
    # Cases of a design are others with another seed.
    rows += [(case, cost) for case, cost in cases if case != test and case in other and abs(cost - mean) > FAR]
out = pathlib.Path(__file__).parent.parent / "src/fleet/costs.tsv"
out.write_text("".join(f"{name}\t{cost}\n" for name, cost in rows))
