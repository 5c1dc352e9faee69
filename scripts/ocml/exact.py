"""Functions whose results are floats or integers without rounding, by C99's annex F and OpenCL's edge cases.

Arguments are Python floats (which hold every float and double) and the width; None is a result that nobody specifies.
"""

import math

SCALE = 1 << 1074


def whole(x):
    """x in units of the smallest double."""
    numerator, denominator = x.as_integer_ratio()
    return numerator * (SCALE // denominator)


def unwhole(n, sign):
    """The float of n units, with the sign of `sign` if it is zero."""
    return n / SCALE if n else math.copysign(0.0, sign)


def ceil(w, x):
    return round_by(math.ceil, x)


def floor(w, x):
    return round_by(math.floor, x)


def trunc(w, x):
    return round_by(math.trunc, x)


def rint(w, x):
    return round_by(round, x)


def away(x):
    n = math.floor(abs(x))
    n += abs(x) - n >= 0.5
    return int(math.copysign(n, x)) if n < 2**53 else int(x)


def round_(w, x):
    return round_by(away, x)


def round_by(rule, x):
    return math.copysign(float(rule(x)), x) if math.isfinite(x) else x


def llrint(w, x):
    return round(x) if abs(x) < 2.0**63 else None


def llround(w, x):
    return away(x) if abs(x) < 2.0**63 else None


def fabs(w, x):
    return abs(x)


def copysign(w, x, y):
    # the sign of a NaN is its own here: both floats carry it
    return math.copysign(x, y)


def fmax(w, x, y):
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def fmin(w, x, y):
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


def saturate(w, x):
    return 0.0 if x < 0 else 1.0 if x > 1 else x


def fmod(w, x, y):
    return math.nan if math.isinf(x) or y == 0 or math.isnan(y) else math.fmod(x, y)


def remainder_parts(x, y):
    """(remainder, quotient) of finite x and y != 0, the quotient to nearest even."""
    if math.isinf(y):
        return x, 0
    a, b = whole(x), abs(whole(y))
    quotient, rest = divmod(abs(a), b)
    if 2 * rest > b or (2 * rest == b and quotient & 1):
        quotient, rest = quotient + 1, rest - b
    rest = -rest if math.copysign(1, x) < 0 else rest
    negative = (math.copysign(1, x) < 0) != (math.copysign(1, y) < 0)
    return unwhole(rest, x), -quotient if negative else quotient


def remainder(w, x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    return remainder_parts(x, y)[0]


def remquo(w, x, y):
    """OpenCL: the seven lowest bits of the quotient, with its sign."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan, None
    rest, quotient = remainder_parts(x, y)
    low = abs(quotient) & 0x7F
    return rest, -low if quotient < 0 else low


def frexp(w, x):
    if not math.isfinite(x):
        return x, None
    return math.frexp(x)


def modf(w, x):
    if math.isinf(x):
        return math.copysign(0.0, x), x
    return math.modf(x)


def ilogb(w, x):
    """OpenCL lets FP_ILOGB0 be INT_MIN or -INT_MAX, FP_ILOGBNAN INT_MAX or INT_MIN; OCML's are INT_MIN and INT_MAX."""
    if x == 0:
        return -(2**31)
    return 2**31 - 1 if not math.isfinite(x) else math.frexp(x)[1] - 1


def logb(w, x):
    if x == 0:
        return -math.inf
    return abs(x) if not math.isfinite(x) else float(math.frexp(x)[1] - 1)


def nextafter(w, x, y):
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y:
        return y
    if w == 64:
        return math.nextafter(x, y)
    up = y > x
    if x == 0:
        return 2.0**-149 if up else -(2.0**-149)
    step = 2.0 ** (max(math.frexp(x)[1], -125) - 24) if math.isfinite(x) else 0.0
    if math.isinf(x):
        return math.copysign((2 - 2.0**-23) * 2.0**127, x)
    # toward zero from a power of two the step is half
    if (x > 0) != up and abs(math.frexp(x)[0]) == 0.5 and abs(x) > 2.0**-126:
        step /= 2
    result = x + step if up else x - step
    if abs(result) >= 2.0**128:
        return math.copysign(math.inf, x)
    return math.copysign(result, x)


def scalb(w, x, y):
    """`x * 2^y` of an integral y; here only where the result needs no rounding, else None."""
    try:
        result = math.ldexp(x, int(y))
    except OverflowError:
        return math.copysign(math.inf, x)
    if w == 32 and abs(result) >= 2.0**128:
        return math.copysign(math.inf, x)
    low = -149 if w == 32 else -1074
    return result if result and abs(result) >= 2.0 ** (low + 60 if w == 64 else low + 30) else None


def isfinite(w, x):
    return math.isfinite(x)


def isinf(w, x):
    return math.isinf(x)


def isnan(w, x):
    return math.isnan(x)


def signbit(w, x):
    return math.copysign(1, x) < 0


def nan_bits(w, _, n):
    """The payload of strtod's n-char-sequence for the strings of helpers.hip; 0 for what is no number.

    HIP's headers take no hexadecimal number: their parser stops at the x.
    """
    payload = (0, 1, 123456, 0o17, 0, 0, 0, 4194303)[n]
    return 0x7FC00000 | payload if w == 32 else 0x7FF8000000000000 | payload


# Either zero will do, as C99 says.
SIGNLESS = {"fmax", "fmin"}
FUNCTIONS = {name.rstrip("_"): value for name, value in list(globals().items()) if callable(value)}
