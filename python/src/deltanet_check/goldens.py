"""Golden tensors: inputs of a test, what should come of them, and the tool's own judgement of what did.

    goldens = deltanet_check.goldens.export("mul")
    out = goldens["input.a"] * goldens["input.b"]
    goldens.assert_close_to_oracle("out", out)

Nothing is compared here: `deltanet-check judge` draws the inputs and makes the references again, and judges by the test's tolerance.
"""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _safetensors, _tool
from ._safetensors import Stored


class Mismatch(AssertionError):
    """An output is not what it should be: the tool's explanation is the text, and `report` its JSON."""

    def __init__(self, text: str, report: dict[str, Any]) -> None:
        self.report = report
        super().__init__(text)


class Goldens(Mapping[str, np.ndarray]):
    """The tensors of a test, by name: `input.q`, `golden.o` (the reference in the kernel's type and order of operations), `oracle.o` (the formula in f64), `output.o`
    (what the built-in kernel left), `before.x` (of what is updated in place).

    Attributes:
        metadata: what `export` says of them: `test`, `seed`, `shape`, `function`, and `axes.input.q` = `sequence,token,head,channel` and so on.
    """

    def __init__(self, metadata: Mapping[str, str], tensors: Mapping[str, Stored]) -> None:
        self.metadata = dict(metadata)
        self._tensors = dict(tensors)
        # Inputs that the caller has in another type, which the references must follow.
        self._given: dict[str, Stored] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        """A copy as an array of NumPy; bf16 as the f32 of the same values."""
        return _safetensors.to_numpy(self._stored(name))

    def __repr__(self) -> str:
        return f"<goldens of {self.metadata.get('test')}, seed {self.metadata.get('seed')}: {', '.join(self._tensors)}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def _stored(self, name: str) -> Stored:
        if name not in self._tensors:
            raise KeyError(f"no tensor `{name}` in the test {self.metadata.get('test')}: there is {', '.join(self._tensors)}")
        return self._given.get(name, self._tensors[name])

    def torch(self, name: str, dtype: Any = None) -> Any:
        """A copy as a tensor of torch on the CPU.

        Args:
            name: `input.q` and so on.
            dtype: for an input: round it to this type (`torch.bfloat16`, `torch.float16`). The references are then made of the rounded values.
        """
        tensor = _safetensors.to_torch(self._tensors[name] if name in self._tensors else self._stored(name))
        if dtype is None or tensor.dtype == dtype:
            return tensor
        rounded = tensor.to(dtype)
        if name.startswith(("input.", "before.")):
            self._given[name] = _safetensors.of(rounded)
        return rounded

    def assert_close_to_oracle(
        self,
        name: str,
        tensor: Any,
        *,
        tolerance: float | None = None,
        relative: float | None = None,
        relative_rms: float | None = None,
    ) -> None:
        """Asserts that an output is what the test wants: near both references, by the test's own tolerance.

        Args:
            name: the output's name, without `output.`: `o`.
            tensor: an array of NumPy or a tensor of torch, of the output's shape (`self[f"oracle.{name}"].shape`). Its values are copied, so
                it may have any strides, byte order and device. Of bf16 or f16 it may be off by one value of its type more.
            tolerance: absolute error of an element, in place of the test's tolerance: for kernels that round what is between to fewer bits.
            relative: beside `tolerance`, error of an element as a share of its right value.
            relative_rms: beside `tolerance`, error of the output as a whole.

        Raises:
            Mismatch: it is not; the text says where and how, and what may be the cause.
            ToolError: there is no such output, or it has another shape.
            TypeError: the tensor is neither an array nor a tensor, or its elements are not real numbers of up to 64 bits.
            ValueError: `relative` or `relative_rms` is given without `tolerance`; the tensor is masked, or on the device meta.
        """
        if tolerance is None and (relative is not None or relative_rms is not None):
            raise ValueError("relative and relative_rms stand beside tolerance: give that, too")
        starts = {name: self._stored(name) for name in self._tensors if name.startswith(("input.", "before."))}
        kept = {key: value for key, value in self.metadata.items() if key in ("test", "seed")}
        given = {"--tolerance": tolerance, "--relative": relative, "--relative-rms": relative_rms}
        flags = [text for flag, value in given.items() if value is not None for text in (flag, repr(float(value)))]
        with tempfile.TemporaryDirectory() as directory:
            _safetensors.write(Path(directory, _tool.FILE), kept, {**starts, f"output.{name}": _safetensors.of(tensor)})

            def judge(*more: str) -> tuple[int, str]:
                words = f"output `{name}` of {self.metadata.get('test')}"
                accept = (_tool.PASSED, _tool.FAILED)
                return _tool.call("judge", _tool.FILE, *flags, *more, accept=accept, directory=directory, words=words)

            code, text = judge()
            if code == _tool.PASSED:
                return
            _, report = judge("--format", "json")
        raise Mismatch(text.strip(), json.loads(report)["tests"][0])


def load(path: str | os.PathLike[str]) -> Goldens:
    """What `deltanet-check export` wrote into a file.

    Raises:
        ValueError: it is no such file.
    """
    metadata, tensors = _safetensors.read(path)
    if not metadata.get("schema", "").startswith("deltanet-check/export/"):
        raise ValueError(f"{os.fspath(path)} was not written by `deltanet-check export`")
    return Goldens(metadata, tensors)


def export(test: str, *, seed: int = 0) -> Goldens:
    """The tensors of one test of the tool, by its id (`deltanet-check --list`).

    Raises:
        ToolError: there is no such test, or several that the id means.
    """
    with tempfile.TemporaryDirectory() as directory:
        _tool.call("export", "--test", test, "--seed", str(seed), "--out", _tool.FILE, directory=directory, words=f"the tensors of {test}")
        return load(Path(directory, _tool.FILE))
