#!/usr/bin/env python3
"""Tensors computed by Flash Linear Attention's own code, as tests of the references and of `deltanet-check vectors`.

    scripts/fla-vectors.py            writes reference/tests/data/fla_*.safetensors
    scripts/fla-vectors.py --check    computes the results again from the inputs of those files, and compares

Needs torch, triton, fla-core, numpy and safetensors from PyPI; a CPU is enough:

    pip install torch triton fla-core numpy safetensors

Two kinds of FLA's code run here. The plain functions of PyTorch (`naive_recurrent_gated_delta_rule`, `naive_recurrent_kda`) run in
float64: they name float32 as the type that they compute in, and get float64 under that name. Gradients are torch's, by those functions. The kernels
(`fused_recurrent_*`) run in float32 by Triton's interpreter, and take packed sequences as they are.
"""

import argparse
import os
import pathlib
import sys
import warnings

os.environ["TRITON_INTERPRET"] = "1"
warnings.simplefilter("ignore")

import importlib.metadata  # noqa: E402

import torch  # noqa: E402
from fla.ops.delta_rule import fused_recurrent_delta_rule  # noqa: E402
from fla.ops.gated_delta_rule import fused_recurrent_gated_delta_rule, naive as gated  # noqa: E402
from fla.ops.kda import fused_recurrent_kda, naive as kda  # noqa: E402
from safetensors import safe_open  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parent.parent / "reference/tests/data"
INPUTS = ("q", "k", "v", "g", "beta", "initial_state")


class Wide:
    """The module torch, with float64 under the names of float32."""

    float = float32 = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


gated.torch = kda.torch = Wide()


def draw(seed, b, t, h, hv, k, v, *, n=None, gates="head", state=True, unit=True, gradients=False, last=True):
    """Draws inputs of `b` rows of `t` tokens. `n` is the number of states, and `state` and `last` tell which there are."""
    random = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=random)

    def rows(*shape):
        x = normal(*shape)
        return torch.nn.functional.normalize(x, dim=-1) if unit else x

    x = {
        "q": rows(b, t, h, k),
        "k": rows(b, t, h, k),
        "v": normal(b, t, hv, v),
        "beta": torch.sigmoid(normal(b, t, hv)),
    }
    if gates == "head":
        x["g"] = -0.1 * normal(b, t, hv).abs()
    if gates == "key":
        x["g"] = -0.1 * normal(b, t, hv, k).abs()
    states = (b if n is None else n, hv, k, v)
    if state:
        x["initial_state"] = 0.5 * normal(*states)
    if gradients:
        x["do"] = normal(b, t, hv, v)
        if last:
            x["dfinal_state"] = normal(*states)
    return x


def bounds(lengths):
    ends = torch.tensor([0, *lengths], dtype=torch.int64)
    return ends.cumsum(0)


def parts(x, cu):
    """The rows of each sequence, or the whole batch without `cu`."""
    if cu is None:
        return [(slice(None), slice(None))]
    ends = cu.tolist()
    return [(slice(n, n + 1), slice(first, end)) for n, (first, end) in enumerate(zip(ends, ends[1:]))]


def naive(x, scale):
    """The plain function of each sequence in float64. Returns output and final states, and the inputs as leaves of a graph."""
    wide = {name: x[name].double().requires_grad_() for name in INPUTS if name in x}
    v, cu = wide["v"], x.get("cu_seqlens")
    per_key = "g" in x and x["g"].ndim == 4
    group = v.shape[2] // x["q"].shape[2]
    outputs, states = [], []
    for own, tokens in parts(x, cu):
        of = {name: wide[name][:, tokens] for name in INPUTS[:-1] if name in wide}
        if "g" not in of:
            of["g"] = torch.zeros_like(of["beta"])
        first = wide["initial_state"][own] if "initial_state" in wide else None
        if of["q"].shape[1] == 0:
            states.append(first)
            continue
        if not per_key:
            # The plain function has as many heads of q and k as of v, and a caller repeats them.
            for name in "qk":
                of[name] = of[name].repeat_interleave(group, dim=2)
        function = kda.naive_recurrent_kda if per_key else gated.naive_recurrent_gated_delta_rule
        o, last = function(**of, scale=scale, initial_state=first, output_final_state=True)
        outputs.append(o)
        states.append(last)
    assert outputs[0].dtype == torch.float64, "the plain function computes in float64"
    return torch.cat(outputs, dim=1), torch.cat(states), wide


def with_gradients(x, scale):
    """Output, final states, and torch's gradients by the inputs."""
    o, last, wide = naive(x, scale)
    loss = (o * x["do"].double()).sum()
    if "dfinal_state" in x:
        loss = loss + (last * x["dfinal_state"].double()).sum()
    loss.backward()
    return {"o": o, "final_state": last} | {f"d{name}": leaf.grad for name, leaf in wide.items()}


def results(x, scale):
    o, last, _ = naive(x, scale)
    return {"o_block": o, "state_block": last}


def fused(kernel, **arguments):
    """The results of a kernel in Triton's interpreter."""

    def run(x, scale):
        of = {name: x[name] for name in INPUTS if name in x}
        o, last = kernel(**of, scale=scale, output_final_state=True, cu_seqlens=x.get("cu_seqlens"), **arguments)
        return {"o": o, "final_state": last}

    return run


def both(*functions):
    def run(x, scale):
        return {name: tensor for function in functions for name, tensor in function(x, scale).items()}

    return run


def output_only(function):
    def run(x, scale):
        return {name: tensor for name, tensor in function(x, scale).items() if name.startswith("o")}

    return run


def delta_rule(x, scale):
    """FLA's kernels of the delta rule without gates: results, and gradients by the backward kernel."""
    leaves = {name: x[name].clone().requires_grad_() for name in INPUTS if name in x}
    o, last = fused_recurrent_delta_rule(**leaves, scale=scale, output_final_state=True)
    ((o * x["do"]).sum() + (last * x["dfinal_state"]).sum()).backward()
    return {"o": o, "final_state": last} | {f"d{name}": leaf.grad for name, leaf in leaves.items()}


def packed(lengths, **arguments):
    cu = bounds(lengths)
    x = draw(b=1, t=int(cu[-1]), n=len(lengths), **arguments)
    return x | {"cu_seqlens": cu}


GDN, KDA = fused_recurrent_gated_delta_rule, fused_recurrent_kda
UNNORMALISED = {"use_qk_l2norm_in_kernel": True, "state_v_first": True}

# The name of a file; its inputs; the factor on the output, if not the default; the code that gives its results; its metadata.
FILES = {
    "fla_packed": (
        lambda: packed([3, 0, 1, 66, 5], seed=1, h=2, hv=4, k=10, v=14),
        None,
        both(fused(GDN), results),
        {},
    ),
    "fla_kda_packed": (
        lambda: packed([2, 17, 0, 9], seed=2, h=1, hv=3, k=12, v=7, gates="key"),
        0.25,
        both(fused(KDA), results),
        {},
    ),
    "fla_kda": (
        lambda: draw(seed=3, b=2, t=67, h=2, hv=2, k=8, v=9, gates="key", state=False),
        None,
        output_only(results),
        {},
    ),
    "fla_normalised": (
        lambda: packed([9, 4], seed=4, h=1, hv=2, k=8, v=8, unit=False),
        1.0,
        fused(GDN, **UNNORMALISED),
        UNNORMALISED,
    ),
    "fla_backward": (
        lambda: draw(seed=5, b=2, t=21, h=2, hv=4, k=10, v=14, gradients=True),
        None,
        with_gradients,
        {},
    ),
    "fla_kda_backward_packed": (
        lambda: packed([4, 0, 1, 19], seed=6, h=1, hv=2, k=9, v=12, gates="key", gradients=True),
        0.5,
        with_gradients,
        {},
    ),
    "fla_delta_rule": (
        lambda: draw(seed=7, b=2, t=19, h=2, hv=2, k=16, v=8, gates=None, gradients=True),
        None,
        delta_rule,
        {},
    ),
}


def compute(inputs, scale, function, arguments):
    k = inputs["q"].shape[-1]
    found = function(inputs, k**-0.5 if scale is None else scale)
    return {name: tensor.detach().contiguous() for name, tensor in found.items()}


def write(name):
    make, scale, function, arguments = FILES[name]
    inputs = make()
    tensors = inputs | compute(inputs, scale, function, arguments)
    packages = ("fla-core", "torch", "triton")
    metadata = {package: importlib.metadata.version(package) for package in packages}
    metadata |= {key: str(value) for key, value in arguments.items()}
    if scale is not None:
        metadata["scale"] = repr(scale)
    path = DATA / f"{name}.safetensors"
    save_file(tensors, path, metadata)
    print(f"{path.name}: {path.stat().st_size} bytes")


def check(name):
    """Compares the file's results with those of the installed FLA; returns true if they agree."""
    _, scale, function, arguments = FILES[name]
    with safe_open(DATA / f"{name}.safetensors", "pt") as file:
        tensors = {key: file.get_tensor(key) for key in file.keys()}
    worst = 0.0
    for key, now in compute(tensors, scale, function, arguments).items():
        before = tensors[key]
        difference = (now.double() - before.double()).abs().max() / before.double().abs().max().clamp(min=1)
        bound = 1e-12 if before.dtype == torch.float64 else 2e-6
        worst = max(worst, float(difference) / bound)
    print(f"{name}: {'as before' if worst <= 1 else 'DIFFERS'}, {worst:.2g} of what it may differ by")
    return worst <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the files with what FLA computes from their inputs")
    arguments = parser.parse_args()
    if not arguments.check:
        for name in FILES:
            write(name)
        return
    agree = [check(name) for name in FILES]
    sys.exit(0 if all(agree) else 1)


if __name__ == "__main__":
    main()
