"""The conversions of conversions.hip: their inputs and what must come out, bit for bit."""

from collections.abc import Callable
from dataclasses import dataclass

import device
import table
from formats import ANY_NAN, BF16, DOWN, F16, F32, F64, NEAREST, UP, ZERO, convert, from_integer, multiply_add, truncated
from inputs import INPUTS

C_TYPE = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long"}
BLOCK = 64


@dataclass(frozen=True)
class Case:
    """A kernel; `model` gives the bits for an input's, ANY_NAN, or None where C says nothing."""

    kernel: str
    says: str
    inputs: str
    source: int
    target: int
    model: Callable
    # the format of the result, where ANY_NAN may come out
    nan: object = None


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def to_integer(width, is_signed):
    """A C cast of an f16: defined where the integer is in range."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)

    def model(bits):
        value = truncated(bits, F16)
        return None if value is None or not low <= value <= high else value & ((1 << width) - 1)

    return model


def saturating(source, width, is_signed, floor=False):
    """The instruction: toward zero, or down, and to the nearest there is; NaN is 0 (of the one that goes down nobody says)."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)

    def model(bits):
        if source.is_nan(bits):
            return None if floor else 0
        negative = bits >> (source.width - 1)
        value = truncated(bits, source)
        if value is None:
            value = low if negative else high
        elif floor and negative and from_integer(-value, source) != bits ^ 1 << (source.width - 1):
            value -= 1
        return max(low, min(high, value)) & ((1 << width) - 1)

    return model


def pair_toward_zero(bits):
    return convert(bits, F32, F16, ZERO) | convert(bits ^ 1 << 31, F32, F16, ZERO) << 16


def brain_rounded(bits):
    """HIP's: of a NaN the high half, with a last place if only the low half said that it is one."""
    if F32.is_nan(bits):
        return bits >> 16 | (1 if bits & 0xFFFF else 0)
    return convert(bits, F32, BF16)


def brain_truncated(bits):
    if F32.is_nan(bits):
        return bits >> 16 | (1 if bits & 0xFFFF else 0)
    return bits >> 16


def hardware(source, target, mode=NEAREST):
    """One conversion as an instruction does it."""
    return lambda bits: convert(bits, source, target, mode)


def software(source, target):
    """One that the compiler or a header writes out: its NaNs are its own."""
    return lambda bits: ANY_NAN if source.is_nan(bits) else convert(bits, source, target)


def and_back(there):
    """A wider format and f16 again: all but NaNs come back."""
    return lambda bits: ANY_NAN if F16.is_nan(bits) else convert(convert(bits, F16, there), there, F16)


def from_signed(width, target):
    return lambda bits: from_integer(signed(bits, width), target)


def from_unsigned(target):
    return lambda bits: from_integer(bits, target)


def from_byte(byte):
    return lambda bits: from_integer(bits >> 8 * byte & 0xFF, F32)


def mixed_single(bits):
    return multiply_add(bits & 0xFFFF, bits >> 16 & 0xFFFF, bits >> 32, F32, F32)


def mixed_half(bits):
    """The sum is rounded to f32, and that to f16."""
    single = multiply_add(bits & 0xFFFF, bits >> 16 & 0xFFFF, bits >> 32, F16, F32)
    return single if single == ANY_NAN else convert(single, F32, F16)


def casts():
    """C casts between f16 and integers, and of integers to f32 and f64."""
    for width in (8, 16, 32, 64):
        for letter, says in (("i", "signed"), ("u", "unsigned")):
            says = f"f16 to {says} {width}-bit integers (those in range)"
            yield Case(f"f16_{letter}{width}", says, "all 65,536", 16, width, to_integer(width, letter == "i"))
    yield Case("u8_f16", "unsigned 8-bit integers to f16", "all 256", 8, 16, from_unsigned(F16))
    yield Case("i16_f16", "signed 16-bit integers to f16", "all 65,536", 16, 16, from_signed(16, F16))
    yield Case("u16_f16", "unsigned 16-bit integers to f16", "all 65,536", 16, 16, from_unsigned(F16))
    for width, inputs, targets in ((32, "integers", (F16, F32)), (64, "long integers", (F16, F32, F64))):
        for to in targets:
            says = f"{width}-bit integers to f{to.width}"
            yield Case(f"i{width}_f{to.width}", f"signed {says}", inputs, width, to.width, from_signed(width, to))
            yield Case(f"u{width}_f{to.width}", f"unsigned {says}", inputs, width, to.width, from_unsigned(to))
    for byte in range(4):
        yield Case(f"byte{byte}_f32", f"byte {byte} of a word to f32", "words", 32, 32, from_byte(byte))


CASES = (
    Case("f16_f32", "f16 to f32", "all 65,536", 16, 32, hardware(F16, F32)),
    Case("f16_f64", "f16 to f64", "all 65,536", 16, 64, hardware(F16, F64)),
    Case("f16_f32_f16", "f16 to f32 and back", "all 65,536", 16, 16, and_back(F32), F16),
    Case("f16_f64_f16", "f16 to f64 and back", "all 65,536", 16, 16, and_back(F64), F16),
    Case("f32_f16", "f32 to f16, to nearest even", "f16 boundaries", 32, 16, hardware(F32, F16)),
    Case("f32_f16_up", "f32 to f16, upward", "f16 boundaries", 32, 16, hardware(F32, F16, UP)),
    Case("f32_f16_down", "f32 to f16, downward", "f16 boundaries", 32, 16, hardware(F32, F16, DOWN)),
    Case("f32_f16_zero", "f32 to f16, toward zero", "f16 boundaries", 32, 16, hardware(F32, F16, ZERO)),
    Case("f32_pkrtz", "two f32 to two f16 by `v_cvt_pkrtz_f16_f32`", "f16 boundaries", 32, 32, pair_toward_zero),
    Case("f64_f16", "f64 to f16 (the compiler's code)", "f16 boundaries in f64", 64, 16, software(F64, F16), F16),
    Case("f64_f32", "f64 to f32", "f32 middles", 64, 32, hardware(F64, F32)),
    Case("f32_f64", "f32 to f64", "f32 sample", 32, 64, hardware(F32, F64)),
    *casts(),
    Case("cvt_i16_f16", "`v_cvt_i16_f16`, saturating", "all 65,536", 16, 16, saturating(F16, 16, True)),
    Case("cvt_u16_f16", "`v_cvt_u16_f16`, saturating", "all 65,536", 16, 16, saturating(F16, 16, False)),
    Case("cvt_i32_f32", "`v_cvt_i32_f32`, saturating", "f32 around integers", 32, 32, saturating(F32, 32, True)),
    Case("cvt_u32_f32", "`v_cvt_u32_f32`, saturating", "f32 around integers", 32, 32, saturating(F32, 32, False)),
    Case("cvt_flr_i32_f32", "`v_cvt_flr_i32_f32`, saturating", "f32 around integers", 32, 32, saturating(F32, 32, True, floor=True)),
    Case("cvt_i32_f64", "`v_cvt_i32_f64`, saturating", "f64 around integers", 64, 32, saturating(F64, 32, True)),
    Case("cvt_u32_f64", "`v_cvt_u32_f64`, saturating", "f64 around integers", 64, 32, saturating(F64, 32, False)),
    Case("bf16_f32", "bf16 to f32 (`hip_bfloat16`)", "all 65,536", 16, 32, lambda bits: bits << 16),
    Case("bf16_f32_bf16", "bf16 to f32 and back (`hip_bfloat16`)", "all 65,536", 16, 16, lambda bits: bits),
    Case("f32_bf16", "f32 to bf16, to nearest even (`hip_bfloat16`)", "bf16 boundaries", 32, 16, brain_rounded),
    Case("f32_bf16_truncate", "f32 to bf16, truncated (`hip_bfloat16`)", "bf16 boundaries", 32, 16, brain_truncated),
    Case("compiler_bf16_f32", "bf16 to f32 (`__bf16`)", "all 65,536", 16, 32, lambda bits: bits << 16),
    Case("compiler_f32_bf16", "f32 to bf16, to nearest even (`__bf16`)", "bf16 boundaries", 32, 16, software(F32, BF16), BF16),
    Case("fma_mix", "f16 * f16 + f32 in f32 (`v_fma_mix_f32`)", "f16, f16, f32", 64, 32, mixed_single, F32),
    Case("fma_mixlo", "f16 * f16 + f16 in f32, then f16 (`v_fma_mixlo_f16`)", "f16, f16, f16", 64, 16, mixed_half, F16),
)
# Shared with the pool's processes by forking: case index to (inputs, results)
WORK = {}


def launch(cases, options, folder):
    """Builds and runs the kernels of the cases."""
    if not cases:
        return
    device.build(table.HERE / "conversions.hip", folder / "conversions.co", options.opt)
    batch = device.Batch(options.program, folder, folder / "conversions.co")
    inputs, pending = {}, []
    for case in cases:
        if case.inputs not in inputs:
            points = list(INPUTS[case.inputs]())
            points = points[:: max(1, len(points) // 1024)] if options.sample else points
            inputs[case.inputs] = points + points[-1:] * (-len(points) % BLOCK)
        points = inputs[case.inputs]
        name = batch.input(f"in_{case.inputs.replace(' ', '_').replace(',', '')}_{case.source}", C_TYPE[case.source], points)
        pending.append((case, points, batch.launch(case.kernel, [name], [C_TYPE[case.target]], len(points))))
    batch.run()
    for case, points, (number,) in pending:
        WORK[case.kernel] = (points, batch.result(number))


def judge(kernel):
    """(kernel, results judged, wrong ones, examples)."""
    case = next(c for c in CASES if c.kernel == kernel)
    points, results = WORK[kernel]
    judged, examples, wrong = 0, [], 0
    for bits, got in zip(points, results, strict=True):
        expected = case.model(bits)
        if expected is None:
            continue
        judged += 1
        good = case.nan.is_nan(got) if expected == ANY_NAN else expected == got
        if not good:
            wrong += 1
            if len(examples) < 5:
                examples.append((bits, got, expected))
    return kernel, judged, wrong, examples


def judge_all(pool, cases):
    """(case, results judged, wrong ones, examples), in order."""
    found = {kernel: rest for kernel, *rest in pool.imap_unordered(judge, [case.kernel for case in cases])}
    return [(case, *found[case.kernel]) for case in cases]


def lines(converted):
    """The table for a terminal."""
    if converted:
        yield ""
        yield f"{'conversion':60} {'inputs':22} {'results':>8}  wrong"
    for case, judged, wrong, examples in converted:
        yield f"{case.says:60} {case.inputs:22} {judged:8}  {wrong}"
        for bits, got, expected in examples:
            shown = "a NaN" if expected == ANY_NAN else f"{expected:#x}"
            yield f"    {bits:#x}: {got:#x}, not {shown}"
