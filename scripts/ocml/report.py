"""The tables that scripts/ocml.sh prints, and docs/ocml.md."""

import math
import re
import subprocess

from exceptions import EXCEPTIONS

SOURCES = {
    "OpenCL": "the full profile's table of the OpenCL C specification (for f16 that of cl_khr_fp16); exact where it says correctly rounded or 0 ulp",
    "exact": "the operation needs no rounding, or IEEE 754 says how it rounds",
    "H": "HIP compiles f32 division and square root correctly rounded unless told otherwise; OpenCL alone would allow 2.5 and 3 ulp",
    "B": "nobody specifies it: the bound is ours, of the size that OpenCL asks of the function's relatives",
    "R": "HIP's headers compute it by the forward recurrence from orders 0 and 1; the bound is ours",
    "N": "one instruction and a multiplication: a hardware function's error plus what rounding the argument brings; the bound is ours",
}


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


def compiler():
    """The versions that the numbers are of."""
    names = ["clang-19", "rocm-device-libs", "libamdhip64-dev"]
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}, ", *names], capture_output=True, text=True, check=False)
    return query.stdout.rstrip(", ") or "versions unknown"


def markdown(judged, declared, absent, conversions):
    """docs/ocml.md."""
    total = sum(outcome.judged for _, outcome in judged)
    yield "# OCML on the emulator"
    yield ""
    yield "Written by `scripts/ocml.sh --write`. What AMD's math library and HIP's headers compute for gfx906, run on the emulator, against"
    yield "references of MPFR with twice the type's places and more. Denormals are kept: HIP's default for this card. Errors are in ulp as"
    yield "OpenCL defines them; NaN, infinities and the sign of an exact zero must be those of C99's annex F."
    yield ""
    yield "The emulator's transcendental instructions are correctly rounded or nearly so where the card's have an ulp or so of error, and its f64"
    yield "reciprocals have all places where the card's have half: errors on the card differ in the last places."
    yield ""
    yield f"Built with {compiler()}."
    yield ""
    yield f"{len(judged)} functions, {total} results judged, {sum(1 for _, o in judged if o.over)} functions over their limit."
    yield ""
    yield "| function | type | results | max ulp | limit | source | worst argument | excepted |"
    yield "|---|---|---:|---:|---|---|---|---|"
    for row, outcome in judged:
        at = "" if outcome.worst == 0 or row.limit.exact else ", ".join(f"`{argument(p)}`" for p in outcome.at)
        notes = ", ".join(f"{count} [{number + 1}]" for number, count in sorted(outcome.excepted.items()))
        yield (
            f"| `{row.shown}` | f{row.width} | {outcome.judged} | {error(row, outcome)} | {row.limit} | {row.source} | {at} | {notes} |"
        )
    yield ""
    yield "`exact`: the result must be the correctly rounded one; max ulp is then 0, or `rounded` where rounding had something to do. `abs`: in ulp"
    yield "of the larger of the result and 1, for functions whose zeros lie between numbers. f16 functions of one argument run at every f16."
    yield ""
    yield "Sources of the limits:"
    yield ""
    for letter, text in SOURCES.items():
        yield f"- {letter}: {text}."
    yield ""
    yield "## Excepted"
    yield ""
    yield "Results beyond the limit that are OCML's own, whatever runs its code; not in the figures above."
    yield ""
    for number, exception in enumerate(EXCEPTIONS, 1):
        yield f"{number}. {exception.says}"
    yield ""
    yield "## Coverage"
    yield ""
    yield f"Clang's headers for HIP name {len(declared)} functions `__ocml_*`. All are in the table but those that the bitcode of this version"
    yield f"does not define, so that no program can be linked with them ({len(absent)}):"
    yield ""
    yield ", ".join(f"`{name}`" for name in sorted(absent)) + "."
    yield ""
    yield "## Conversions"
    yield ""
    yield "Bit for bit against a model in integers."
    yield ""
    yield "| conversion | inputs | results | wrong |"
    yield "|---|---|---:|---:|"
    for case, judged_count, wrong in conversions:
        yield f"| {case.says} | {case.inputs} | {judged_count} | {wrong} |"
