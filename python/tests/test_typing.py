"""What type checkers and `repr` make of the package."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import deltanet_check
import pytest
from deltanet_check import _hip, goldens

PROGRAM = """
from __future__ import annotations

import deltanet_check as dc
import numpy as np


@dc.contract(sizes=dict(T=[1, 3], D=[64, 200]), relations=["permute T"])
def gated(x: dc.f32["T D"], w: dc.f32["channel=D", "normal(1)", "uniform(0.5, 1.5)"], *, eps: float = 1e-6) -> dict[str, dc.f32["T D"]]:
    return {"o": x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w}


@dc.contract(sizes=dict(N=[65]), outputs=dict(y=dc.i32("N", tolerance=0)))
def counted(x: dc.u8["item=N"]) -> object:
    return {"y": x + 1}


def passes() -> bool:
    result: dc.Result = dc.check("norm.co", bind="norm.toml", contracts=[gated, counted], sanitize=True)
    result.assert_passed()
    x = np.ones((4, 4), np.float32)
    try:
        dc.run("k.co", "k", 1, (64, 1), x.T, (3, "i32"), None, sanitize="race", budget=1000, schedule="random=7", copy_back=True)
    except dc.Trap as trap:
        print(trap.kernel, trap.pc + 1, trap.work_group)
    except dc.Findings as found:
        print("\\n".join(found.findings))
    test: dc.Goldens = dc.goldens.export("mul")
    test.assert_close_to_oracle("out", test["golden.out"])
    dc.assert_close(x, x, axes="row column", tolerance=dict(scaled=1e-5))
    return result.passed and len(result.trials) > 0 and gated.name == "gated"
"""


@pytest.mark.parametrize(
    "old, new, code",
    [("", "", 0), ("budget=1000", "budget=[1000]", 1), ("result.passed and", "result.passes and", 1), ("trap.pc + 1", "trap.pc + 'a'", 1)],
)
def test_a_strict_type_checker_takes_a_program_and_finds_its_mistakes(tmp_path, old, new, code):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM.replace(old, new))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr


def test_the_package_is_typed():
    assert (Path(deltanet_check.__file__).parent / "py.typed").is_file()


def test_everything_says_what_it_is():
    test = goldens.export("mul", seed=3)
    assert repr(test).startswith("<goldens of mul, seed 3: ") and "input.a" in repr(test)
    assert repr(_hip.library()).startswith("<HIP runtime on the emulator: /")
    for name in deltanet_check.__all__:
        assert " object at 0x" not in repr(getattr(deltanet_check, name)), name
