#!/usr/bin/env python3
"""Writes the tables of docs/the-rule.md of how far 16 bits are from f64, after 4,096 tokens: states of bf16 and f16, and products in f16.

    scripts/half-states.py [--check]

--check writes nothing, and fails where a table is not current. DELTANET_CHECK names another deltanet-check.
"""
import array
import ast
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


def numbers(path):
    """The elements of a .npy file of f32 or f64."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    kind = ast.literal_eval(data[10 : 10 + length].decode())["descr"]
    return array.array({"<f4": "f", "<f8": "d"}[kind], data[10 + length :])


def of_largest(folder, output):
    """The largest error of an output, as a part of the largest expected value."""
    got, expected = (numbers(folder / f"{kind}.{output}.npy") for kind in ("output", "oracle"))
    return max(map(abs, map(float.__sub__, map(float, got), map(float, expected)))) / max(map(abs, expected))


def measured(test):
    with tempfile.TemporaryDirectory() as folder:
        report, dump = pathlib.Path(folder) / "report.json", pathlib.Path(folder) / "dump"
        command = [TOOL, "--registry", ROOT / "scripts/half-states.toml", "--test", f"{test}:*", "--report", report, "--dump", dump]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"half-states: {done.stdout}{done.stderr}")
        for trial in (trial for phase in json.loads(report.read_text())["phases"] for trial in phase["trials"]):
            case = dict(part.split("=", 1) for part in trial["shape"].split())
            own = dump / f"{test.replace(' ', '.')}.{trial['shape'].replace(' ', ',')}"
            errors = {output["name"]: output["oracle"]["relative_rms"] for output in trial["outputs"]}
            yield case, errors, lambda output: of_largest(own, output)


def states():
    lines = ["| state | gates | o | state after the last token |", "|---|---|---|---|"]
    for case, errors, _ in measured("half states"):
        lines.append(f"| {case['state_type']} | {GATES[case['gates']]} | {errors['o']:.1e} | {errors['states']:.1e} |")
    return lines


def products():
    lines = ["| gates | o: relative RMS | largest error of the largest value | state after the last token | largest error of the largest value |", "|---|---|---|---|---|"]
    for case, errors, largest in measured("half products"):
        cells = [f"{number:.1e}" for output in ("o", "final") for number in (errors[output], largest(output))]
        lines.append(f"| {GATES[case['gates']]} | " + " | ".join(cells) + " |")
    return lines


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = PAGE.read_text()
    for name, table in (("half-states", states()), ("half-products", products())):
        mark = re.search(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", text, re.S)
        if not mark:
            sys.exit(f"half-states: {PAGE} has no place for the table: <!-- {name} --> and <!-- end -->")
        if mark[2].splitlines() == table:
            continue
        if sys.argv[1:]:
            sys.exit("half-states: docs/the-rule.md is not current, run scripts/half-states.py")
        text = text[: mark.start(2)] + "\n".join(table) + "\n" + text[mark.end(2) :]
    if text != PAGE.read_text():
        PAGE.write_text(text)


main()
