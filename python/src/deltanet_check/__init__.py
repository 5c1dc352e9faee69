"""Run and judge gfx906 (AMD MI50) kernels on an emulator, from Python.

- `run` runs a kernel of a code object on arrays, in place; what goes wrong in it is an exception (`Trap`).
- `goldens` has inputs and references of the tool's tests, and its judgement.
- `deltanet_check.triton` lets Triton's AMD driver use the emulator with CPU tensors.
- `pytest -p deltanet_check.pytest` does that for a whole test suite.
"""
from . import goldens
from ._errors import Error, Findings, LaunchError, NotFound, Trap
from ._launch import run
from ._tool import ToolError
from .goldens import Goldens, Mismatch

__version__ = "0.1.0"
__all__ = ["Error", "Findings", "Goldens", "LaunchError", "Mismatch", "NotFound", "ToolError", "Trap", "__version__", "goldens", "run"]
