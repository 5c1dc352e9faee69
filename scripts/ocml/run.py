"""Runs the functions of functions.txt and the conversions on the emulator and judges them; scripts/ocml.sh calls it."""

import argparse
import fnmatch
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import conversions
import device
import grids
import measure
import report
import table
from exceptions import EXCEPTIONS

# What the pool's processes share with this one by forking
WORK = []


def judge(index):
    row, points, results = WORK[index]
    return index, measure.measure(row, points, results)


def launch(rows, count, options, folder):
    """Builds and runs a kernel a row; gives each row with its points and its results."""
    source = folder / "functions.hip"
    source.write_text(f'#include "{table.HERE}/helpers.hip"\n' + "".join(row.source_text() for row in rows))
    device.build(source, folder / "functions.co", options.opt)
    batch = device.Batch(options.program, folder, folder / "functions.co")
    pending = []
    for row in rows:
        points = grids.points(row, count)
        names = []
        for n, letter in enumerate(row.arguments):
            kind = table.C_TYPE.get(letter, row.real)
            names.append(batch.input(f"{row.kernel}_{n}", kind, [p[n] for p in points]))
        outputs = [table.C_TYPE.get(letter, row.real) for letter in row.results]
        pending.append((row, points, batch.launch(row.kernel, names, outputs, len(points))))
    batch.run()
    return [(row, points, [batch.result(n) for n in numbers]) for row, points, numbers in pending]


def measure_all(pool):
    """(row, Outcome) in the table's order."""
    found = dict(pool.imap_unordered(judge, range(len(WORK))))
    return [(WORK[index][0], found[index]) for index in range(len(WORK))]


def missing(options):
    """Says which functions the headers have and the table has not; returns (declared, absent of the bitcode, missing)."""
    declared, absent, untabled = table.coverage(options.headers, options.bitcode)
    for name in sorted(untabled):
        print(f"{name}: declared by clang's headers and not in functions.txt; add its row")
    return declared, absent, untabled


def stale(judged):
    """Exceptions that describe nothing that happened."""
    used = {number for _, outcome in judged for number in outcome.excepted}
    return [exception for number, exception in enumerate(EXCEPTIONS) if number not in used]


def main():
    parser = argparse.ArgumentParser(prog="ocml.sh", usage="see scripts/ocml.sh --help")
    parser.add_argument("--program", required=True)
    parser.add_argument("--bitcode", required=True)
    parser.add_argument("--headers", required=True, nargs="+")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--opt", default="-O3")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    full = not options.sample and not options.only
    count = 256 if options.sample else grids.POINTS
    rows = table.rows()
    cases = conversions.CASES
    if options.only:
        rows = [row for row in rows if any(fnmatch.fnmatch(row.shown, p) for p in options.only)]
        cases = [case for case in cases if any(fnmatch.fnmatch(case.kernel, p) for p in options.only)]
        if not rows and not cases:
            print("no function and no conversion has such a name")
            sys.exit(2)
    declared, absent, untabled = missing(options)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            if rows:
                WORK.extend(launch(rows, count, options, Path(folder)))
            conversions.launch(cases, options, Path(folder))
        except device.Trapped as trapped:
            sys.exit(f"the emulator stopped:\n{trapped}")
        except subprocess.CalledProcessError as failed:
            sys.exit(f"{failed.cmd[0]} failed")
    ran = time.monotonic()
    with multiprocessing.Pool(os.cpu_count()) as pool:
        judged = measure_all(pool)
        converted = conversions.judge_all(pool, cases)
    if options.markdown:
        tables = report.markdown(judged, [(case, count, bad) for case, count, bad, _ in converted])
        print("\n".join(tables))
    elif judged:
        print("\n".join(report.lines(judged)))
    over = sum(1 for _, outcome in judged if outcome.over)
    if not options.markdown:
        print("\n".join(conversions.lines(converted)))
    wrong = sum(1 for _, _, bad, _ in converted if bad)
    unused = stale(judged) if full else []
    for exception in unused:
        print(f"exception of {', '.join(exception.names)} describes no result any more; take it out of exceptions.py")
    results = sum(outcome.judged for _, outcome in judged)
    print(f"\n{len(judged)} functions, {results} results, {over} functions over their limit")
    print(f"{len(converted)} conversions, {sum(c[1] for c in converted)} results, {wrong} conversions wrong")
    print(f"clang's headers name {len(declared)} functions of OCML: {len(absent)} not in its bitcode, {len(untabled)} not in the table")
    print(f"{ran - start:.0f} s building and running, {time.monotonic() - ran:.0f} s judging")
    sys.exit(1 if over or wrong or untabled or unused else 0)


if __name__ == "__main__":
    main()
