#!/usr/bin/env python3
"""Fits the model of an MI50's time (docs/profile.md) on what owners measured, and tells how far off it is.

    scripts/fit-model.py                     fits; writes src/profile/card.toml, docs/data/mi50-clocks.tsv, docs/data/mi50-modelled.tsv
                                             and the table in docs/profile.md
    scripts/fit-model.py --check             writes nothing; fails where a new fit gives other constants, or where a table is not current
    scripts/fit-model.py --evaluate FILE     tells how far off the constants are for the rows of FILE, without a fit

FILE has the columns of docs/data/mi50-measured.tsv. `deltanet-check profile` computes with the same formulas: a test of its own holds them
against docs/data/mi50-modelled.tsv. Needs NumPy and SciPy.
"""
import argparse
import csv
import pathlib
import re
import sys
import tomllib

import numpy as np
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs/data/mi50-measured.tsv"
CLOCKS = ROOT / "docs/data/mi50-clocks.tsv"
MODELLED = ROOT / "docs/data/mi50-modelled.tsv"
CARD = ROOT / "src/profile/card.toml"
PAGE = ROOT / "docs/profile.md"
BEGIN, END = "<!-- fit: scripts/fit-model.py -->\n", "<!-- end -->\n"

TEXTS = ("id", "source", "kernel", "geometry", "timing", "kind", "note")
# The weight of a measurement by its confidence. Where timing or clock are unknown it is 0.
WEIGHT = {3: 1.0, 2: 0.7, 1: 0.0}
# A fitted constant is pulled towards its value here by this much, in the logarithm: the data do not separate all constants.
START = dict(write=602, l2=1700, vector_latency=500, scalar_latency=250, lds_latency=64, line=1, scalar_instruction=1, wave=1,
             stream=1.6, event=7.5, trace=5)
PULL = 0.15
# An owner's clock is a share of the nominal one, from LEAST to 1.
LEAST = 0.7
BOOTSTRAPS = 60


def read(path):
    """Returns the measurements of a table: lists of launches, by id."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = {}
    for row in rows:
        for key, text in row.items():
            if key not in TEXTS:
                row[key] = float(text or 0)
        row["owner"] = re.split(r"[/, ]", row["source"])[0]
        found.setdefault(row["id"], []).append(row)
    return found


def terms(row, constants, share):
    """Returns the seconds of a launch's chain, pipes, memory and dispatch, at a share of the nominal clock."""
    hertz = row["nominal_MHz"] * 1e6 * share
    wait = sum(row[f"chain_waits_{kind}"] * constants[f"{kind}_latency"] for kind in ("vector", "scalar", "lds"))
    issue = sum(row[f"chain_issue_{kind}"] for kind in ("vector", "scalar", "memory"))
    chain = row["chain_rounds"] * (issue + wait) / hertz
    lines, scalar = constants["line"] * row["cu_vmem_lines"], constants["scalar_instruction"] * row["cu_scalar_cycles"]
    pipes = max(row["cu_valu_cycles"], row["cu_lds_cycles"], lines, scalar) / hertz
    if row["hot_in_L2"]:
        memory = (row["bytes_read"] + row["bytes_written"]) / constants["l2"] / 1e9
    else:
        memory = row["bytes_read"] / constants["read"] / 1e9 + row["bytes_written"] / constants["write"] / 1e9
    return chain, pipes, memory, constants["wave"] * row["waves"] / hertz


def overhead(launches, number, constants):
    """Returns the seconds of launching. Of several launches that one event spans, those after the first follow it in the stream."""
    timing = launches[0]["timing"]
    return constants["stream" if timing == "event" and number > 0 else timing] * 1e-6


def together(parts):
    """Returns the seconds of a launch's terms, which overlap in part."""
    return np.sqrt(sum(term * term for term in parts))


def modelled(launches, constants, share):
    """Returns the seconds of a measurement."""
    return sum(together(terms(row, constants, share)) + overhead(launches, number, constants) for number, row in enumerate(launches))


def measured(launches):
    return (launches[0]["measured_us"] - launches[0]["subtract_us"]) * 1e-6


def error(launches, constants, shares):
    """Returns the logarithm of the modelled time over the measured one."""
    share = shares.get(launches[0]["owner"], shares["*"])
    return np.log(modelled(launches, constants, share) / measured(launches))


def fit(measurements, sourced):
    """Fits the constants and the owners' clocks on a list of measurements. Returns both."""
    used = [m for m in measurements if WEIGHT[m[0]["confidence"]] > 0]
    owners = sorted({m[0]["owner"] for m in used})
    names = list(START)

    def unpack(values):
        constants = sourced | {name: START[name] * np.exp(value) for name, value in zip(names, values)}
        shares = {owner: 1 - (1 - LEAST) / (1 + np.exp(-value)) for owner, value in zip(owners, values[len(names):])}
        # Half the owners run faster than this, and half slower.
        shares["*"] = float(np.median(list(shares.values())))
        return constants, shares

    def residuals(values):
        constants, shares = unpack(values)
        off = [WEIGHT[m[0]["confidence"]] * error(m, constants, shares) for m in used]
        return np.array(off + list(PULL * values[:len(names)]) + list(0.1 * values[len(names):]))

    start = np.concatenate([np.zeros(len(names)), -np.ones(len(owners))])
    return unpack(least_squares(residuals, start, loss="soft_l1", f_scale=0.2).x)


def intervals(measurements, sourced):
    """Returns the 5th and 95th percentile of each constant and clock, over fits on owners drawn at random, with repetition."""
    by_owner = {}
    for m in measurements:
        by_owner.setdefault(m[0]["owner"], []).append(m)
    owners, draw, found = sorted(by_owner), np.random.default_rng(0), {}
    for _ in range(BOOTSTRAPS):
        drawn = [m for owner in draw.choice(owners, len(owners)) for m in by_owner[owner]]
        # Within an owner, measurements are drawn too: one owner has half of them.
        drawn = [drawn[at] for at in draw.integers(0, len(drawn), len(drawn))]
        constants, shares = fit(drawn, sourced)
        for name, value in list(constants.items()) + list(shares.items()):
            found.setdefault(name, []).append(value)
    return {name: np.percentile(values, [5, 95]) for name, values in found.items()}


def card():
    """Returns the constants of the card's file, those with a source alone, and the spread of each class."""
    file = tomllib.loads(CARD.read_text())
    rows = file["constants"]
    values = {name: row["value"] for name, row in rows.items()}
    return values, {name: row["value"] for name, row in rows.items() if "low" not in row}, file["spread"]


def clocks():
    with open(CLOCKS, newline="") as file:
        return {row["owner"]: float(row["share"]) for row in csv.DictReader(file, delimiter="\t")}


TERMS = ("chain", "pipes", "memory", "dispatch", "overhead")


def class_of(m, constants, shares):
    """Returns the class of a measurement: its largest term, over all launches. The first of equal terms counts."""
    share = shares.get(m[0]["owner"], shares["*"])
    of = [(*terms(row, constants, share), overhead(m, number, constants)) for number, row in enumerate(m)]
    sums = [sum(term) for term in zip(*of)]
    return TERMS[sums.index(max(sums))]


def summary(errors):
    off = np.abs(errors)
    return f"{np.median(off):.2f} | {np.percentile(off, 90):.2f}" if len(off) else "- | -"


def table(measurements, constants, shares, spread):
    """Returns the lines of the table: how far off the model is, by class, and how much its stated spread holds."""
    lines = ["| largest term | number | median | 90th percentile | within the stated spread |", "|---|---|---|---|---|"]
    classes = {m[0]["id"]: class_of(m, constants, shares) for m in measurements}

    def line(name, chosen):
        if chosen:
            errors = np.array([error(m, constants, shares) for m in chosen])
            held = sum(abs(off) <= np.log(spread[classes[m[0]["id"]]]) for off, m in zip(errors, chosen))
            lines.append(f"| {name} | {len(chosen)} | {summary(errors)} | {held} of {len(chosen)} |")

    sure = [m for m in measurements if WEIGHT[m[0]["confidence"]] > 0]
    for name in TERMS:
        line(name, [m for m in sure if classes[m[0]["id"]] == name])
    line("all of these", sure)
    line("timing or clock unknown", [m for m in measurements if WEIGHT[m[0]["confidence"]] == 0])
    return lines


def held_out(measurements, sourced):
    """Returns the lines of what the model says of measurements that a fit has not seen."""
    sure = [m for m in measurements if WEIGHT[m[0]["confidence"]] > 0]
    draw, errors = np.random.default_rng(1), []
    for _ in range(20):
        order = draw.permutation(len(sure))
        cut = 3 * len(sure) // 4
        constants, shares = fit([sure[at] for at in order[:cut]], sourced)
        errors += [error(sure[at], constants, shares) for at in order[cut:]]
    lines = ["| not in the fit | number | median | 90th percentile |", "|---|---|---|---|",
             f"| a quarter, drawn 20 times | {len(errors)} | {summary(errors)} |"]
    for owner in sorted({m[0]["owner"] for m in sure}):
        rest, left = ([m for m in sure if (m[0]["owner"] == owner) == out] for out in (False, True))
        constants, shares = fit(rest, sourced)
        lines.append(f"| all of {owner} | {len(left)} | {summary([error(m, constants, shares) for m in left])} |")
    return lines


def spreads(measurements, sourced):
    """Returns the factor by which 90 % of a class's times are off at most, in fits that have not seen them."""
    sure = [m for m in measurements if WEIGHT[m[0]["confidence"]] > 0]
    draw, errors = np.random.default_rng(2), {name: [] for name in TERMS}
    for _ in range(20):
        order = draw.permutation(len(sure))
        cut = 3 * len(sure) // 4
        constants, shares = fit([sure[at] for at in order[:cut]], sourced)
        for at in order[cut:]:
            errors[class_of(sure[at], constants, shares)].append(abs(error(sure[at], constants, shares)))
    every = [off for of in errors.values() for off in of]
    # A class of few measurements is given the spread of all.
    return {name: float(np.exp(np.percentile(of if len(of) >= 20 else every, 92))) for name, of in errors.items()}


def modelled_table(measurements, constants, shares):
    """Returns the text of a table with the model's terms for each launch, in microseconds."""
    lines = ["id\tlaunch\tclock_MHz\t" + "\t".join(f"{name}_us" for name in TERMS) + "\ttime_us\n"]
    for m in measurements:
        share = shares.get(m[0]["owner"], shares["*"])
        for place, row in enumerate(m):
            parts, launching = terms(row, constants, share), overhead(m, place, constants)
            told = [*parts, launching, together(parts) + launching]
            clock = row["nominal_MHz"] * share
            lines.append(f"{row['id']}\t{place + 1}\t{clock:.3f}\t" + "\t".join(f"{seconds * 1e6:.6g}" for seconds in told) + "\n")
    return "".join(lines)


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def with_fit(text, constants, limits, spread):
    """Returns the card's file with the fitted constants."""
    for name in START:
        low, high = limits[name]
        pattern = rf"^({name} = \{{ value = )[^,]*, low = [^,]*, high = [^,]*,"
        text, count = re.subn(pattern, rf"\g<1>{number(constants[name])}, low = {number(low)}, high = {number(high)},", text, flags=re.M)
        assert count == 1, name
    rows = "".join(f"{name} = {value:.2f}\n" for name, value in spread.items())
    return re.sub(r"(\[spread\]\n)(.*\n)*", rf"\g<1>{rows}", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--evaluate", metavar="FILE")
    args = parser.parse_args()
    if args.evaluate:
        values, _, spread = card()
        measurements = list(read(args.evaluate).values())
        for m in measurements:
            off = error(m, values, clocks())
            print(f"{m[0]['id']:16} {measured(m) * 1e6:10.2f} us measured {measured(m) * 1e6 * np.exp(off):10.2f} us modelled {off:+.2f}")
        print(*table(measurements, values, clocks(), spread), sep="\n")
        return
    measurements = list(read(MEASURED).values())
    old, sourced, _ = card()
    constants, shares = fit(measurements, sourced)
    if args.check:
        stale = [name for name in START if abs(np.log(constants[name] / old[name])) > 0.01]
        if stale:
            sys.exit(f"fit-model: another fit than src/profile/card.toml, run scripts/fit-model.py: {', '.join(stale)}")
    else:
        limits = intervals(measurements, sourced)
        CARD.write_text(with_fit(CARD.read_text(), constants, limits, spreads(measurements, sourced)))
        rows = [f"{owner}\t{share:.3f}\n" for owner, share in sorted(shares.items())]
        CLOCKS.write_text("owner\tshare\n" + "".join(rows))
    values, sourced, spread = card()
    lines = table(measurements, values, clocks(), spread) + [""] + held_out(measurements, sourced)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    now = before + BEGIN + "\n".join(lines) + "\n" + rest[rest.index(END):]
    told = modelled_table(measurements, values, clocks())
    if args.check:
        for path, text in ((PAGE, now), (MODELLED, told)):
            if path.read_text() != text:
                sys.exit(f"fit-model: the table in {path.relative_to(ROOT)} is not current, run scripts/fit-model.py")
        return
    PAGE.write_text(now)
    MODELLED.write_text(told)


if __name__ == "__main__":
    main()
