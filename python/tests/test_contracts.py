"""Contracts of one's own as functions, checks by them, and comparisons of arrays."""
from __future__ import annotations

from pathlib import Path

import deltanet_check as dc
import numpy as np
import pytest

BINDING = """schema = 1
[[binding]]
contract = "{name}"
[[binding.launch]]
symbol = "kernel_mul"
grid = ["ceil(count(a) / 64)"]
block = [64]
args = ["a", "b", "{out}", "i32 count(a)"]
"""


@dc.contract(sizes=dict(T=[1, 3], D=[64, 100]), relations=["linear in a", "permute T"])
def product(a: dc.f32["T D"], b: dc.f32["T D"]) -> dict[str, dc.f32["T D"]]:
    """The product of two arrays."""
    return {"c": a * b}


def binding(name: str, out: str = "c") -> str:
    return BINDING.format(name=name, out=out)


def test_a_right_kernel_passes(kernels: Path) -> None:
    result = dc.check(kernels, bind=binding("product"), contracts=[product], sanitize=True, relations=True)
    result.assert_passed()
    assert result and len(result.trials) >= 4
    assert repr(result) == f"<check: {len(result.trials)} of {len(result.trials)} cases passed>"
    assert "srcdoc" in result._repr_html_() and "product" in result.page


def test_a_wrong_kernel_is_an_assertion_with_the_reason(kernels: Path) -> None:
    factor = 3.0

    @dc.contract(sizes=dict(N=[65, 200]), name="tripled")
    def reference(a: dc.f32["N"], b: dc.f32("N", values="uniform(1, 2)")) -> dict[str, dc.f32["N"]]:
        return {"c": factor * a * b}  # a closure: the function runs in this process

    result = dc.check(kernels, bind=binding("tripled"), contracts=[reference])
    assert not result.passed
    with pytest.raises(AssertionError, match="`c` is the product of `a` and `b`"):
        result.assert_passed()


def test_an_exception_of_the_reference_is_the_cause(kernels: Path) -> None:
    @dc.contract(sizes=dict(N=[65]), outputs=dict(c=dc.f32["N"]))
    def raises(a: dc.f32["N"], b: dc.f32["N"]):
        raise LookupError("not today")

    with pytest.raises(dc.ToolError, match="raised LookupError: not today") as info:
        dc.check(kernels, bind=binding("raises"), contracts=[raises])
    assert isinstance(info.value.__cause__, LookupError)


def test_a_contract_says_what_it_is_and_is_a_function() -> None:
    assert repr(product) == "<contract product(a: f32['T D'], b: f32['T D']) -> c: f32['T D']>"
    assert (product(np.ones(2), np.full(2, 3.0))["c"] == 3).all()
    assert (product.__name__, product.__doc__) == ("product", "The product of two arrays.")
    assert repr(dc.f32) == "deltanet_check.f32"
    for tensor in ('f32["T D"]', 'u8["N"]', 'f32["D", "normal"]', 'f32["D", "normal", "tiny"]', 'f16("T", tolerance=0.5)', 'f32("T", values="tiny", tolerance=1)'):
        assert repr(eval(f"dc.{tensor}")) == tensor.replace('"', "'")
    with pytest.raises(TypeError, match="name the axes in a text"):
        dc.f32[3]
    with pytest.raises(TypeError, match="parameter `b` is no tensor"):

        @dc.contract(sizes=dict(N=[1]))
        def unnamed(a: dc.f32["N"], b) -> dict[str, dc.f32["N"]]:
            return {"c": a}

    with pytest.raises(TypeError, match="annotate what it returns"):

        @dc.contract(sizes=dict(N=[1]))
        def untold(a: dc.f32["N"]):
            return {"c": a}


def test_a_mistake_in_a_contract_is_an_error_before_anything_runs(kernels: Path) -> None:
    @dc.contract(sizes=dict(N=[65]), outputs=dict(c=dc.f32["M"]))
    def misspelt(a: dc.f32["N"], b: dc.f32["N"]):
        return {"c": a * b}

    with pytest.raises(dc.ToolError, match="unknown name `M`"):
        dc.check(kernels, bind=binding("misspelt"), contracts=[misspelt])


def test_arrays_are_compared_by_the_tool() -> None:
    want = np.arange(12.0).reshape(3, 4)
    dc.assert_close(want.astype(np.float32), want, axes="row column", tolerance=1e-6)
    got = want.astype(np.float32)
    got[1] = 0
    with pytest.raises(AssertionError, match="row 1 only"):
        dc.assert_close(got, want, axes="row column", tolerance=dict(scaled=1e-6))
    # Views, integers and a single number go as well.
    dc.assert_close(want.T, np.ascontiguousarray(want.T), tolerance=0)
    dc.assert_close(np.arange(300, dtype=np.uint8), np.arange(300) % 256, tolerance=0)
    dc.assert_close(np.float32(1.5), 1.5, tolerance=0)
    # A wrong byte may look like memory that nobody wrote.
    with pytest.raises(AssertionError) as info:
        dc.assert_close(np.arange(256, dtype=np.uint8), np.arange(256)[::-1], tolerance=0)
    assert "256/256 elements" in str(info.value) and "never written" not in str(info.value)
    with pytest.raises(ValueError, match="the shapes differ"):
        dc.assert_close(want, want[:2])
    with pytest.raises(ValueError, match="1 names of axes for 2 axes"):
        dc.assert_close(want, want, axes="row")
    with pytest.raises(dc.ToolError, match="is NaN at"):
        dc.assert_close(want, want * np.nan)


def test_lengths_of_packed_sequences_are_a_size_of_several_values() -> None:
    seen: list[list[int]] = []

    @dc.contract(sizes=dict(lengths=[[1, 64, 3], [5, 0]], T="sum(lengths)", N="count(lengths)"))
    def sums(x: dc.f32["T"], cu: dc.i32("N+1", values="prefix_sum(lengths)"), *, lengths) -> dict[str, dc.f32["T"]]:
        seen.append(lengths)
        assert (x.shape, cu.shape) == ((5,), (3,))
        return {"y": np.concatenate([part.cumsum() for part in np.split(x, np.cumsum(lengths)[:-1])])}

    assert seen == [[5, 0]]  # the outputs' names come from a call at the fewest tokens
    assert 'sizes = { lengths = [[1, 64, 3], [5, 0]], T = "sum(lengths)", N = "count(lengths)" }' in sums.toml("sums.py:sums")
