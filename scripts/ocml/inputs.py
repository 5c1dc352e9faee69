"""What the conversions are run at: bits, by the names that conversions.py gives its inputs."""

import random

from formats import ANY_NAN, BF16, F16, F32, F64, convert, multiply_add


def boundaries(narrow, wide):
    """Every number of a narrow format in a wide one, its neighbours, the middle to the next and that one's neighbours; both signs."""
    found = []
    for bits in range(1 << narrow.width):
        here = convert(bits, narrow, wide)
        found.append(here)
        if bits & ((1 << (narrow.width - 1)) - 1) >= narrow.infinity:
            continue
        half = middle(bits, narrow, wide)
        found += [here + 1, here - 1 if here & ((1 << (wide.width - 1)) - 1) else here, half - 1, half, half + 1]
    # NaNs that have only low places
    found += [wide.infinity + 1, wide.infinity + (1 << (wide.width - 1)) + 1, wide.infinity - 1]
    return found


def middle(bits, narrow, wide):
    """Half way from a number to the next larger in magnitude (beyond the largest: to the power of two)."""
    negative, significand, exponent = narrow.decode(bits)
    return wide.encode(negative, 2 * significand + 1, exponent - 1)


def between(narrow, wide):
    """Random numbers of `narrow` with their middles, in `wide`."""
    rng = random.Random(2)
    found = []
    for _ in range(20000):
        bits = rng.getrandbits(narrow.width)
        here = convert(bits, narrow, wide)
        found.append(here)
        if not narrow.is_nan(bits) and here & ((1 << (wide.width - 1)) - 1) < wide.infinity:
            half = middle(bits, narrow, wide)
            found += [half - 1, half, half + 1]
    return found


def integers(width):
    """Small integers of both signs, powers of two with what is beside them, middles between floats, random ones."""
    rng = random.Random(width)
    found = list(range(-70000, 70001, 1 if width == 32 else 7))
    for power in range(16, width):
        for step in (-2, -1, 0, 1, 2):
            found += [(1 << power) + step, -(1 << power) + step]
        for places in (11, 24, 53):
            if power > places:
                last = 1 << (power - places)
                found += [(1 << power) + n * last // 2 + step for n in (1, 2, 3, 5, 7) for step in (-1, 0, 1)]
    found += [rng.getrandbits(rng.randint(1, width)) for _ in range(20000)]
    return [n & ((1 << width) - 1) for n in found]


def around(form):
    """Floats that are integers or half ones, and those beside them; powers of two likewise; the ends, infinities, NaNs; random ones."""
    rng = random.Random(11)
    magnitudes = [form.encode(False, n, -1) for n in range(4000)]
    magnitudes += [form.encode(False, 1, power) for power in range(-40, 70)]
    magnitudes += [form.encode(False, (1 << 32) - n, 0) for n in range(1, 600)]
    magnitudes += [form.encode(False, (1 << 31) + n, 0) for n in range(-300, 300)]
    magnitudes += [1, form.infinity - 1, form.infinity, form.infinity + 2, form.infinity + form.quiet]
    found = {near for bits in magnitudes for near in (bits - 1, bits, bits + 1) if near >= 0}
    found = sorted(found | {bits | 1 << (form.width - 1) for bits in found})
    return found + [rng.getrandbits(form.width) for _ in range(20000)]


def words():
    rng = random.Random(5)
    return [rng.getrandbits(32) for _ in range(4096)]


def triples(width):
    """Every f16 with a random one and a random addend of `width` bits; near ones too, so that they cancel."""
    rng = random.Random(7)
    found = []
    for a in range(65536):
        b = rng.getrandbits(16) if a & 1 else rng.randint(0x3800, 0x4400) | rng.getrandbits(1) << 15
        c = rng.getrandbits(width)
        if a & 3 == 0 and not F16.is_nan(a):
            # about minus the product
            exact = multiply_add(a, b, 0, F16, F32 if width == 32 else F16)
            c = exact ^ 1 << (width - 1) if exact != ANY_NAN else c
        found.append(a | b << 16 | c << 32)
    return found


INPUTS = {
    "all 65,536": lambda: range(1 << 16),
    "all 256": lambda: range(1 << 8),
    "f16 boundaries": lambda: boundaries(F16, F32),
    "f16 boundaries in f64": lambda: boundaries(F16, F64),
    "bf16 boundaries": lambda: boundaries(BF16, F32),
    "f32 middles": lambda: between(F32, F64),
    "f32 sample": lambda: [b >> 29 & 0xFFFFFFFF for b in between(F32, F64)],
    "integers": lambda: integers(32),
    "long integers": lambda: integers(64),
    "f32 around integers": lambda: around(F32),
    "f64 around integers": lambda: around(F64),
    "words": words,
    "f16, f16, f32": lambda: triples(32),
    "f16, f16, f16": lambda: triples(16),
}
