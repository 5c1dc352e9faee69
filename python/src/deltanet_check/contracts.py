"""Custom contracts, written as Python functions.

    @dc.contract(sizes=dict(T=[1, 3, 64], D=[64, 200]))
    def gated(x: dc.f32["T D"], w: dc.f32["D"], *, eps=1e-6) -> dict[str, dc.f32["T D"]]:
        return {"o": x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w}

The function is the reference: it gets NumPy arrays of float64 (int64 for integers) and returns its outputs by name. Its annotations are the tensors: type and
axes, in the words of docs/custom-contracts.md. Its keyword arguments are scalars, choices and sizes.
"""
from __future__ import annotations

import functools
import inspect
import json
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

#: A tolerance: a number is absolute; keys are `absolute`, `scaled`, `relative`, `rms`, `ulp`.
Tolerance = float | Mapping[str, float]


class Tensor:
    """A tensor of a contract: its type, its axes, and how its values are drawn or judged.

    Attributes:
        kind: the type of its elements: `f32`, `bf16`, `u8`, ...
        axes: the lengths of its axes, outermost first: `"T D"`, `"row=T byte=blocks*34"`.
        values: classes of values of an input: `"normal"`, `["normal", "tiny"]`, `"uniform(0.5, 1.5)"`.
        tolerance: the error that an output is allowed; without it, one for the type and `sums`.
    """

    def __init__(self, kind: str, axes: str, *, values: str | Sequence[str] | None = None, tolerance: Tolerance | None = None) -> None:
        self.kind, self.axes, self.values, self.tolerance = kind, axes, values, tolerance

    def __repr__(self) -> str:
        if self.tolerance is not None:
            values = "" if self.values is None else f", values={self.values!r}"
            return f"{self.kind}({self.axes!r}{values}, tolerance={self.tolerance!r})"
        classes = [self.values] if isinstance(self.values, str) else [*(self.values or [])]
        return f"{self.kind}[{', '.join(map(repr, [self.axes, *classes]))}]"


class Kind:
    """A type of elements.

    `f32["T D"]` is a tensor of it, and `f32["T D", "normal", "uniform(0, 1)"]` is one with classes of values. `f32("T D", tolerance=1e-5)` says
    more of an output. mypy takes the annotation `x: f32["T D"]`. For it, a text of one word is a type, so that a single axis needs a name
    (`f32["channel=D"]`), and a call is no annotation.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, axes: str | tuple[str, ...]) -> Tensor:
        texts = axes if isinstance(axes, tuple) else (axes,)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{self.name}[...]: name the axes in a text, as in {self.name}[\"T D\"], and classes of values behind it")
        return Tensor(self.name, texts[0], values=list(texts[1:]) or None)

    def __call__(self, axes: str, *, values: str | Sequence[str] | None = None, tolerance: Tolerance | None = None) -> Tensor:
        return Tensor(self.name, axes, values=values, tolerance=tolerance)

    def __repr__(self) -> str:
        return f"deltanet_check.{self.name}"


# Of any type for type checkers, which then take `x: f32["T D"]` as an annotation and do not read the text as a type.
f64: Any = Kind("f64")
f32: Any = Kind("f32")
f16: Any = Kind("f16")
bf16: Any = Kind("bf16")
i64: Any = Kind("i64")
i32: Any = Kind("i32")
u32: Any = Kind("u32")
u16: Any = Kind("u16")
i8: Any = Kind("i8")
u8: Any = Kind("u8")


class Contract:
    """A contract whose reference is a Python function. Calling it calls the function.

    Attributes:
        name: the name that bindings use.
        inputs: its inputs by name.
        outputs: its outputs by name.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        sizes: Mapping[str, int | str | Sequence[int] | Sequence[Sequence[int]]],
        choices: Mapping[str, Sequence[str]],
        outputs: Mapping[str, Tensor] | None,
        others: Mapping[str, Any],
        name: str | None,
        seconds: int | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.function, self._seconds = function, seconds
        self.name = name or function.__name__
        self.sizes, self.choices, self._others = dict(sizes), dict(choices), dict(others)
        self.about = inspect.getdoc(function) or self.name
        hints = _annotations(function)
        self.inputs: dict[str, Tensor] = {}
        self.scalars: dict[str, float] = {}
        for parameter in inspect.signature(function).parameters.values():
            hint = hints.get(parameter.name)
            if isinstance(hint, Tensor):
                self.inputs[parameter.name] = hint
            elif isinstance(parameter.default, (int, float)) and not isinstance(parameter.default, bool):
                if parameter.name not in self.sizes:
                    self.scalars[parameter.name] = float(parameter.default)
            elif parameter.name not in self.sizes and parameter.name not in self.choices:
                raise TypeError(
                    f"{self.name}: parameter `{parameter.name}` is no tensor (annotate it, as `{parameter.name}: f32[\"T D\"]`), no scalar (give it a default), "
                    f"no size and no choice"
                )
        self.outputs = dict(outputs) if outputs is not None else self._declared(hints.get("return"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {tensor!r}" for name, tensor in self.inputs.items())
        outputs = ", ".join(f"{name}: {tensor!r}" for name, tensor in self.outputs.items())
        return f"<contract {self.name}({inputs}) -> {outputs}>"

    def _declared(self, hint: Any) -> dict[str, Tensor]:
        """The outputs of an annotation `-> dict[str, f32["T D"]]`, whose names the function itself gives, at its smallest sizes."""
        one = typing.get_args(hint)[-1] if typing.get_origin(hint) is dict else hint
        if not isinstance(one, Tensor):
            raise TypeError(f"{self.name}: annotate what it returns, as `-> dict[str, f32[\"T D\"]]`, or give `outputs=dict(o=f32[\"T D\"])`")
        if one is hint:
            return {"out": one}
        result = self.function(**self._smallest())
        if not isinstance(result, dict):
            raise TypeError(f"{self.name}: it returns {type(result).__name__}, and a dict of its outputs is due")
        return {name: one for name in result}

    def _smallest(self) -> dict[str, Any]:
        """Arguments at the smallest sizes: arrays of ones, the first words of choices."""
        known: dict[str, Any] = {name: min(s, key=_total) if isinstance(s, Sequence) and not isinstance(s, str) else s for name, s in self.sizes.items()}
        names = {"ceil": math.ceil, "floor": math.floor, "min": min, "max": max, "sum": sum, "count": len, **self.scalars}

        def length(formula: str) -> int:
            values = {name: length(size) if isinstance(size, str) else size for name, size in known.items() if name in formula}
            return int(eval(formula.split("=")[-1], {"__builtins__": {}}, {**names, **values}))  # noqa: S307: a formula of the caller's own

        arguments: dict[str, Any] = {}
        for name, tensor in self.inputs.items():
            shape = [length(axis) for axis in tensor.axes.split()]
            arguments[name] = np.ones(shape, np.float64 if tensor.kind[0] in "fb" else np.int64)
        for parameter in inspect.signature(self.function).parameters:
            if parameter in self.choices:
                arguments[parameter] = self.choices[parameter][0]
            elif parameter in known:
                size = known[parameter]
                arguments[parameter] = length(parameter) if isinstance(size, (int, str)) else list(size)
        return arguments

    def toml(self, reference: str) -> str:
        """The contract as an entry of a file of contracts.

        Args:
            reference: `FILE.py:FUNCTION`.
        """
        lines = ["[[contract]]", f"name = {_toml(self.name)}", f"about = {_toml(self.about.splitlines()[0])}"]
        for key, table in (("sizes", self.sizes), ("choices", self.choices), ("scalars", self.scalars)):
            if table:
                lines.append(f"{key} = {_toml(table)}")
        lines += [f"{key} = {_toml(value)}" for key, value in self._others.items()]
        lines.append("[contract.tensors]")
        both = set(self.inputs) & set(self.outputs)
        for name, tensor in {**self.inputs, **self.outputs}.items():
            entry: dict[str, Any] = {"axes": tensor.axes, "type": tensor.kind}
            if name in self.inputs and self.inputs[name].values is not None:
                entry["values"] = self.inputs[name].values
            if name in self.outputs:
                entry["role"] = "in_place" if name in both else "output"
                if self.outputs[name].tolerance is not None:
                    entry["tolerance"] = self.outputs[name].tolerance
            lines.append(f"{name} = {_toml(entry)}")
        lines += ["[contract.reference]", f"python = {_toml(reference)}"]
        if self._seconds is not None:
            lines.append(f"seconds = {self._seconds}")
        return "\n".join(lines) + "\n"


def contract(
    *,
    sizes: Mapping[str, int | str | Sequence[int] | Sequence[Sequence[int]]],
    choices: Mapping[str, Sequence[str]] | None = None,
    outputs: Mapping[str, Tensor] | None = None,
    name: str | None = None,
    excludes: Sequence[str] = (),
    uncomputed: Sequence[str] = (),
    relations: Sequence[str] = (),
    sums: str | None = None,
    seconds: int | None = None,
) -> Callable[[Callable[..., Any]], Contract]:
    """Makes a contract of a function, which is its reference.

    Args:
        sizes: the values of each size, which a pairwise design combines, or a formula of other sizes: `dict(T=[1, 3, 64], half="D / 2")`;
            or lists, for the lengths of packed sequences: `dict(lengths=[[5], [1, 64, 3]], T="sum(lengths)")`.
        choices: conventions, as lists of words: `dict(gate=["silu", "sigmoid"])`.
        outputs: the outputs by name, if they have different types or axes. Without it, the function's annotation has them.
        name: the name that bindings use; without it, the function's.
        excludes: formulas that are true for combinations that the contract does not promise.
        uncomputed: formulas that are true for cases whose right output is zeros or a copy of an input.
        relations: laws of the outputs: `"linear in x"`, `"permute T"`.
        sums: the number of terms of the longest sum, for outputs without a tolerance: `"D"`.
        seconds: the time that one call may take, in place of 60 s.

    Without `outputs`, the function is called once, at its smallest sizes with ones as inputs, for the names of its outputs.

    Raises:
        TypeError: a parameter is no tensor, scalar, size or choice, or the outputs are not known.
    """
    others = {"excludes": list(excludes), "uncomputed": list(uncomputed), "relations": list(relations), "sums": sums}
    kept = {key: value for key, value in others.items() if value}

    def made(function: Callable[..., Any]) -> Contract:
        return Contract(function, sizes=sizes, choices=choices or {}, outputs=outputs, others=kept, name=name, seconds=seconds)

    return made


def _total(size: int | Sequence[int]) -> int:
    """A size, or the sum of a size of several values."""
    return sum(size) if isinstance(size, Sequence) else size


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function. Texts are evaluated with the names of the function's module and closure."""
    closure = inspect.getclosurevars(function).nonlocals
    known = {**function.__globals__, **closure}

    def evaluated(hint: Any) -> Any:
        return eval(hint, known) if isinstance(hint, str) else hint  # noqa: S307: the caller's own annotation

    return {name: evaluated(hint) for name, hint in function.__annotations__.items()}


def _toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_toml, value)) + "]"
    raise TypeError(f"{value!r} is no text, number, list or dict")
