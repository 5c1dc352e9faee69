"""Run and judge gfx906 (AMD MI50) kernels on an emulator, from Python.

- `run` runs a kernel of a code object on arrays, in place; what goes wrong in it is an exception (`Trap`).
- `check` runs the tests of a code object, also of custom contracts, which `contract` makes of functions; `assert_close` compares two arrays.
- `goldens` has inputs and references of the tool's tests, and its judgement.
- `deltanet_check.triton` lets Triton's AMD driver use the emulator with CPU tensors.
- `pytest -p deltanet_check.pytest` does that for a whole test suite.
- `python -m deltanet_check` is the program `deltanet-check`.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import goldens
    from .checks import Result, assert_close, check
    from .contracts import Contract, Tensor, bf16, contract, f16, f32, f64, i8, i32, i64, u8, u16, u32
    from ._errors import Error, Findings, LaunchError, NotFound, Trap
    from ._launch import run
    from ._tool import ToolError
    from .goldens import Goldens, Mismatch

__version__ = "0.1.0"
__all__ = [
    "Contract", "Error", "Findings", "Goldens", "LaunchError", "Mismatch", "NotFound", "Result", "Tensor", "ToolError", "Trap", "__version__",
    "assert_close", "bf16", "check", "contract", "f16", "f32", "f64", "goldens", "i32", "i64", "i8", "run", "u16", "u32", "u8",
]

# The module of each name. A module is imported when its name is first used, so that the program and the plugin of pytest start without NumPy.
_MODULES = {
    "Error": "_errors", "Findings": "_errors", "LaunchError": "_errors", "NotFound": "_errors", "Trap": "_errors",
    "Goldens": "goldens", "Mismatch": "goldens", "ToolError": "_tool", "run": "_launch",
    "Result": "checks", "assert_close": "checks", "check": "checks", "Contract": "contracts", "Tensor": "contracts", "contract": "contracts",
    **dict.fromkeys(("bf16", "f16", "f32", "f64", "i8", "i32", "i64", "u8", "u16", "u32"), "contracts"),
}


def __getattr__(name: str) -> Any:
    """Imports a public name.

    Raises:
        AttributeError: there is no such name.
    """
    if name == "goldens":
        return importlib.import_module(".goldens", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
