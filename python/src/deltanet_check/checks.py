"""Tests of a code object, run by the program, and comparisons of arrays by its judgement."""
from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _find, _safetensors, _tool
from ._serve import Server
from ._tool import ToolError
from .contracts import Contract, Tolerance, _toml


class Result:
    """The result of a check.

    Attributes:
        passed: True if every case passed.
        report: the report as JSON has it (schema/report-1.schema.json).
        text: what the program prints: the table and the failures.
        page: the report as a page of HTML.
    """

    def __init__(self, passed: bool, report: dict[str, Any], text: str, page: str) -> None:
        self.passed, self.report, self.text, self.page = passed, report, text, page

    @property
    def trials(self) -> list[dict[str, Any]]:
        """The cases that ran: `id`, `verdict`, `outputs`, `diagnosis` and so on."""
        return [trial for phase in self.report["phases"] for trial in phase["trials"]]

    def __repr__(self) -> str:
        passed = sum(trial["verdict"] == "pass" for trial in self.trials)
        return f"<check: {passed} of {len(self.trials)} cases passed>"

    def __bool__(self) -> bool:
        return self.passed

    def _repr_html_(self) -> str:
        """The page, for a notebook."""
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: 480px; border: 0"></iframe>'

    def assert_passed(self) -> None:
        """Asserts that every case passed.

        Raises:
            AssertionError: a case did not; the text is the program's.
        """
        if not self.passed:
            raise AssertionError(self.text)


def check(
    kernels: str | os.PathLike[str],
    *,
    bind: str | os.PathLike[str],
    contracts: Sequence[Contract] = (),
    test: str | Sequence[str] = (),
    seed: int = 0,
    sanitize: bool = False,
    relations: bool = False,
    flags: Sequence[str] = (),
) -> Result:
    """Runs the tests of a code object's kernels.

    Args:
        kernels: the code object's file.
        bind: the file of bindings, or its text.
        contracts: custom contracts that the bindings are for. Their functions run in this process.
        test: the tests or cases to run; without it, all of the bound contracts.
        seed: the seed of designs and inputs.
        sanitize: find races, missing waits and reads of what nobody wrote, too.
        relations: check the laws of the contracts, too.
        flags: other flags of the program.

    Raises:
        NotFound: the program is nowhere.
        ToolError: a file or a contract is wrong, or nothing runs. If a contract's function raised, its exception is the cause.
    """
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        arguments = ["--kernels", os.path.abspath(kernels), "--seed", str(seed)]
        text = os.fspath(bind)
        if isinstance(bind, str) and "\n" in bind:
            (here / "bind.toml").write_text(bind, encoding="utf-8")
            text = str(here / "bind.toml")
        arguments += ["--bind", os.path.abspath(text)]
        arguments += [part for name in ([test] if isinstance(test, str) else test) for part in ("--test", name)]
        arguments += ["--sanitize"] * sanitize + ["--relations"] * relations + list(flags)
        server = None
        if contracts:
            named = {one.name: one for one in contracts}
            if len(named) < len(contracts):
                raise ValueError(f"two contracts have one name: {', '.join(one.name for one in contracts)}")
            server = Server(named, here)
            (here / "references.py").write_text(server.module(), encoding="utf-8")
            entries = [one.toml(f"references.py:{name}") for name, one in named.items()]
            (here / "contracts.toml").write_text("schema = 1\n\n" + "\n".join(entries), encoding="utf-8")
            arguments += ["--contract", str(here / "contracts.toml")]
        reports = ["--report", str(here / "report.json"), "--report", str(here / "report.html")]
        environment = {"DELTANET_CHECK_PYTHON": sys.executable, **os.environ}
        try:
            done = subprocess.run(
                [str(_find.program()), *arguments, *reports],
                capture_output=True, text=True, encoding="utf-8", errors="replace", check=False, env=environment,
            )
        finally:
            if server:
                server.close()
        if done.returncode not in (_tool.PASSED, _tool.FAILED):
            message = done.stderr.strip() or f"exit code {done.returncode}"
            raise ToolError(message.removeprefix("error: ")) from (server.error if server else None)
        report = json.loads((here / "report.json").read_text(encoding="utf-8"))
        page = (here / "report.html").read_text(encoding="utf-8")
    return Result(done.returncode == _tool.PASSED, report, done.stdout.strip(), page)


def assert_close(got: Any, want: Any, *, axes: str | None = None, tolerance: Tolerance = 1e-5, name: str = "got") -> None:
    """Asserts that an array is near another one, by the program's comparison. The text says how many elements are wrong, where, and in which pattern.

    Args:
        got: an array of NumPy or a tensor of torch.
        want: what it should be, of the same shape.
        axes: the names of its axes, outermost first: `"token head channel"`.
        tolerance: a number is an absolute tolerance; or `dict(scaled=1e-5, rms=2e-6)`.
        name: the array's name in the text.

    Raises:
        AssertionError: it is not near.
        ValueError: the shapes differ, there is not a name for each axis, or a name cannot be one.
        TypeError: an array is neither of NumPy nor of torch, or its elements are not real numbers of up to 64 bits.
        ToolError: `want` has a NaN, or a value that the type of `got` cannot hold.
    """
    if not name.isidentifier() or name in ("e", "pi", "null", "true", "false"):
        raise ValueError(f"{name!r} is no name of an array")
    stored = [_stored(array) for array in (got, want)]
    shape = stored[0].shape
    if shape == stored[1].shape and 0 in shape:
        return
    if shape != stored[1].shape:
        raise ValueError(f"the shapes differ: {list(shape)} and {list(stored[1].shape)}")
    names = axes.split() if axes is not None else [f"axis{number}" for number in range(len(shape))]
    if len(names) != len(shape):
        raise ValueError(f"{len(names)} names of axes for {len(shape)} axes: {axes!r}")
    lengths = " ".join(f"{name}={length}" for name, length in zip(names, shape, strict=True)) or "1"
    entry = {"axes": lengths, "type": stored[0].dtype.lower(), "role": "output", "tolerance": tolerance}
    found, wanted = (one._replace(shape=shape or (1,)) for one in stored)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        _safetensors.write(here / "want.safetensors", {}, {name: wanted})
        _safetensors.write(here / _tool.FILE, {"test": "comparison", "seed": "0"}, {f"output.{name}": found})
        (here / "contract.toml").write_text(
            f'schema = 1\n[[contract]]\nname = "comparison"\nuncomputed = ["1 == 1"]\n[contract.tensors]\n{name} = {_toml(entry)}\n'
            '[contract.reference]\nexpect = "want.safetensors"\n', encoding="utf-8",
        )
        code, text = _tool.call(
            "judge", _tool.FILE, "--contract", "contract.toml", accept=(_tool.PASSED, _tool.FAILED), directory=folder, words=f"`{name}`",
        )
    if code != _tool.PASSED:
        lines = [line for line in text.strip().splitlines() if not line.startswith("  rerun")]
        raise AssertionError("\n".join(lines))


#: Types that a contract has no name for, and those that hold their values.
_WIDER = {"BOOL": np.uint8, "I16": np.int32}


def _stored(value: Any) -> _safetensors.Stored:
    stored = _safetensors.of(value)
    wider = _WIDER.get(stored.dtype)
    return stored if wider is None else _safetensors.of(_safetensors.to_numpy(stored).astype(wider))
