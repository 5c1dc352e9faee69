"""From Python values to what a kernel takes: memory at its own address, and scalars as bytes."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Scalars by name, as `exec` calls them. bf16 is the upper half of an f32.
_TYPES = {
    "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8",
    "f16": "<f2", "f32": "<f4", "f64": "<f8",
}


class Span(NamedTuple):
    """Bytes of the host from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel.

    Attributes:
        data: what the kernel is handed, little-endian.
        pointer: whether that is an address.
        span: the memory that it may reach through it.
        shown: the argument in words.
    """

    data: bytes
    pointer: bool
    span: Span | None
    shown: str


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch's, which is not imported to find out."""
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in type(value).__mro__)


def _bf16(value: float) -> bytes:
    bits = int(np.float32(value).view(np.uint32))
    if np.isnan(np.float32(value)):
        return ((bits >> 16) | 0x40).to_bytes(2, "little")
    # To the nearest, ties to even.
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 & 0xFFFF).to_bytes(2, "little")


def scalar(value: Any, name: str) -> bytes:
    """A number of a named type (`i32`, `f16`, `bf16`, ...) as bytes.

    Raises:
        ValueError: there is no such type, or it does not hold the number.
    """
    if name == "bf16":
        return _bf16(float(value))
    if name not in _TYPES:
        raise ValueError(f"no type `{name}`: there is {', '.join([*_TYPES, 'bf16'])}")
    dtype = np.dtype(_TYPES[name])
    if dtype.kind in "iu":
        whole, limits = int(value), np.iinfo(dtype)
        if whole != value or not limits.min <= whole <= limits.max:
            raise ValueError(f"{value!r} is no {name}")
        return np.array(whole, dtype).tobytes()
    return np.array(value, dtype).tobytes()


def _address(address: int) -> bytes:
    return address.to_bytes(8, "little")


def argument(value: Any) -> Argument:
    """An argument of `run`.

    Raises:
        TypeError: it is nothing that a kernel can be handed.
        ValueError: it cannot be handed as it is.
    """
    if value is None:
        return Argument(_address(0), True, None, "None")
    if isinstance(value, np.ndarray):
        return _array(value)
    if is_tensor(value):
        return _tensor(value)
    if isinstance(value, (np.number, np.bool_)):
        return Argument(value.tobytes(), False, None, f"{value!r}")
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        return Argument(scalar(*value), False, None, f"{value!r}")
    if isinstance(value, (bytes, bytearray)):
        return Argument(bytes(value), False, None, f"{len(value)} raw bytes")
    if isinstance(value, (bool, int, float)):
        raise TypeError(f"{value!r} has no size: say numpy.int32({value!r}) or ({value!r}, \"i32\")")
    raise TypeError(f"{type(value).__name__} is no argument of a kernel: arrays of NumPy, tensors of torch, numbers of NumPy, (value, \"i32\"), bytes or None are")


def _array(array: np.ndarray) -> Argument:
    shown = f"array of {array.dtype}, shape {array.shape}"
    if array.dtype.hasobject:
        raise ValueError(f"{shown}: Python objects mean nothing to a kernel")
    if not array.flags.writeable:
        raise ValueError(f"{shown} is read-only: a kernel that writes it would end the process; hand it a copy")
    address = array.ctypes.data
    if array.size == 0:
        return Argument(_address(address), True, None, shown)
    # Strides may be negative: elements then lie before the first.
    ways = [(length - 1) * stride for length, stride in zip(array.shape, array.strides)]
    start, last = address + sum(way for way in ways if way < 0), address + sum(way for way in ways if way > 0)
    return Argument(_address(address), True, Span(start, last + array.itemsize), shown)


def _tensor(tensor: Any) -> Argument:
    shown = f"tensor of {tensor.dtype}, shape {tuple(tensor.shape)}"
    # The storage's, as a tensor may say that it is on the card (`deltanet_check._cuda`).
    device = tensor.untyped_storage().device
    if device.type != "cpu":
        raise ValueError(f"{shown} is on {device}: the emulator takes those on the CPU")
    address, size = tensor.data_ptr(), tensor.element_size()
    if tensor.numel() == 0:
        return Argument(_address(address), True, None, shown)
    # Strides of torch are never negative.
    last = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride()))
    return Argument(_address(address), True, Span(address, address + (last + 1) * size), shown)


def united(spans: Iterable[Span]) -> list[Span]:
    """Spans of which no two have a byte in common: those that do are one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and span.start < result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result
