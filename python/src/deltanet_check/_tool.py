"""The program, called."""
from __future__ import annotations

import hashlib
import json
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


#: The name of a file that this package writes for the program (`export` writes a file where the name ends so). Messages have words in its place.
FILE = "handed-over.safetensors"


def call(*arguments: str, accept: tuple[int, ...] = (PASSED,), directory: str, words: str) -> tuple[int, str]:
    """Runs `deltanet-check ARGUMENTS`.

    Args:
        *arguments: the arguments, with `FILE` for a file that the program reads or writes.
        accept: the exit codes that are no error.
        directory: the temporary directory with that file, in which the program runs.
        words: the caller's words for that file.

    Returns:
        The exit code, and what the program wrote to standard output.

    Raises:
        NotFound: the program is nowhere.
        ToolError: the program ended with another code than those accepted.
    """
    command = [str(_find.program()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False, cwd=directory)
    if done.returncode not in accept:
        text = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise ToolError(f"deltanet-check {command[1]}: {text.removeprefix('error: ')}".replace(FILE, words))
    return done.returncode, done.stdout


_KERNELS: dict[str, dict[str, list[dict[str, Any]]]] = {}


def kernel_arguments(code_object: bytes, kernel: str, words: str) -> list[dict[str, Any]]:
    """Returns the arguments of a kernel that a caller hands it, as `inspect` has them: `kind`, `size`, `name`, `type`.

    Args:
        code_object: its bytes.
        kernel: the kernel's name.
        words: the caller's words for the code object: its path, if it has one.

    Raises:
        ToolError: the bytes are no code object, or it has no such kernel.
    """
    digest = hashlib.sha256(code_object).hexdigest()
    if digest not in _KERNELS:
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, FILE).write_bytes(code_object)
            _, text = call("inspect", FILE, "--format", "json", directory=directory, words=words)
        found = json.loads(text)["kernels"]
        _KERNELS[digest] = {one["name"]: [a for a in one["args"] if not a["kind"].startswith("hidden_")] for one in found}
    kernels = _KERNELS[digest]
    if kernel not in kernels:
        raise ToolError(f"{words}: no kernel `{kernel}`: the code object has {', '.join(kernels) or 'none'}")
    return kernels[kernel]
