#!/usr/bin/env python3
"""Writes the table of docs/the-rule.md of how far decoding on states of bf16 and f16 is from f64, after 4,096 tokens.

    scripts/half-states.py [--check]

--check writes nothing, and fails where the table is not current. DELTANET_CHECK names another deltanet-check.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("DELTANET_CHECK", str(ROOT / "target/release/deltanet-check"))
PAGE = ROOT / "docs/the-rule.md"
GATES = {"model": "of a fresh Qwen3-Next", "slow": "a decay of about 1 % a token", "none": "no decay"}


def measured():
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run([TOOL, "--registry", ROOT / "scripts/half-states.toml", "--report", report], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"half-states: {done.stdout}{done.stderr}")
        trials = [trial for phase in json.loads(report.read_text())["phases"] for trial in phase["trials"]]
    for trial in trials:
        case = dict(part.split("=", 1) for part in trial["shape"].split())
        yield case["state_type"], case["gates"], {output["name"]: output["oracle"]["relative_rms"] for output in trial["outputs"]}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    lines = ["| state | gates | o | state after the last token |", "|---|---|---|---|"]
    lines += [f"| {kind} | {GATES[gates]} | {of['o']:.1e} | {of['states']:.1e} |" for kind, gates, of in measured()]
    text = PAGE.read_text()
    mark = re.search(r"(<!-- half-states -->\n)(.*?)(<!-- end -->)", text, re.S)
    if not mark:
        sys.exit(f"half-states: {PAGE} has no place for the table: <!-- half-states --> and <!-- end -->")
    if mark[2].splitlines() == lines:
        return
    if sys.argv[1:]:
        sys.exit("half-states: docs/the-rule.md is not current, run scripts/half-states.py")
    PAGE.write_text(text[: mark.start(2)] + "\n".join(lines) + "\n" + text[mark.end(2) :])


main()
