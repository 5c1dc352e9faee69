"""The error of a result: in ulp as OpenCL defines them, against a reference that has many more places."""

import math
from dataclasses import dataclass, field

import gmpy2
from gmpy2 import mpfr

import exact
import exceptions
import real

# precision, exponent e of 2^e just beyond the largest, exponent of the smallest denormal
HALF = mpfr("0.5")
FORMAT = {16: (11, 16, -24), 32: (24, 128, -149), 64: (53, 1024, -1074)}


def ulp_exponent(true, width, absolute):
    """k with ulp(true) = 2^k; of max(|true|, 1) if absolute."""
    places, top, bottom = FORMAT[width]
    exponent = min(gmpy2.get_exp(true), top)
    if absolute:
        exponent = max(exponent, 1)
    return max(exponent - places, bottom)


def scaled(x, exponent):
    """x * 2^-exponent."""
    return gmpy2.div_2exp(x, exponent) if exponent >= 0 else gmpy2.mul_2exp(x, -exponent)


def odd(got, width):
    """Whether a float's last place is one."""
    places, _, bottom = FORMAT[width]
    last = max(math.frexp(got)[1] - places, bottom)
    return bool(int(math.ldexp(got, -last)) & 1) if -last < 1000 else bool(int(math.ldexp(math.ldexp(got, 500), -last - 500)) & 1)


def error(true, got, width, limit):
    """Ulp between a reference and a result; infinite if one is NaN, infinite or exactly zero and the other is not, or differs in sign."""
    if gmpy2.is_nan(true) or got != got:
        return 0.0 if gmpy2.is_nan(true) and got != got else math.inf
    if gmpy2.is_infinite(true):
        return 0.0 if got == true else math.inf
    if true == 0:
        same = got == 0 and gmpy2.is_signed(true) == (math.copysign(1, got) < 0)
        return 0.0 if same or (limit.absolute and got == 0) else math.inf
    top = FORMAT[width][1]
    value = mpfr(got)
    if math.isinf(got):
        value = gmpy2.copy_sign(gmpy2.mul_2exp(mpfr(1), top), value)
    if gmpy2.get_exp(true) > top:
        true = gmpy2.copy_sign(gmpy2.mul_2exp(mpfr(1), top), true)
    off = abs(scaled(value - true, ulp_exponent(true, width, limit.absolute)))
    if limit.exact and off >= HALF:
        # beside the middle by less than a float tells, or on it: then to even
        return 1.0 if off > HALF or (math.isfinite(got) and odd(got, width)) else 0.5
    return float(off)


def allowed(limit, arguments):
    if limit.exact:
        return 0.5
    return limit.ulps + (limit.slope * abs(arguments[-1]) if limit.slope else 0.0)


def same(expected, got, signless):
    """Of functions without rounding: the error, 0 or infinite, of a float or an integer."""
    if isinstance(expected, bool):
        return 0.0 if expected == bool(got) else math.inf
    if isinstance(expected, int):
        return 0.0 if expected == got else math.inf
    if expected != expected:
        return 0.0 if got != got else math.inf
    equal = expected == got and (signless or math.copysign(1, expected) == math.copysign(1, got))
    return 0.0 if equal else math.inf


@dataclass
class Outcome:
    """What a row's points showed: results judged, the largest error of those without exception, and those over the limit."""

    judged: int = 0
    worst: float = 0.0
    at: tuple = ()
    over: int = 0
    examples: list = field(default_factory=list)
    excepted: dict = field(default_factory=dict)


def measure(row, points, results):
    """The Outcome of a row: `results` is one array for each result of the function."""
    rounded = row.reference in real.FUNCTIONS
    if rounded:
        function = real.FUNCTIONS[row.reference]
        real.enter(row.width, row.reference)
    else:
        function = exact.FUNCTIONS[row.reference]
        # exceptions.py computes a little with references
        real.enter(row.width, "")
    signless = row.reference in exact.SIGNLESS
    outcome = Outcome()
    for point, got in zip(points, zip(*results, strict=True), strict=True):
        if rounded:
            expected = function(*(mpfr(a) if isinstance(a, float) else a for a in point))
        else:
            expected = function(row.width, *point)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for true, value in zip(expected, got, strict=True):
            if true is None:
                continue
            outcome.judged += 1
            off = error(true, value, row.width, row.limit) if rounded else same(true, value, signless)
            if off > allowed(row.limit, point):
                number = exceptions.find(row.shown, point, value, true)
                if number is not None:
                    outcome.excepted[number] = outcome.excepted.get(number, 0) + 1
                    continue
                outcome.over += 1
                if len(outcome.examples) < 10:
                    outcome.examples.append((off, point, value, float(true)))
            if off > outcome.worst:
                outcome.worst, outcome.at = off, point
    return outcome
