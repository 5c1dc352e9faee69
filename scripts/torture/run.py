"""Runs the programs and says how each went; scripts/torture.sh is how to call it."""

import argparse
import os
import shutil
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import build
import programs
import report

LEVELS = ("O0", "O2")
EXCEPTIONS = Path(__file__).parent / "exceptions.toml"


@dataclass
class Result:
    """How far a program came: `native`, `compile` (for gfx906) or `run` failed, or it `passed`; and what was said."""

    name: str
    level: str
    stage: str
    said: str = ""


def try_one(program, level, scratch, check, libraries):
    """Takes a program through its stages, up to the first that fails."""
    folder = scratch / "work" / level / program.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    option = "-" + level
    steps = (
        ("native", lambda: build.native(program, option, folder)),
        ("compile", lambda: build.device(program, option, folder, *libraries[level])),
        ("run", lambda: build.emulate(check, folder / "device.co", folder)),
    )
    for stage, step in steps:
        try:
            step()
        except build.Failed as failed:
            return Result(program.name, level, stage, str(failed))
    shutil.rmtree(folder)
    return Result(program.name, level, "passed")


def exceptions():
    """The programs that are expected to fail: {(name, level): reason}."""
    rows = tomllib.loads(EXCEPTIONS.read_text()).get("exception", [])
    return {(row["program"], level): row["reason"] for row in rows for level in row["levels"]}


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/torture.sh")
    for name in ("--source", "--scratch", "--check"):
        parser.add_argument(name, type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--level", choices=LEVELS, action="append", help="one level (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="N programs, evenly spread")
    parser.add_argument("--jobs", type=int, metavar="N", default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--write", action="store_true", help="renew docs/torture.md")
    parser.add_argument("patterns", nargs="*", metavar="PROGRAM", help="names or globs")
    args = parser.parse_args()
    args.level = args.level or list(LEVELS)
    if args.write and (args.patterns or args.sample or len(args.level) < len(LEVELS)):
        parser.error("--write needs a run of all programs at all levels")
    return args


def main():
    args = arguments()
    chosen = programs.select(programs.find(args.source), args.patterns, args.sample)
    if not chosen:
        print("torture.sh: no program has such a name; names are as in gcc.c-torture/execute, without .c", file=sys.stderr)
        sys.exit(2)
    start = time.monotonic()
    build.native_link()
    libraries = {level: build.library(args.scratch, "-" + level) for level in args.level}
    check = args.check.resolve()
    with ThreadPoolExecutor(args.jobs) as pool:
        jobs = [
            pool.submit(try_one, program, level, args.scratch, check, libraries)
            for level in args.level
            for program in chosen
        ]
        results = [job.result() for job in jobs]
    if all(result.stage == "native" for result in results):
        print(f"torture.sh: no program passes natively; {results[0].name}: {results[0].said}", file=sys.stderr)
        sys.exit(3)
    outcome = report.Outcome(args.level, results, exceptions())
    print(outcome.text())
    print(f"\n{len(results)} builds of {len(chosen)} programs in {time.monotonic() - start:.0f} s, {args.jobs} at a time")
    if args.write:
        Path("docs").mkdir(exist_ok=True)
        Path("docs/torture.md").write_text(outcome.document(args.source.name, build.compiler()))
    sys.exit(0 if outcome.as_expected() else 1)


if __name__ == "__main__":
    main()
