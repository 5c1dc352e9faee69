"""The real functions by MPFR, to twice the type's places and more; NaN, infinities and signed zeros as C99 has them."""

import math
import statistics

import gmpy2
from gmpy2 import mpfr

NORMAL = statistics.NormalDist()
NAN, INF = mpfr("nan"), mpfr("inf")


def precision(width, name):
    """Bits to compute with: a product and a sum of floats whole, all else enough to tell roundings apart."""
    if name == "fma":
        return 900 if width == 32 else 6600
    if name in ("add", "subtract", "fdim"):
        return 320 if width == 32 else 2200
    return (24 if width == 32 else 53) * 2 + 70


def enter(width, name):
    """Makes gmpy2 compute so."""
    context = gmpy2.context(precision=precision(width, name), emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min(), allow_complex=False)
    gmpy2.set_context(context)


def pi():
    return gmpy2.const_pi()


def sinpi(x):
    if not gmpy2.is_finite(x):
        return NAN
    turns = mpfr(math.fmod(float(x), 2.0))
    size = abs(turns)
    if size == 0 or size == 1:
        return gmpy2.copy_sign(mpfr(0), x)
    if size > 1:
        return -gmpy2.copy_sign(half_sine(size - 1), x)
    return gmpy2.copy_sign(half_sine(size), x)


def half_sine(x):
    """sin(pi x) of 0 < x < 1."""
    return gmpy2.sin(pi() * (1 - x if x > 0.5 else x)) if x != 0.5 else mpfr(1)


def cospi(x):
    if not gmpy2.is_finite(x):
        return NAN
    turns = abs(mpfr(math.fmod(float(x), 2.0)))
    turns = 2 - turns if turns > 1 else turns
    if turns == 0.5:
        return mpfr(0)
    if turns < 0.25:
        return gmpy2.cos(pi() * turns)
    if turns > 0.75:
        return -gmpy2.cos(pi() * (1 - turns))
    return gmpy2.sin(pi() * (0.5 - turns))


def gamma(x):
    return -INF if x == 0 and gmpy2.is_signed(x) else gmpy2.gamma(x)


def lgamma(x):
    if gmpy2.is_infinite(x) or (x <= 0 and gmpy2.is_integer(x)):
        return INF
    return gmpy2.lgamma(x)[0]


def erfcx(x):
    if x < 40:
        return gmpy2.exp(gmpy2.mul(x, x)) * gmpy2.erfc(x)
    if gmpy2.is_infinite(x):
        return mpfr(0)
    # the divergent series, stopped at its smallest term, far below the precision
    term = total = mpfr(1)
    square = 2 * x * x
    limit = mpfr(2) ** -gmpy2.get_context().precision
    k = 1
    while abs(term) > limit:
        term = -term * (2 * k - 1) / square
        total += term
        k += 1
    return total / (x * gmpy2.sqrt(pi()))


def inverse_erf(x, complement):
    """y with erf(y) = x, erfc(y) = complement; both are given, so that neither loses places."""
    if not (0 <= complement <= 2 and -1 <= x <= 1):
        return NAN
    if complement == 0:
        return INF
    if complement == 2:
        return -INF
    if x == 0:
        return x
    if x < 0:
        return -inverse_erf(-x, 2 - complement)
    root = gmpy2.sqrt(pi())
    if x < 1e-5:
        y = x * root / 2 * (1 + pi() * x * x / 12)
    elif x < 0.5:
        y = mpfr(NORMAL.inv_cdf(float((x + 1) / 2))) / gmpy2.sqrt(mpfr(2))
    elif float(complement) / 2 > 0:
        y = -mpfr(NORMAL.inv_cdf(float(complement) / 2)) / gmpy2.sqrt(mpfr(2))
    else:
        y = gmpy2.sqrt(-gmpy2.log(complement * root * 27))
    # Halley's: every step triples the places
    for _ in range(4):
        miss = gmpy2.erf(y) - x if x < 0.5 else complement - gmpy2.erfc(y)
        step = miss * root / 2 * gmpy2.exp(y * y)
        change = step / (1 + y * step)
        y -= change
        if abs(change) < abs(y) * mpfr(2) ** (-gmpy2.get_context().precision // 2):
            break
    return y


def inverse_normal(x):
    """The quantile of the standard normal distribution."""
    if x > 0.25:
        return gmpy2.sqrt(mpfr(2)) * inverse_erf(2 * x - 1, 2 - 2 * x)
    return -gmpy2.sqrt(mpfr(2)) * inverse_erf(1 - 2 * x, 2 * x)


def bessel_i(n, x):
    """I_0 and I_1: the series, or beyond 60 the asymptotic one."""
    if gmpy2.is_nan(x):
        return x
    size = abs(x)
    if size > 100000:
        result = INF
    elif size < 60:
        square = size * size / 4
        term = total = mpfr(1)
        k = 1
        limit = mpfr(2) ** -gmpy2.get_context().precision
        while term > total * limit:
            term = term * square / (k * (k + n))
            total += term
            k += 1
        result = total * (size / 2) ** n
    else:
        term = total = mpfr(1)
        limit = mpfr(2) ** -gmpy2.get_context().precision
        for k in range(1, 120):
            term = -term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * size)
            if abs(term) < limit:
                break
            total += term
        result = total * gmpy2.exp(size) / gmpy2.sqrt(2 * pi() * size)
    return gmpy2.copy_sign(result, x) if n else result


def root_of_squares(*values):
    if any(gmpy2.is_infinite(v) for v in values):
        return INF
    return gmpy2.sqrt(sum((v * v for v in values[1:]), values[0] * values[0]))


def divide(x, y):
    if y == 0:
        if x == 0 or gmpy2.is_nan(x):
            return NAN
        return gmpy2.copy_sign(INF, x) * gmpy2.copy_sign(mpfr(1), y)
    return x / y


def reciprocal_of(x):
    return divide(mpfr(1), x)


def power(x, n):
    # MPFR has C99's special cases for mpfr exponents
    return x ** mpfr(n)


def fma(x, y, z):
    if gmpy2.is_finite(x) and gmpy2.is_finite(y) and gmpy2.is_finite(z):
        return x * y + z
    return gmpy2.fma(x, y, z)


def fdim(x, y):
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return NAN
    return x - y if x > y else mpfr(0)


def ldexp(x, n):
    n = max(-(10**6), min(10**6, n))
    return gmpy2.mul_2exp(x, n) if n >= 0 else gmpy2.div_2exp(x, -n)


def second_kind(n, x):
    if gmpy2.is_nan(x) or x < 0:
        return NAN
    return gmpy2.yn(x, n) if x != 0 else -INF


FUNCTIONS = {
    "acos": gmpy2.acos,
    "acosh": gmpy2.acosh,
    "add": gmpy2.add,
    "asin": gmpy2.asin,
    "asinh": gmpy2.asinh,
    "atan": gmpy2.atan,
    "atan2": gmpy2.atan2,
    "atanh": gmpy2.atanh,
    "cbrt": gmpy2.cbrt,
    "cos": gmpy2.cos,
    "cosh": gmpy2.cosh,
    "cospi": cospi,
    "divide": divide,
    "erf": gmpy2.erf,
    "erfc": gmpy2.erfc,
    "erfcinv": lambda x: inverse_erf(1 - x, x),
    "erfcx": erfcx,
    "erfinv": lambda x: inverse_erf(x, 1 - x),
    "exp": gmpy2.exp,
    "exp10": gmpy2.exp10,
    "exp2": gmpy2.exp2,
    "expm1": gmpy2.expm1,
    "fdim": fdim,
    "fma": fma,
    "hypot": gmpy2.hypot,
    "i0": lambda x: bessel_i(0, x),
    "i1": lambda x: bessel_i(1, x),
    "j0": gmpy2.j0,
    "j1": gmpy2.j1,
    "jn": lambda n, x: gmpy2.jn(x, n),
    "ldexp": ldexp,
    "len3": root_of_squares,
    "len4": root_of_squares,
    "lgamma": lgamma,
    "log": gmpy2.log,
    "log10": gmpy2.log10,
    "log1p": gmpy2.log1p,
    "log2": gmpy2.log2,
    "multiply": gmpy2.mul,
    "ncdf": lambda x: gmpy2.erfc(-x / gmpy2.sqrt(mpfr(2))) / 2,
    "ncdfinv": inverse_normal,
    "pow": power,
    "pown": power,
    "rcbrt": lambda x: reciprocal_of(gmpy2.cbrt(x)),
    "reciprocal": reciprocal_of,
    "rhypot": lambda x, y: reciprocal_of(gmpy2.hypot(x, y)),
    "rlen3": lambda *v: reciprocal_of(root_of_squares(*v)),
    "rlen4": lambda *v: reciprocal_of(root_of_squares(*v)),
    "rsqrt": lambda x: reciprocal_of(gmpy2.sqrt(x)),
    "sin": gmpy2.sin,
    "sincos": lambda x: (gmpy2.sin(x), gmpy2.cos(x)),
    "sincospi": lambda x: (sinpi(x), cospi(x)),
    "sinh": gmpy2.sinh,
    "sinpi": sinpi,
    "sqrt": gmpy2.sqrt,
    "subtract": gmpy2.sub,
    "tan": gmpy2.tan,
    "tanh": gmpy2.tanh,
    "tgamma": gamma,
    "y0": lambda x: second_kind(0, x),
    "y1": lambda x: second_kind(1, x),
    "yn": second_kind,
}
