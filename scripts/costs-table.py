#!/usr/bin/env python3
"""Writes the tables of what kernels cost into docs/profile.md and README.md: floor, time, spread, by `deltanet-check profile`.

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
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("DELTANET_CHECK", str(ROOT / "target/release/deltanet-check"))
HEADS, KEY_HEADS, SIZE = 32, 16, 128
# Of src/profile/constants.rs and src/profile/card.toml; a profile that was made with others is refused.
MEMORY, SIMDS = 1024e9, 240
CARD = tomllib.loads((ROOT / "src/profile/card.toml").read_text())
CONSTANTS = {name: row["value"] for name, row in CARD["constants"].items()}
CLOCK = CONSTANTS["clock"] * 1e6
# A case of scripts/costs-table.toml: tokens, what it is, and its column in the README's table, if any.
ROWS = [
    ("decode-plain", 1, "plain kernels, gates and norms in launches of their own", "plain kernels"),
    ("llama-1", 1, "llama.cpp's geometry, a wave a column; the state alone, without gates and norms", "llama.cpp's geometry"),
    ("decode-fast", 1, "K1: a decode step in one launch, gates and norms inside", "optimised"),
    ("decode-bf16", 1, "decode in lines of a pool, state in bf16; the rule alone", None),
    ("decode-f16", 1, "the same in f16", None),
    ("eight-bf16", 1, "eight sequences, states in bf16", None),
    ("eight-f16", 1, "eight sequences, states in f16", None),
    ("layer-plain", 1, "the layer between its projections, plain kernels", None),
    ("layer-fast", 1, "the layer between its projections in one launch: convolution, gates, norms, rule, gated norm", None),
    ("plain-1024", 1024, "plain recurrence", "plain kernels"),
    ("six-1024", 1024, "plain chunk pipeline, C = 64", None),
    ("llama-1024", 1024, "llama.cpp's geometry, a wave a column", "llama.cpp's geometry"),
    ("scan-1024", 1024, "K2: scan", "optimised"),
    ("one-1024", 1024, "K3: chunks in one launch", None),
    ("half-1024", 1024, "chunks with products in f16", None),
    ("scan-4096", 4096, "K2: scan", None),
    ("half-4096", 4096, "chunks with products in f16", None),
]
# Sequences, and bytes of an element of the state, of cases that are not one sequence in f32.
OTHERS = {"decode-bf16": (1, 2), "decode-f16": (1, 2), "eight-bf16": (8, 2), "eight-f16": (8, 2)}


def floor(case, tokens):
    """Seconds that three multiply-adds an element and token take, or the bytes: q, k, v, o, gates, and the states read and written."""
    sequences, element = OTHERS.get(case, (1, 4))
    products = 3 * SIZE * SIZE * HEADS * tokens / 64 * 4 / SIMDS / CLOCK
    rows = 2 * tokens * (KEY_HEADS + HEADS) * SIZE + 2 * tokens * HEADS
    if case.startswith("layer"):
        # z, the convolution's weights, its state read and written, the norm's weights, and parameters of the gates
        channels = (2 * KEY_HEADS + HEADS) * SIZE
        rows += tokens * HEADS * SIZE + (4 + 2 * 3) * channels + SIZE + 2 * HEADS
    return sequences * max(products, (4 * rows + element * 2 * HEADS * SIZE * SIZE) / MEMORY)


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
    if found["constants"] != CONSTANTS or found["timing"] != "stream" or found["hot"]:
        sys.exit(f"costs-table: {case}: a profile of another card, or with other assumptions")
    [one] = found["profiles"]
    launches = one["launches"]
    longest = max(launches, key=lambda launch: launch["model"]["kernel"])
    low = high = 0
    # The spread of a kernel alone is that of its own largest term, without the overhead.
    for launch in launches:
        terms = {name: seconds for name, seconds in launch["model"]["terms"].items() if name != "overhead"}
        factor = CARD["spread"][max(terms, key=terms.get)]
        low += launch["model"]["kernel"] / factor
        high += launch["model"]["kernel"] * factor
    terms = {name: seconds for name, seconds in longest["model"]["terms"].items() if name != "overhead"}
    sequences, _ = OTHERS.get(case, (1, 4))
    return {
        "launches": len(launches), "kernels": sum(launch["model"]["kernel"] for launch in launches), "low": low, "high": high,
        "seconds": one["seconds"], "between": one["between"], "largest": max(terms, key=terms.get),
        "valu": sum(launch["valu_instructions"] for launch in launches) / HEADS / tokens / sequences,
        "lds": sum(launch["lds_cycles"] for launch in launches) / HEADS / tokens / sequences,
        "fill": longest["dealing"]["fill"],
    }


def full(rows):
    lines = ["| tokens | kernels | launches | VALU | LDS | fill | kernels alone | mostly | in a stream | floor | of the kernels |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for case, tokens, what, _ in ROWS:
        if case in rows:
            r = rows[case]
            lines.append(
                f"| {tokens} | {what} | {r['launches']} | {r['valu']:.0f} | {r['lds']:.0f} | {percent(r['fill'])} "
                f"| {time(r['kernels'])} ({time(r['low'])} to {time(r['high'])}) | {r['largest']} | {time(r['seconds'])} "
                f"| {time(floor(case, tokens))} | {percent(floor(case, tokens) / r['kernels'])} |")
    return lines


def short(rows):
    columns = ["plain kernels", "llama.cpp's geometry", "optimised"]
    lines = ["| a layer of 32 heads of 128 x 128 | floor | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for tokens, what in ((1, "decode, one token"), (1024, "prefill, 1024 tokens")):
        first = next(case for case, n, _, column in ROWS if n == tokens and column)
        of = {column: rows[case] for case, n, _, column in ROWS if n == tokens and column and case in rows}
        if of:
            cells = []
            for c in columns:
                low, high = of[c]["between"]
                count = of[c]["launches"]
                cells.append(f"{time(of[c]['seconds'])} ({time(low)} to {time(high)}), {count} launch{'es' if count > 1 else ''}")
            lines.append(f"| {what} | {time(floor(first, tokens))} | " + " | ".join(cells) + " |")
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
