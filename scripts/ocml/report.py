"""The tables that scripts/ocml.sh prints."""

import math
import re


def argument(value):
    """An argument exactly: a float in hexadecimal."""
    if isinstance(value, float) and math.isfinite(value):
        return re.sub(r"\.?0*p", "p", value.hex())
    return str(value)


def short(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def error(row, outcome):
    if outcome.worst == math.inf:
        return "wrong"
    if row.limit.exact:
        return "0" if outcome.worst == 0 else "rounded" if outcome.worst <= 0.5 else f"{outcome.worst:.3g}"
    return f"{outcome.worst:.3g}"


def verdict(outcome):
    return f"OVER {outcome.over}" if outcome.over else "ok"


def lines(judged):
    """The table for a terminal."""
    yield f"{'function':26} {'type':4} {'points':>7} {'max ulp':>8} {'limit':18} {'excepted':>8}  verdict"
    for row, outcome in judged:
        excepted = sum(outcome.excepted.values()) or ""
        yield (
            f"{row.shown:26} f{row.width:<3} {outcome.judged:7} {error(row, outcome):>8} {row.limit!s:18} {excepted:>8}  {verdict(outcome)}"
        )
        for off, point, got, true in outcome.examples[:5]:
            at = ", ".join(f"{argument(p)} ({short(p)})" for p in point)
            yield f"    {off:.4g} ulp at {at}: {got!r}, not {true!r}"


def markdown(judged, conversions):
    """The tables as Markdown."""
    yield "| function | type | results | max ulp | limit | source | worst argument | excepted |"
    yield "|---|---|---:|---:|---|---|---|---|"
    for row, outcome in judged:
        at = "" if outcome.worst == 0 or row.limit.exact else ", ".join(f"`{argument(p)}`" for p in outcome.at)
        notes = ", ".join(f"{count} [{number + 1}]" for number, count in sorted(outcome.excepted.items()))
        yield (
            f"| `{row.shown}` | f{row.width} | {outcome.judged} | {error(row, outcome)} | {row.limit} | {row.source} | {at} | {notes} |"
        )
    yield ""
    yield "| conversion | inputs | results | wrong |"
    yield "|---|---|---:|---:|"
    for case, judged_count, wrong in conversions:
        yield f"| {case.says} | {case.inputs} | {judged_count} | {wrong} |"
