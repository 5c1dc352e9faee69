"""The points that a function is run at: special values, all exponents, and its own intervals."""

import itertools
import math
import random
import re
import struct

# Points a row, about, in a full run
POINTS = 16384
PI = math.pi
CODES = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}
# places after the leading one, exponent of the smallest normal
SHAPES = {16: (10, -14), 32: (23, -126), 64: (52, -1022)}
# Numbers of the type next to a multiple of pi/2: the hardest of argument reduction.
HARD = {16: 22.0, 32: 16367173.0 * 2.0**72, 64: 6381956970095103.0 * 2.0**797}


def to_type(x, width):
    """The float nearest to x."""
    if width == 64:
        return x
    code = CODES[width][0]
    try:
        return struct.unpack(code, struct.pack(code, x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def from_bits(bits, width):
    """The float that has these bits."""
    code, integer = CODES[width]
    return struct.unpack(code, struct.pack(integer, bits))[0]


def neighbours(x, width):
    """The floats below and above a positive x."""
    code, integer = CODES[width]
    bits = struct.unpack(integer, struct.pack(code, x))[0]
    return [from_bits(bits + step, width) for step in (-1, 1)]


def limits(width):
    """Smallest denormal, smallest normal, largest."""
    places, least = SHAPES[width]
    return 2.0 ** (least - places), 2.0**least, (2 - 2.0**-places) * 2.0 ** (1 - least)


def specials(width, short):
    """Special values of both signs; `short` leaves those that matter in every argument of a function of several."""
    tiny, normal, largest = limits(width)
    places = SHAPES[width][0]
    base = [0.0, tiny, normal, *neighbours(normal, width)[:1], 0.5, 1.0, 1.5, 2.0, 3.0, 2.0**places, 2.0 ** (places + 1), largest, math.inf, math.nan]
    near = [1.0, largest / 2]
    if not short:
        base += [3 * tiny, normal * 2, 0.25, 0.75, 2.5, 3.5, 4.0, 5.0, 6.5, 10.0, 100.0, 1000.5, 1e5, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
        base += [math.sqrt(tiny), math.sqrt(normal), math.sqrt(largest), largest / 4, HARD[width], 2.0 ** (places - 1) + 0.5, 2.0**places - 0.5]
        base += [n * PI / 4 for n in range(1, 9)] + [2.0**k * PI / 2 for k in (4, 10, 18, 22, 30)] + [math.log(2), math.log(10), math.e, 2**0.5]
        near += [0.5, 2.0, 3.0, 10.0, normal, largest / 4, 2.0**places] + [to_type(n * PI / 2, width) for n in (0.5, 1, 2, 3, 4)]
    values = [to_type(x, width) for x in base]
    for x in near:
        values += neighbours(to_type(x, width), width)
    values = list(dict.fromkeys(map(repr, values)))
    values = [math.inf if v == "inf" else math.nan if v == "nan" else float(v) for v in values]
    return values + [-x for x in values]


def any_exponent(rng, width):
    """A finite float whose sign and exponent are uniform."""
    x = from_bits(rng.getrandbits(width), width)
    return x if math.isfinite(x) else 1.0


def intervals(grid):
    """[[(low, high), ...one an argument], ...] and whether the function is run at nothing else."""
    only = grid.startswith("!")
    boxes = []
    for box in grid.lstrip("!").split(","):
        sides = []
        for side in box.split("*"):
            match = re.fullmatch(r"(-?[0-9.e+]*?)\.\.(-?[0-9.e+]+)", side)
            if not match:
                raise ValueError(f"interval '{side}' is not LOW..HIGH")
            sides.append((float(match[1]), float(match[2])))
        boxes.append(sides)
    return boxes, only


def integer_specials(letter):
    values = [0, 1, 2, 3, 23, 24, 52, 126, 149, 150, 1022, 1074, 1075, 2100, 2**31 - 1]
    return values + [-n for n in values] + [-(2**31)]


def points(row, count):
    """The points of a row: a list of tuples, one value an argument, the same in every run."""
    if row.width == 16 and row.arguments == "f":
        # every number there is, or every so many
        step = max(1, 65536 // count) if count < POINTS else 1
        return [(from_bits(bits, 16),) for bits in range(0, 65536, step)]
    rng = random.Random(f"{row.reference} {row.width} {row.grid}")
    boxes, only = intervals(row.grid)
    letters = row.arguments
    found = []
    if not only:
        short = len(letters) > 1 or row.width == 16
        pools = [specials(row.width, short) if a == "f" else integer_specials(a) for a in letters]
        if len(letters) <= 2:
            found += itertools.product(*pools)
        else:
            found += [tuple(rng.choice(pool) for pool in pools) for _ in range(max(count // 2, 256))]
        for _ in range(count // 2):
            found.append(tuple(any_exponent(rng, row.width) if a == "f" else rng.randint(-2200, 2200) for a in letters))
        # neighbours in size: what cancels
        if letters.count("f") > 1:
            for _ in range(count // 4):
                x = any_exponent(rng, row.width)
                found.append(tuple(to_type(x * rng.uniform(-4, 4), row.width) if a == "f" else rng.randint(-40, 40) for a in letters))
    each = max(count // (2 * len(boxes)), 16)
    for box in boxes:
        for n in range(each):
            point = []
            for axis, (letter, (low, high)) in enumerate(zip(letters, box, strict=True)):
                # one argument: evenly, with a jitter; several: at random
                part = (n + rng.random()) / each if len(letters) == 1 else rng.random()
                value = low + (high - low) * part
                if letter == "f":
                    point.append(to_type(value, row.width))
                else:
                    point.append(rng.randint(int(low), int(high)))
            found.append(tuple(point))
    if row.reference == "scalb":
        found = [(x, float(round(n))) for x, n in found]
    while len(found) % 64:
        found.append(found[-1])
    return found
