"""The program, called."""
from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from . import _find
from ._errors import Error

#: Exit codes of the program.
PASSED, FAILED = 0, 1


class ToolError(Error):
    """The program could not do what it was asked; its message is the exception's text."""


def call(*arguments: str | os.PathLike[str], accept: tuple[int, ...] = (PASSED,)) -> tuple[int, str]:
    """Runs `deltanet-check ARGUMENTS`; its exit code and what it wrote to standard output.

    Raises:
        NotFound: the program is nowhere.
        ToolError: it ended with another code than those accepted.
    """
    command = [str(_find.program()), *(os.fspath(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode not in accept:
        text = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise ToolError(f"deltanet-check {command[1]}: {text.removeprefix('error: ')}")
    return done.returncode, done.stdout


_KERNELS: dict[str, dict[str, list[dict[str, Any]]]] = {}


def kernel_arguments(code_object: bytes, kernel: str) -> list[dict[str, Any]]:
    """The arguments of a kernel that a caller hands it, as `inspect` has them: `kind`, `size`, `name`, `type`.

    Raises:
        ToolError: it is no code object, or has no such kernel.
    """
    digest = hashlib.sha256(code_object).hexdigest()
    if digest not in _KERNELS:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "code object"
            path.write_bytes(code_object)
            _, text = call("inspect", path, "--format", "json")
        found = json.loads(text)["kernels"]
        _KERNELS[digest] = {one["name"]: [a for a in one["args"] if not a["kind"].startswith("hidden_")] for one in found}
    kernels = _KERNELS[digest]
    if kernel not in kernels:
        raise ToolError(f"no kernel `{kernel}`: the code object has {', '.join(kernels) or 'none'}")
    return kernels[kernel]
