"""Results that miss the limit and are OCML's own: each is what its instructions compute, read from the disassembly, whatever runs them.

A result that an exception describes is counted apart. An exception that describes nothing in a full run is an error: it is out of date.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass



@dataclass(frozen=True)
class Exempt:
    """`holds(arguments, result, reference)` of functions whose names are `names`."""

    names: tuple
    holds: Callable
    says: str


def negative_zero(x):
    return x == 0 and math.copysign(1, x) < 0


def near_a_root(point, got, true):
    """A huge angle next to a multiple of pi/2, and an error that 159 bits of 2/pi leave: 2^-104 of the angle, here doubled."""
    if not math.isfinite(got) or abs(point[0]) < 2.0**30:
        return False
    size = abs(true)
    slope = 1 + size * size if size > 2 else 1
    return (size < 2.0**-48 or size > 2.0**48) and abs(got - true) <= slope * 2.0**-103


def gamma_overflow(point, got, true):
    """OCML divides sqrt(pi/2) x (x+1) (x+2) of |x| by x sin(pi x) gamma(|x| + 3) / sqrt(2 pi), which is infinite before the quotient is zero."""
    x = abs(point[0])
    return point[0] < -28 and got == 0 and abs(true) * 2.0**128 < 1.2534 * x * (x + 1) * (x + 2)


def gamma_shifted(point, got, true):
    """The error of rounding |x| + 3, which is as large as the slope of log gamma makes it, beside the limit's 16 ulp."""
    shifted = abs(point[0]) + 3
    if point[0] > -5 or not math.isfinite(got):
        return False
    place = 2.0 ** (math.frexp(shifted)[1] - 24)
    return abs(got - true) <= abs(true) * (place / 2 * math.log(shifted) + 16 * 2.0**-23)


EXCEPTIONS = (
    Exempt(
        ("__ocml_cos_f64", "__ocml_sin_f64", "__ocml_sincos_f64", "__ocml_tan_f64"),
        near_a_root,
        "Angles beyond 2^30 are reduced with three pieces of `v_trig_preop_f64`, 159 bits of 2/pi: the angle is good to 2^-104. "
        "Beside a multiple of pi/2, where sine or cosine is below 2^-48, that is more than a few ulp (6381956970095103 * 2^797 is "
        "the worst double there is).",
    ),
    Exempt(
        ("__ocml_cospi_f32", "__ocml_cospi_f64", "__ocml_sincospi_f32", "__ocml_sincospi_f64", "__ocml_sinpi_f32", "__ocml_sinpi_f64"),
        lambda point, got, true: got == 0 and true == 0,
        "A zero has the sign that the quadrant gives it: sinpi(1) is -0 and cospi(1/2) is -0, OpenCL has +0 for both.",
    ),
    Exempt(
        ("__ocml_expm1_f32", "__ocml_expm1_f64", "__ocml_log1p_f64"),
        lambda point, got, true: negative_zero(point[0]) and got == 0,
        "expm1(-0), and log1p(-0) of f64, are +0: the last sum of each adds +0; C99 has -0.",
    ),
    Exempt(
        ("__ocml_i1_f64",),
        lambda point, got, true: point[0] <= -8 and got != got,
        "i1_f64 of x <= -8 is NaN: OCML takes `v_rsq_f64` of x where it means |x|.",
    ),
    Exempt(
        ("__ocml_ncdfinv_f32", "__ocml_ncdfinv_f64"),
        lambda point, got, true: point[0] == 0.5 and got == 0,
        "ncdfinv(1/2) is -0. The reference has +0, and no standard specifies the sign.",
    ),
    Exempt(
        ("__ocml_nextafter_f32", "__ocml_nextafter_f64"),
        lambda point, got, true: got == 0 and true == 0,
        "nextafter of the smallest negative denormal, upward, is +0. OCML steps through two's complement integers, which have one zero. "
        "IEEE 754 has -0.",
    ),
    Exempt(
        ("__ocml_tgamma_f32",),
        gamma_overflow,
        "tgamma_f32 below about -31 is 0 although the result is a normal number. OCML divides by x sin(pi x) gamma(|x| + 3), which overflows first.",
    ),
    Exempt(
        ("__ocml_tgamma_f32",),
        gamma_shifted,
        "tgamma_f32 below -5 has the rounding of |x| + 3 in it where that sum has a larger exponent than x: half a place of it times "
        "log(|x| + 3), up to 80 ulp.",
    ),
    Exempt(
        ("__ocml_sin_f16", "__ocml_sin_2f16"),
        lambda point, got, true: (got != got) == math.isfinite(point[0]),
        "The f16 sine is NaN of every finite number: the bitcode has a selection the wrong way round (`select i1 (class x, finite), NaN, sine`).",
    ),
)


def find(name, point, got, true):
    """The number of the exception that describes a result, or None."""
    for number, exception in enumerate(EXCEPTIONS):
        if name in exception.names and exception.holds(point, got, true):
            return number
    return None
