#!/usr/bin/env python3
"""Writes the tables of what kernels cost into docs/profile.md and README.md: floor, model, limiter, by `deltanet-check profile`.

    scripts/costs-table.py [--check] [--quick] [--keep DIR]

--check writes nothing, and fails where a page is not current; --quick takes the decode steps alone (seconds; the rest takes minutes), and only
with --check; --keep leaves the profiles in DIR, and takes those that are there. DELTANET_CHECK names another deltanet-check.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("DELTANET_CHECK", str(ROOT / "target/release/deltanet-check"))
HEADS, KEY_HEADS, SIZE = 32, 16, 128
# Of src/profile/constants.rs; a profile that was made with others is refused.
CLOCK, MEMORY, SIMDS = 1725e6, 870e9, 240
# A case of scripts/costs-table.toml: tokens, what it is, and its column in the README's table, if any.
ROWS = [
    ("decode-plain", 1, "plain kernels, gates and norms in launches of their own", "plain kernels"),
    ("llama-1", 1, "llama.cpp's geometry, a wave a column; the state alone, without gates and norms", "llama.cpp's geometry"),
    ("decode-fast", 1, "K1: a decode step in one launch, gates and norms inside", "optimised"),
    ("plain-1024", 1024, "plain recurrence", "plain kernels"),
    ("six-1024", 1024, "plain chunk pipeline, C = 64", None),
    ("llama-1024", 1024, "llama.cpp's geometry, a wave a column", "llama.cpp's geometry"),
    ("scan-1024", 1024, "K2: scan", "optimised"),
    ("two-1024", 1024, "K4 and K5: chunks prepared, then scanned, C = 64", None),
    ("one-1024", 1024, "K3: chunks in one launch", None),
    ("scan-4096", 4096, "K2: scan", None),
]


def floor(tokens):
    """Seconds that three multiply-adds an element and token take, or the bytes: q, k, v, o, gates, and the states read and written."""
    products = 3 * SIZE * SIZE * HEADS * tokens / 64 * 4 / SIMDS / CLOCK
    rows = 2 * tokens * (KEY_HEADS + HEADS) * SIZE + 2 * tokens * HEADS
    return max(products, 4 * (rows + 2 * HEADS * SIZE * SIZE) / MEMORY)


def profile(case, keep):
    kept = keep and keep / f"{case}.json"
    if not (kept and kept.exists()):
        command = [TOOL, "profile", "--registry", ROOT / "scripts/costs-table.toml", "--test", case, "--budget", "1e12", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"costs-table: {case}: {done.stderr.strip()}")
        if not kept:
            return json.loads(done.stdout)
        keep.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    return json.loads(kept.read_text())


def time(seconds):
    for scale, unit in ((1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 1:
            break
    value = seconds * scale
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def percent(share):
    return f"{100 * share:.0f} %"


def row(case, tokens, keep):
    found = profile(case, keep)
    if found["clock_mhz"] * 1e6 != CLOCK:
        sys.exit(f"costs-table: {case}: a profile at another clock")
    [one] = found["profiles"]
    launches = one["launches"]
    # Of the launches alone: what launching takes is the same for each, and told beside.
    low, high = (sum(launch["model"]["seconds"][end] for launch in launches) for end in (0, 1))
    longest = max(launches, key=lambda launch: launch["model"]["seconds"][0])
    least = floor(tokens)
    return {
        "launches": len(launches), "low": low, "high": high, "floor": least, "limiter": longest["model"]["limiter"],
        "valu": sum(launch["valu_instructions"] for launch in launches) / HEADS / tokens,
        "lds": sum(launch["lds_cycles"] for launch in launches) / HEADS / tokens,
        "fill": longest["dealing"]["fill"],
    }


def full(rows):
    lines = ["| tokens | kernels | launches | VALU | LDS | fill | model | limited by | floor | of the model |", "|---|---|---|---|---|---|---|---|---|---|"]
    for case, tokens, what, _ in ROWS:
        if case in rows:
            r = rows[case]
            lines.append(
                f"| {tokens} | {what} | {r['launches']} | {r['valu']:.0f} | {r['lds']:.0f} | {percent(r['fill'])} | {time(r['low'])} to {time(r['high'])} "
                f"| {r['limiter']} | {time(r['floor'])} | {percent(r['floor'] / r['high'])} to {percent(r['floor'] / r['low'])} |")
    return lines


def short(rows):
    columns = ["plain kernels", "llama.cpp's geometry", "optimised"]
    lines = ["| a layer of 32 heads of 128 x 128 | floor | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for tokens, what in ((1, "decode, one token"), (1024, "prefill, 1024 tokens")):
        of = {column: rows[case] for case, n, _, column in ROWS if n == tokens and column and case in rows}
        if of:
            cells = [f"{time(of[c]['low'])} to {time(of[c]['high'])}, {of[c]['launches']} launch{'es' if of[c]['launches'] > 1 else ''}" for c in columns]
            lines.append(f"| {what} | {time(floor(tokens))} | " + " | ".join(cells) + " |")
    return lines


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--check", action="store_true")
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--keep", type=pathlib.Path)
    args = asked.parse_args()
    if args.quick and not args.check:
        asked.error("--quick needs --check: what is written is whole")
    chosen = [(case, tokens) for case, tokens, *_ in ROWS if tokens == 1 or not args.quick]
    rows = {case: row(case, tokens, args.keep) for case, tokens in chosen}
    stale = []
    for page, name, table in (("docs/profile.md", "full", full(rows)), ("README.md", "short", short(rows))):
        path = ROOT / page
        text = path.read_text()
        mark = re.search(rf"(<!-- costs: {name} -->\n)(.*?)(<!-- end -->)", text, re.S)
        if not mark:
            sys.exit(f"costs-table: {page} has no place for the table: <!-- costs: {name} --> and <!-- end -->")
        there = mark[2].splitlines()
        if args.quick:
            stale += [f"{page}: {line}" for line in table if line not in there]
        elif args.check:
            stale += [page] if there != table else []
        else:
            path.write_text(text[: mark.start(2)] + "\n".join(table) + "\n" + text[mark.end(2) :])
    if stale:
        sys.exit("costs-table: not current, run scripts/costs-table.py: " + "; ".join(stale))


main()
