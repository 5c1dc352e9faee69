#!/usr/bin/env python3
"""User CPU time of two programs on the workloads of bench-workloads.tsv, in turns. `scripts/bench.sh --against` calls it.

  bench-workloads.py NEW OLD [BENCH OLD_BENCH]   with BENCH: loops of instructions of two benches, too
"""
import math, os, pathlib, re, subprocess, sys

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
# A workload takes turns at least this often, and up to this many seconds.
ROUNDS, SECONDS = 3, 60


def rows():
    lines = TABLE.read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def user_seconds(program, arguments):
    """Runs a program. Returns its user CPU seconds and its peak memory in MB; the verdict of its run does not matter. Returns none if the program does
    not know the arguments."""
    child = subprocess.Popen([program, *arguments.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == 2:
        return None
    if child.returncode not in (0, 1):
        sys.exit(f"{program} {arguments}: exit code {child.returncode}")
    return usage.ru_utime, usage.ru_maxrss / 1024


def turns(programs, arguments):
    """Runs a workload by two programs in turns. Returns the times and the peak of memory of each; none if one of them does not know the workload."""
    times, peaks = ([], []), [0, 0]
    while len(times[0]) < ROUNDS or sum(map(sum, times)) < 2 and len(times[0]) < 20:
        for at, program in enumerate(programs):
            measured = user_seconds(program, arguments)
            if measured is None:
                return None
            times[at].append(measured[0])
            peaks[at] = max(measured[1], peaks[at])
        if sum(map(sum, times)) > SECONDS:
            break
    return times, peaks


def against(new, old):
    print(f"{processor()}, user CPU seconds on one core, best of N in turns")
    print(f"{'workload':<20}{'N':>4}{'before':>9}{'after':>9}{'ratio':>7}{'spread':>8}{'MB':>7}{'MB':>7}")
    for name, arguments in rows():
        measured = turns((old, new), arguments)
        if measured is None:
            print(f"{name:<20} is not known to both programs", flush=True)
            continue
        times, peaks = measured
        before, after = map(min, times)
        # Half of the runs are within this of the best.
        spread = max(sorted(side)[len(side) // 2] / min(side) - 1 for side in times)
        print(f"{name:<20}{len(times[0]):>4}{before:>9.3f}{after:>9.3f}{after / before:>7.2f}{spread:>8.1%}{peaks[0]:>7.0f}{peaks[1]:>7.0f}", flush=True)


def table(bench):
    """Runs loops of single instructions. Yields (level, class, instruction) and nanoseconds of each line that the bench prints."""
    out = subprocess.run([bench, "--bench"], capture_output=True, text=True, check=True).stdout
    group, levels = "", []
    for line in out.splitlines():
        text, figures = line[:72].strip(), line[72:]
        if " ns, x" in figures:
            group, levels = text, re.findall(r"(\w+) ns, x", figures)
        elif text and figures and " in another mode" not in group:
            for at, level in enumerate(levels):
                yield (level, group, text), float(figures[16 * at :][:9])


def loops(new, old):
    """Loops of single instructions, twice in turns: geometric means of the classes, then each instruction."""
    best = ({}, {})
    for _ in range(2):
        for side, bench in zip(best, (old, new)):
            for key, ns in table(bench):
                side[key] = min(ns, side.get(key, math.inf))
    both = [(key, best[0][key], best[1][key]) for key in best[1] if key in best[0]]
    print(f"\n{processor()}, nanoseconds of a wave instruction\n{'level, class or instruction':<86}{'before':>9}{'after':>9}{'ratio':>7}")
    for place in sorted({key[:2] for key, *_ in both}):
        ratios = [math.log(after / before) for key, before, after in both if key[:2] == place]
        print(f"{', '.join(place) + f' ({len(ratios)})':<104}{math.exp(sum(ratios) / len(ratios)):>7.2f}")
    for (level, _, text), before, after in both:
        print(f"{f'{level} {text}'[:85]:<86}{before:>9.1f}{after:>9.1f}{after / before:>7.2f}")


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "unknown processor")


match sys.argv[1:]:
    case [new, old, *benches] if len(benches) in (0, 2):
        if benches:
            loops(*benches)
        against(new, old)
    case _:
        sys.exit(__doc__)
