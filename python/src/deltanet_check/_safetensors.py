"""The safetensors format: a length, a JSON header, bytes. Read and written here, so that NumPy is all it takes."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._arguments import is_tensor

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "U32": "<u4", "U16": "<u2", "U8": "|u1", "I8": "|i1", "BOOL": "|b1"}


class Stored(NamedTuple):
    """A tensor as the file has it: the format's name of its type, the lengths of its axes, its bytes."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def read(path: str | os.PathLike[str]) -> tuple[dict[str, str], dict[str, Stored]]:
    """Metadata and tensors of a file.

    Raises:
        ValueError: it is no such file, or cut short.
    """
    raw = Path(path).read_bytes()
    try:
        size = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8 : 8 + size])
        metadata = header.pop("__metadata__", {})
        body = raw[8 + size :]
        tensors = {}
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            if not 0 <= first <= last <= len(body):
                raise ValueError("cut short")
            tensors[name] = Stored(entry["dtype"], tuple(entry["shape"]), body[first:last])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{os.fspath(path)} is no safetensors file, or cut short: {error}") from None
    return metadata, tensors


def write(path: str | os.PathLike[str], metadata: Mapping[str, str], tensors: Mapping[str, Stored]) -> None:
    """Writes a file."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    at = 0
    for name, one in tensors.items():
        header[name] = {"dtype": one.dtype, "shape": list(one.shape), "data_offsets": [at, at + len(one.data)]}
        at += len(one.data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for one in tensors.values():
            file.write(one.data)


def to_numpy(stored: Stored) -> np.ndarray:
    """As an array; bf16, which NumPy has not, as the f32 of the same values."""
    if stored.dtype == "BF16":
        bits = np.frombuffer(stored.data, "<u2").astype(np.uint32) << 16
        return bits.view(np.float32).reshape(stored.shape)
    return np.frombuffer(stored.data, _DTYPES[stored.dtype]).reshape(stored.shape).copy()


def to_torch(stored: Stored) -> Any:
    """As a tensor of torch on the CPU, of the same type."""
    import torch

    if stored.dtype == "BF16":
        bits = torch.from_numpy(np.frombuffer(stored.data, "<i2").reshape(stored.shape).copy())
        return bits.view(torch.bfloat16)
    if stored.dtype == "U16":
        return torch.from_numpy(to_numpy(stored).astype(np.int32))
    return torch.from_numpy(to_numpy(stored))


def of(value: Any) -> Stored:
    """Copies the values of an array of NumPy or a tensor of torch, whatever its strides, byte order and device.

    Raises:
        TypeError: the value is neither, or has elements of a type that the format lacks.
        ValueError: some of its elements have no value: they are masked, or on the device meta.
    """
    if is_tensor(value):
        tensor = value.detach()
        if tensor.is_quantized or str(tensor.layout) != "torch.strided" or tensor.is_nested:
            layout = "quantised" if tensor.is_quantized else "nested" if tensor.is_nested else tensor.layout
            raise TypeError(f"a tensor of layout {layout} cannot be judged: hand over a dense one (`x.dequantize()`, `x.to_dense()`)")
        if tensor.untyped_storage().device.type == "meta":
            raise ValueError("a tensor on the device meta has no elements to be judged")
        tensor = tensor.cpu().resolve_conj().resolve_neg().contiguous()
        if str(tensor.dtype) == "torch.bfloat16":
            import torch

            return Stored("BF16", tuple(tensor.shape), tensor.view(torch.int16).numpy().tobytes())
        return of(tensor.numpy())
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError("a masked array cannot be judged: hand over `x.filled(value)`, or `x.data` for all elements")
    array = np.asarray(value)
    little = array.dtype.newbyteorder("<") if array.dtype.kind in "biuf" else array.dtype
    for name, dtype in _DTYPES.items():
        if little == np.dtype(dtype):
            return Stored(name, tuple(array.shape), array.astype(little).tobytes())
    raise TypeError(f"an array of {array.dtype} cannot be judged")
