#!/usr/bin/env python3
"""Compares two JSON reports of deltanet-check, of a run or of a self-test: everything must be the same, bit for bit, but what
tells one device from another (its name, times, counts of instructions, how a planted bug was caught)."""

import json
import sys

OWN = {"device", "host", "started", "command", "seconds", "kernel_seconds", "wave_instructions", "counters", "rerun", "settings"}


def strip(value):
    if isinstance(value, dict):
        return {key: strip(inner) for key, inner in value.items() if key not in OWN}
    if isinstance(value, list):
        return [strip(inner) for inner in value]
    return value


def differences(a, b, place=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(a.get(key), b.get(key), f"{place}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{place}[{index}]")
    elif a != b or type(a) is not type(b):
        yield f"{place}: {a!r} and {b!r}"


def floats(value):
    if isinstance(value, dict):
        return sum(map(floats, value.values()))
    if isinstance(value, list):
        return sum(map(floats, value))
    return isinstance(value, str) and value.endswith(" (float)")


# Numbers are compared as they are written: Python would read two that differ in the last bit as such, but not -0 and 0.
first, second = (strip(json.load(open(path), parse_float=lambda text: text + " (float)")) for path in sys.argv[1:3])
found = list(differences(first, second))
for line in found[:20]:
    print(line, file=sys.stderr)
if found:
    sys.exit(f"{sys.argv[1]} and {sys.argv[2]} differ in {len(found)} places")


count = floats(first)
if not first.get("phases") and not first.get("tests"):
    sys.exit(f"{sys.argv[1]} has no phases and no tests: nothing was compared")
print(f"the same, {count} floating-point numbers among it")
