"""From Python values to what a kernel takes: memory at its own address, and scalars as bytes."""
from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
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


class Memory(NamedTuple):
    """Memory of the host that a kernel reaches through an argument.

    Attributes:
        span: the bytes.
        writable: True where the kernel may write them; a write to other memory is a `Trap`.
    """

    span: Span
    writable: bool


@dataclass(frozen=True)
class Copy:
    """A contiguous copy of an array or tensor, which a kernel is handed in its place.

    Attributes:
        values: the copy, which lives as long as this.
        original: the bytes from the first to the last element of the original.
        back: copies the values back; None if the original is read-only.
    """

    values: Any
    original: Span
    back: Callable[[], Any] | None


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel.

    Attributes:
        data: the bytes that the kernel is handed, little-endian.
        pointer: True where those bytes are an address.
        memory: the memory behind the address; None for a number, a null pointer and an array without elements.
        shown: the argument in words.
        copy: the copy that the memory is of; None where the memory is the caller's own.
    """

    data: bytes
    pointer: bool
    memory: Memory | None
    shown: str
    copy: Copy | None = None


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch's, which is not imported to find out."""
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in type(value).__mro__)


def _bf16(value: np.float32) -> bytes:
    bits = int(value.view(np.uint32))
    if np.isnan(value):
        return ((bits >> 16) | 0x40).to_bytes(2, "little")
    # To the nearest, ties to even.
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 & 0xFFFF).to_bytes(2, "little")


# The least magnitude that rounds to infinity: half a place above the largest number.
_OVERFLOW = {"f16": 65520, "bf16": 2**128 - 2**119, "f32": 2**128 - 2**103, "f64": 2**1024 - 2**970}


def scalar(value: Any, name: str) -> bytes:
    """Returns a number of a named type (`i32`, `f16`, `bf16`, ...) as bytes, rounded to the nearest where the type is a float.

    Raises:
        TypeError: the value is no number.
        ValueError: there is no such type, or it does not hold the number.
    """
    if name not in _TYPES and name != "bf16":
        raise ValueError(f"no type `{name}`: there is {', '.join([*_TYPES, 'bf16'])}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, (Real, np.bool_)):
        raise TypeError(f"{value!r} is no real number, so no {name}")
    exact: Any = value.item() if isinstance(value, np.generic) else value
    if name in _OVERFLOW:
        if abs(exact) != math.inf and abs(exact) >= _OVERFLOW[name]:
            raise ValueError(f"{value!r} is no {name}: it is beyond the largest")
        number = float(exact)
        return _bf16(np.float32(number)) if name == "bf16" else np.array(number, _TYPES[name]).tobytes()
    dtype = np.dtype(_TYPES[name])
    limits = np.iinfo(dtype)
    # NaN is unlike itself, and infinities lie beyond the limits.
    if not limits.min <= exact <= limits.max or int(exact) != exact:
        raise ValueError(f"{value!r} is no {name}")
    return np.array(int(exact), dtype).tobytes()


def _address(address: int) -> bytes:
    return address.to_bytes(8, "little")


def argument(value: Any, copy_back: bool = False) -> Argument:
    """An argument of `run`.

    Args:
        value: what the caller handed over.
        copy_back: whether an array or tensor that is not contiguous is copied.

    Raises:
        TypeError: it is nothing that a kernel can be handed.
        ValueError: it cannot be handed as it is.
    """
    if value is None:
        return Argument(_address(0), True, None, "None")
    if isinstance(value, np.ndarray):
        return _array(value, copy_back)
    if is_tensor(value):
        return _tensor(value, copy_back)
    if isinstance(value, (np.number, np.bool_)):
        return Argument(value.tobytes(), False, None, f"{value!r}")
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        return Argument(scalar(*value), False, None, f"{value!r}")
    if isinstance(value, (bytes, bytearray)):
        return Argument(bytes(value), False, None, f"{len(value)} raw bytes")
    if isinstance(value, (bool, int, float)):
        raise TypeError(f"{value!r} has no size: say numpy.int32({value!r}) or ({value!r}, \"i32\")")
    raise TypeError(f"{type(value).__name__} is no argument of a kernel: arrays of NumPy, tensors of torch, numbers of NumPy, (value, \"i32\"), bytes or None are")


def _pointer(address: int, size: int, writable: bool, shown: str) -> Argument:
    memory = Memory(Span(address, address + size), writable) if size else None
    return Argument(_address(address), True, memory, shown)


# Largest element, in bytes, of those kinds of dtype that a kernel has: NumPy's longer ones (longdouble) are the host's alone.
_KINDS = {"b": 1, "i": 8, "u": 8, "f": 8, "c": 16, "S": None, "V": None}


def _refused_dtype(dtype: np.dtype[Any]) -> str | None:
    """Returns why a kernel cannot read elements of this type, and what to hand over instead; None where a kernel can."""
    if dtype.hasobject:
        return "a kernel cannot read Python objects"
    if dtype.subdtype is not None:
        return _refused_dtype(dtype.subdtype[0])
    if dtype.fields is not None:
        parts = (_refused_dtype(field[0]) for field in dtype.fields.values())
        return next((why for why in parts if why is not None), None)
    if dtype.kind not in _KINDS:
        return "no type of a kernel has this layout; hand over a view of integers (`x.view(numpy.int64)`)"
    largest = _KINDS[dtype.kind]
    if largest is not None and dtype.itemsize > largest:
        return "no type of a kernel has this layout; convert it (`x.astype(numpy.float64)`)"
    if dtype.byteorder == ">" or (dtype.byteorder == "=" and sys.byteorder == "big"):
        return "its bytes are in big-endian order and a kernel reads little-endian; hand over `x.astype(x.dtype.newbyteorder('<'))`"
    return None


def _extent(address: int, shape: Sequence[int], strides: Sequence[int], size: int) -> Span:
    """Returns the bytes from the first to the last element of an array. Strides and size are in bytes."""
    if 0 in shape:
        return Span(address, address)
    steps = [stride * (length - 1) for length, stride in zip(shape, strides)]
    return Span(address + sum(min(step, 0) for step in steps), address + sum(max(step, 0) for step in steps) + size)


def _may_overlap_itself(shape: Sequence[int], strides: Sequence[int], size: int) -> bool:
    """Whether two elements may share bytes. False is certain."""
    reach = size
    for stride, length in sorted((abs(stride), length) for length, stride in zip(shape, strides) if length > 1):
        if stride < reach:
            return True
        reach = stride * (length - 1) + reach
    return False


def _copied(address: int, size: int, writable: bool, shown: str, copy: Copy) -> Argument:
    """Hands over a copy, which is not copied back where the original is read-only."""
    made = _pointer(address, size, writable, f"copy of {shown}" if writable else f"copy of {shown}, read-only")
    return replace(made, copy=copy if writable else replace(copy, back=None))


def check_copies(arguments: Sequence[Argument]) -> None:
    """Checks that no copy shares memory with another argument, unless the kernel may write neither.

    Raises:
        ValueError: one does: what the kernel writes through one argument would not be seen through the other.
    """
    for at, one in enumerate(arguments):
        for other_at, other in enumerate(arguments):
            if one.copy is None or one.memory is None or other.memory is None or at == other_at:
                continue
            span = other.memory.span if other.copy is None else other.copy.original
            apart = one.copy.original.end <= span.start or span.end <= one.copy.original.start
            if not apart and (one.memory.writable or other.memory.writable):
                raise ValueError(f"argument {at} ({one.shown}) may share memory with argument {other_at}: hand over copies of your own")


def _array(array: np.ndarray, copy_back: bool) -> Argument:
    """Hands over the memory of a C-contiguous array."""
    shown = f"array of {array.dtype}, shape {array.shape}"
    if isinstance(array, np.ma.MaskedArray):
        raise ValueError(f"masked {shown}: a kernel cannot read a mask; hand over `x.filled(value)`, or `x.data` for all elements")
    if (why := _refused_dtype(array.dtype)) is not None:
        raise ValueError(f"{shown}: {why}")
    if copy_back and not array.flags.c_contiguous:
        if array.flags.writeable and _may_overlap_itself(array.shape, array.strides, array.itemsize):
            raise ValueError(f"{shown} has strides {array.strides} in bytes, so that elements may overlap: copy it yourself (`x.copy()`)")
        copy = array.copy(order="C")
        original = _extent(array.ctypes.data, array.shape, array.strides, array.itemsize)
        writable = bool(array.flags.writeable)
        back = Copy(copy, original, lambda: np.copyto(array, copy))
        return _copied(copy.ctypes.data, copy.nbytes, writable, shown, back)
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{shown} has strides {array.strides} in bytes: a kernel reads elements that lie one after another, the last axis fastest; "
            f"hand over a copy (`numpy.ascontiguousarray(x)`) or the contiguous array that `x` is a view of, or say `copy_back=True`"
        )
    # The kernel reaches a read-only array in place and may read it.
    writable = bool(array.flags.writeable)
    return _pointer(array.ctypes.data, array.nbytes, writable, shown if writable else f"{shown}, read-only")


def tensor_words(tensor: Any) -> str:
    """Returns a tensor in words: its type and, where it has one, its shape."""
    return f"tensor of {tensor.dtype}" if tensor.is_nested else f"tensor of {tensor.dtype}, shape {tuple(tensor.shape)}"


def refused_tensor(tensor: Any) -> str | None:
    """Returns why the memory of a tensor does not hold the tensor's values, and what to hand over instead; None where it does."""
    if str(tensor.layout) != "torch.strided" or tensor.is_nested:
        return f"its layout is {'nested' if tensor.is_nested else tensor.layout}; hand over `x.to_dense()` or its parts"
    if tensor.is_quantized:
        return "a kernel cannot read its scale; hand over `x.int_repr()` or `x.dequantize()`"
    # The device of the storage: with `deltanet_check._cuda` a tensor says that it is on the card.
    device = tensor.untyped_storage().device
    if device.type == "meta":
        return "it is on the device meta, where tensors have no elements"
    if device.type != "cpu":
        return f"it is on {device}, and the emulator reaches tensors on the CPU; hand over `x.cpu()`"
    if tensor.is_conj():
        return "its conjugation is pending (`is_conj()`); hand over `x.resolve_conj()`"
    if tensor.is_neg():
        return "its negation is pending (`is_neg()`); hand over `x.resolve_neg()`"
    if tensor.numel() and tensor.data_ptr() == 0:
        return "it has no memory"
    return None


def _tensor(tensor: Any, copy_back: bool) -> Argument:
    """Hands over the memory of a contiguous tensor."""
    import torch

    shown = tensor_words(tensor)
    if (why := refused_tensor(tensor)) is not None:
        raise ValueError(f"{shown}: {why}")
    # Autograd does not see what a kernel writes: torch itself refuses writes in place to such a leaf.
    writable = not (tensor.requires_grad and torch.is_grad_enabled())
    if copy_back and not tensor.is_contiguous():
        strides = [stride * tensor.element_size() for stride in tensor.stride()]
        if writable and _may_overlap_itself(tensor.shape, strides, tensor.element_size()):
            raise ValueError(f"{shown} has strides {tuple(tensor.stride())}, so that elements may overlap: copy it yourself (`x.clone()`)")
        own = tensor.detach()
        copy = own.clone(memory_format=torch.contiguous_format)
        original = _extent(tensor.data_ptr(), tensor.shape, strides, tensor.element_size())
        back = Copy(copy, original, lambda: own.copy_(copy))
        return _copied(copy.data_ptr(), copy.numel() * copy.element_size(), writable, shown, back)
    if not tensor.is_contiguous():
        raise ValueError(
            f"{shown} has strides {tuple(tensor.stride())}: a kernel reads elements that lie one after another, the last axis fastest; "
            f"hand over a copy (`x.contiguous()`) or the contiguous tensor that `x` is a view of, or say `copy_back=True`"
        )
    shown += "" if writable else ", read-only as it requires a gradient (`x.detach()` is writable)"
    return _pointer(tensor.data_ptr(), tensor.numel() * tensor.element_size(), writable, shown)


def united(memories: Iterable[Memory]) -> list[Memory]:
    """Merges memories that have bytes in common. The result is writable where one of the merged memories is."""
    result: list[Memory] = []
    for memory in sorted(memories):
        last = result[-1] if result else None
        if last is not None and memory.span.start < last.span.end:
            span = Span(last.span.start, max(last.span.end, memory.span.end))
            result[-1] = Memory(span, last.writable or memory.writable)
        else:
            result.append(memory)
    return result
