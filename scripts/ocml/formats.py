"""Binary floats in integers: bits to sign, significand and exponent, and back with one rounding. Nothing of the host's floats is used."""

from dataclasses import dataclass

NEAREST, UP, DOWN, ZERO = range(4)
# Any NaN will do: software made it, or nobody says which.
ANY_NAN = -1


@dataclass(frozen=True)
class Format:
    """`width` bits, `places` of them after the leading one; `bias` of the exponent."""

    width: int
    places: int
    bias: int

    @property
    def infinity(self):
        return (2 * self.bias + 1) << self.places

    @property
    def quiet(self):
        return 1 << (self.places - 1)

    def is_nan(self, bits):
        return bits & ((1 << (self.width - 1)) - 1) > self.infinity

    def decode(self, bits):
        """(negative, significand, exponent) with the value significand * 2^exponent; of a finite number."""
        magnitude = bits & ((1 << (self.width - 1)) - 1)
        field, fraction = magnitude >> self.places, magnitude & ((1 << self.places) - 1)
        significand = fraction | (1 << self.places) if field else fraction
        return bool(bits >> (self.width - 1)), significand, max(field, 1) - self.bias - self.places

    def encode(self, negative, significand, exponent, mode=NEAREST):
        """The bits of significand * 2^exponent, rounded once."""
        sign = int(negative) << (self.width - 1)
        if significand == 0:
            return sign
        # the exponent of the last place
        last = max(significand.bit_length() + exponent - 1 - self.places, 1 - self.bias - self.places)
        shift = last - exponent
        if shift <= 0:
            whole = significand << -shift
        else:
            whole, rest = significand >> shift, significand & ((1 << shift) - 1)
            middle = 1 << (shift - 1)
            if mode == NEAREST:
                whole += rest > middle or (rest == middle and whole & 1)
            elif rest and mode == (DOWN if negative else UP):
                whole += 1
        # a carry moves on into the exponent, and past the largest into infinity
        field = last + self.bias + self.places - 1
        magnitude = whole + (field << self.places)
        if magnitude >= self.infinity:
            finite = mode == ZERO or mode == (UP if negative else DOWN)
            magnitude = self.infinity - 1 if finite else self.infinity
        return sign | magnitude


F16 = Format(16, 10, 15)
BF16 = Format(16, 7, 127)
F32 = Format(32, 23, 127)
F64 = Format(64, 52, 1023)


def convert(bits, source, target, mode=NEAREST):
    """A number in another format; of a NaN sign and high payload are kept, and it is quiet, as the hardware has it."""
    sign = bits >> (source.width - 1)
    magnitude = bits & ((1 << (source.width - 1)) - 1)
    if magnitude >= source.infinity:
        result = sign << (target.width - 1) | target.infinity
        if magnitude > source.infinity:
            fraction = magnitude & ((1 << source.places) - 1)
            shift = target.places - source.places
            result |= target.quiet | (fraction << shift if shift >= 0 else fraction >> -shift)
        return result
    return target.encode(*source.decode(bits), mode)


def truncated(bits, source):
    """The integer toward zero; None of what is not finite."""
    if bits & ((1 << (source.width - 1)) - 1) >= source.infinity:
        return None
    negative, significand, exponent = source.decode(bits)
    whole = significand << exponent if exponent >= 0 else significand >> -exponent
    return -whole if negative else whole


def from_integer(value, target):
    return target.encode(value < 0, abs(value), 0)


def multiply_add(a, b, c, addend, target):
    """a * b + c of two f16 and a number of format `addend`, rounded once; ANY_NAN, infinite and zero as IEEE 754 has them."""
    if F16.is_nan(a) or F16.is_nan(b) or addend.is_nan(c):
        return ANY_NAN
    negative = (a ^ b) >> 15 & 1
    infinite = a & 0x7FFF == F16.infinity or b & 0x7FFF == F16.infinity
    c_negative = c >> (addend.width - 1)
    c_infinite = c & ((1 << (addend.width - 1)) - 1) == addend.infinity
    if infinite:
        if a & 0x7FFF == 0 or b & 0x7FFF == 0 or (c_infinite and c_negative != negative):
            return ANY_NAN
        return negative << (target.width - 1) | target.infinity
    if c_infinite:
        return c_negative << (target.width - 1) | target.infinity
    (_, ma, ea), (_, mb, eb), (_, mc, ec) = F16.decode(a), F16.decode(b), addend.decode(c)
    product, exponent = ma * mb * (-1 if negative else 1), ea + eb
    mc = -mc if c_negative else mc
    low = min(exponent, ec)
    total = (product << (exponent - low)) + (mc << (ec - low))
    if total == 0:
        # of an exact zero the sign is that of both, else +
        return (negative & c_negative if product == 0 and mc == 0 else 0) << (target.width - 1)
    return target.encode(total < 0, abs(total), low)
