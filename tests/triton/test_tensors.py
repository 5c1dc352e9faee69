"""Which tensors of torch a kernel is handed: those whose memory holds their values. (`python/tests/test_arrays.py` has the arrays of NumPy.)"""
import warnings
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from deltanet_check import Mismatch, Trap, goldens, run

KERNELS = Path(__file__).resolve().parents[2] / "kernels" / "built" / "deltanet.co"
COUNT = 64


def numbers(*shape):
    return torch.randn(*shape, generator=torch.Generator("cpu").manual_seed(7))


def multiply(a, b, out):
    run(KERNELS, "kernel_mul", 1, COUNT, a, b, out, (COUNT, "i32"))


READ = {
    "a tensor": lambda: numbers(COUNT),
    "a contiguous view": lambda: numbers(COUNT + 9)[5 : 5 + COUNT],
    "a transpose of a transpose": lambda: numbers(16, 4).t().t(),
    "a parameter": lambda: torch.nn.Parameter(numbers(COUNT)),
    "a tensor that requires a gradient": lambda: numbers(COUNT).requires_grad_(),
    "integers of the same bytes": lambda: numbers(COUNT).view(torch.int32),
    "complex numbers": lambda: numbers(COUNT).view(torch.complex64),
    "halves": lambda: numbers(COUNT).view(torch.bfloat16),
}


@pytest.mark.parametrize("make", READ.values(), ids=READ)
def test_a_kernel_reads_what_the_memory_holds(make):
    tensor = make()
    values = tensor.detach().reshape(-1).view(torch.float32)
    out = torch.zeros(COUNT)
    multiply(tensor, tensor, out)
    assert torch.equal(out, values * values)


def quantised():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(numbers(COUNT), 0.1, 0, torch.qint8)


def nested():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.nested.nested_tensor([numbers(3), numbers(4)])


# A tensor, what the message says, and whether Triton's kernels, which take strides, are handed it.
REFUSED = {
    "a step": (lambda: numbers(2 * COUNT)[::2], r"strides \(2,\).*x.contiguous\(\)", True),
    "a transpose": (lambda: numbers(16, 4).t(), r"strides \(1, 4\)", True),
    "an expansion": (lambda: torch.ones(1).expand(COUNT), r"strides \(0,\)", True),
    "a view that overlaps itself": (lambda: numbers(COUNT).as_strided((16, 4), (2, 1)), r"strides \(2, 1\)", True),
    "channels last": (lambda: numbers(2, 4, 2, 4).to(memory_format=torch.channels_last), "strides", True),
    "a pending negation": (lambda: torch._neg_view(numbers(COUNT)), "negation is pending.*resolve_neg", False),
    "an imaginary part of a conjugate": (lambda: numbers(2 * COUNT).view(torch.complex64).conj().imag, "negation is pending", False),
    "sparse coordinates": (lambda: numbers(8, 8).to_sparse(), "torch.sparse_coo; hand over `x.to_dense", False),
    "sparse rows": (lambda: numbers(8, 8).to_sparse_csr(), "torch.sparse_csr", False),
    "quantised numbers": (quantised, "dequantize", False),
    "a nested tensor": (nested, "nested", False),
    "no elements": (lambda: torch.empty(COUNT, device="meta"), "device meta", False),
}


@pytest.mark.parametrize("place", [0, 2], ids=["as an input", "as an output"])
@pytest.mark.parametrize("make, says", [row[:2] for row in REFUSED.values()], ids=REFUSED)
def test_what_a_kernel_would_read_wrongly_is_refused(make, says, place):
    arguments = [numbers(COUNT), numbers(COUNT), torch.zeros(COUNT)]
    arguments[place] = make()
    with pytest.raises(ValueError, match=says) as caught:
        multiply(*arguments)
    assert "\n" not in str(caught.value)


def test_a_pending_conjugation_is_refused():
    with pytest.raises(ValueError, match="conjugation is pending.*resolve_conj"):
        multiply(numbers(2 * COUNT).view(torch.complex64).conj(), numbers(COUNT), torch.zeros(COUNT))


def test_a_tensor_that_requires_a_gradient_is_written_only_where_autograd_does_not_record():
    a, out = numbers(COUNT), torch.zeros(COUNT, requires_grad=True)
    with pytest.raises(Trap, match="read-only memory") as caught:
        multiply(a, a, out)
    assert caught.value.argument == 2 and "requires a gradient" in str(caught.value)
    assert not out.detach().any()
    multiply(a, a, out.detach())
    assert torch.equal(out.detach(), a * a)
    with torch.no_grad():
        multiply(a, torch.ones(COUNT), out)
    assert torch.equal(out.detach(), a)


@triton.jit
def copy(x, stride, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at * stride))


def test_a_kernel_of_tritons_takes_strides():
    x, out = numbers(2 * COUNT)[::2], torch.zeros(COUNT)
    copy[(1,)](x, x.stride(0), out, BLOCK=COUNT)
    assert torch.equal(out, x)


@pytest.mark.parametrize("name", [name for name, (_, _, strided) in REFUSED.items() if not strided])
def test_a_kernel_of_tritons_is_not_handed_memory_without_the_values(name):
    make, says, _ = REFUSED[name]
    # Triton itself refuses some of these types before the launch.
    with pytest.raises((ValueError, KeyError, NotImplementedError, RuntimeError), match=None if name.startswith(("sparse", "quantised", "a nested")) else says):
        copy[(1,)](make(), 1, torch.zeros(COUNT), BLOCK=COUNT)


def test_the_judgement_reads_values():
    test = goldens.export("mul")
    out = test.torch("golden.out")
    for tensor in [out, out.repeat_interleave(2)[::2], torch._neg_view(-out), out.clone().requires_grad_()]:
        test.assert_close_to_oracle("out", tensor)
    with pytest.raises(Mismatch):
        test.assert_close_to_oracle("out", torch._neg_view(out))
    for tensor, error in [(out.to_sparse(), TypeError), (torch.empty(1024, device="meta"), ValueError), (out.to(torch.complex64), TypeError)]:
        with pytest.raises(error, match="judged"):
            test.assert_close_to_oracle("out", tensor)
